// One-shot with barriers: every rank loads all ranks' arrays and adds them. One trip over the link, but each rank
// receives ranks - 1 arrays; short arrays are bound by the two barriers of ranks around it.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

template <class P, class T>
__device__ void add(const Peers<const T>& in, T* out, std::size_t first, std::size_t packs, unsigned ranks) {
  for (std::size_t i = first + grid_thread(); i < packs; i += grid_threads())
    pack<P>(out, i) = sum_over_ranks<P>(ranks, [&](unsigned r) { return pack<P>(in.of[r], i); });
}

template <class T>
__global__ void __launch_bounds__(max_threads)
    one_shot(const __grid_constant__ Peers<const T> in, T* out, std::size_t n, unsigned rank, unsigned ranks,
             const __grid_constant__ Peers<Flags> flags) {
  constexpr std::size_t width = 16 / sizeof(T);
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);  // all inputs are there
  add<Widest<T>>(in, out, 0, n / width, ranks);
  add<Single<T>>(in, out, n / width * width, n, ranks);
  sync_ranks(flags, 1, rank, ranks, epoch);  // nobody reads this rank's input any more
  end_epoch(*flags.of[rank], epoch);
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        const Shape shape(queue, a.size() * sizeof(T) / 16);
        launch_resident(one_shot<T>, shape.blocks, shape.threads, 0, queue, inputs(a), a.out[a.rank].data(), a.size(),
                        a.rank, a.ranks, workspaces<Flags>(queue));
      },
      args.typed);
}

#endif

const Register<AllReduce> variant{{
    .idea = "every rank loads all arrays, between two barriers of ranks",
    .bound_by = "the link: ranks - 1 arrays to each; short ones: two barriers",
    .not_expressible = needs_peers,
    .applies = AllReduce::is_out_of_place,  // a peer may still read the input when the sum is written
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllReduce::Args&) { return sizeof(Flags); },
    .launch = all_reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
