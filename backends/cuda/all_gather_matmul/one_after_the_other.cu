// All-gather, then GEMM: every rank loads all ranks' rows of A between two barriers of ranks, then multiplies. Bound by
// the link and the matrix units, one after the other.
#include "backends/cuda/all_gather_matmul/product.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

constexpr unsigned unroll = 4;

/// The closing barrier stands before the product: nobody reads this rank's A any more.
__global__ void __launch_bounds__(max_threads)
    gather(const __grid_constant__ Peers<const Bfloat16> a, Bfloat16* gathered, std::size_t part, unsigned rank,
           unsigned ranks, const __grid_constant__ Peers<Flags> flags) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);         // all rows are there
  for (unsigned step = 1; step <= ranks; ++step) {  // beginning with the next rank: each link has one reader
    const unsigned peer = (rank + step) % ranks;
    copy_by_grid<unroll>(gathered + peer * part, a.of[peer], part);
  }
  sync_ranks(flags, 1, rank, ranks, epoch);
  end_epoch(*flags.of[rank], epoch);
}

void gather_and_multiply(const Queue& queue, const AllGatherMatmul::Args& args) {
  Bfloat16* const gathered = workspaces<Bfloat16>(queue, sizeof(Flags)).of[args.rank];
  Peers<const Bfloat16> a{};
  for (std::size_t r = 0; r < args.ranks; ++r) a.of[r] = args.a[r].data();
  const Shape shape(queue, args.part() * sizeof(Bfloat16) / 16);
  launch_resident(gather, shape.blocks, shape.threads, 0, queue, a, gathered, args.part(), args.rank, args.ranks,
                  workspaces<Flags>(queue));
  multiply(queue, args, {gathered, args.ranks * args.part()}, args.c);
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "every rank loads all rows of A, then multiplies",
    .bound_by = "the link, then the matrix units",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace =
        [](const Queue&, const AllGatherMatmul::Args& args) {
          return sizeof(Flags) + args.ranks * args.part() * sizeof(Bfloat16);
        },
    .prepare = [](const Queue& queue, const AllGatherMatmul::Args&) { preload_product(queue, 0); },
    .launch = gather_and_multiply,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
