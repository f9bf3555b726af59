// Push with the flag in the data, as NCCL's LL protocol: 16 bytes hold two words of data, each beside the epoch, so
// that who sees the epoch has the word. No barrier: bound by one trip over the link, and by twice the bytes.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// A rank stores each of its lines into its own box at every peer, and takes what arrives in the boxes of its peers.
/// Boxes of two epochs take turns: a rank that stores in an epoch has its peers' lines of the epoch before, which they
/// sent after they had taken all of the one before that.
template <class T>
__global__ void __launch_bounds__(max_threads)
    push_ll(const T* in, T* out, std::size_t n, std::size_t lines, unsigned rank, unsigned ranks, Flags* own,
            const __grid_constant__ Peers<uint4> boxes) {
  std::size_t i = grid_thread();
  auto mine = load_pack<Line<T>>(in, i, n);
  const unsigned epoch = epoch_of(*own);
  const std::size_t turn = epoch % 2 * ranks;
  for (; i < lines; i += grid_threads(), mine = load_pack<Line<T>>(in, i, n)) {
    for_each_peer(rank, ranks,
                  [&](unsigned peer) { send_line<T>(boxes.of[peer] + (turn + rank) * lines + i, mine, epoch); });
    store_pack(out + rank * n, i, n, mine);
    for_each_peer(rank, ranks, [&](unsigned peer) {
      store_pack(out + peer * n, i, n, receive_line<T>(boxes.of[rank] + (turn + peer) * lines + i, epoch));
    });
  }
  end_epoch(*own, epoch);
}

void all_gather(const Queue& queue, const AllGather::Args& args) {
  std::visit(
      [&]<class T>(const AllGather::Typed<T>& a) {
        const std::size_t lines = lines_of(args.bytes());
        const Shape shape(queue, lines);
        launch_resident(push_ll<T>, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(), a.out[a.rank].data(),
                        a.n, lines, a.rank, a.ranks, workspaces<Flags>(queue).of[a.rank],
                        workspaces<uint4>(queue, sizeof(Flags)));
      },
      args.typed);
}

std::size_t workspace(const Queue&, const AllGather::Args& args) {
  return sizeof(Flags) + 2 * args.ranks() * lines_of(args.bytes()) * sizeof(uint4);
}

#endif

const Register<AllGather> variant{{
    .idea = "every rank stores its array to all ranks, the flag in every 8 bytes beside the data: no barrier",
    .bound_by = "one trip over the link; long arrays: 2 (ranks - 1) arrays to each",
    .improves = "push",
    .not_expressible = needs_peers,
    .applies = [](const Point& point) { return AllGather::bytes(point) <= max_line_bytes; },
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .launch = all_gather,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
