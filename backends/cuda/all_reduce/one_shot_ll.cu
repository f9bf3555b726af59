// One-shot with the flag in the data, as NCCL's LL protocol: 16 bytes hold two words of data, each beside the epoch, so
// that who sees the epoch has the word. No barrier: bound by one trip over the link, and by twice the bytes.
#include "backends/cuda/all_reduce/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace all_reduce_one_shot_ll {

#if CROSSWARP_HAS_PEERS

/// A rank stores each of its lines into its own box at every peer, and adds what arrives in the boxes of its peers.
/// Boxes of two epochs take turns: a rank that stores in an epoch has its peers' lines of the epoch before, which they
/// sent after they had taken all of the one before that.
template <class T>
__global__ void __launch_bounds__(max_threads)
    one_shot_ll(const T* in, T* out, std::size_t n, std::size_t lines, unsigned rank, unsigned ranks, Flags* own,
                const __grid_constant__ Peers<uint4> boxes) {
  std::size_t i = grid_thread();
  auto mine = load_pack<Line<T>>(in, i, n);
  const unsigned epoch = epoch_of(*own);
  const std::size_t turn = epoch % 2 * ranks;
  for (; i < lines; i += grid_threads(), mine = load_pack<Line<T>>(in, i, n)) {
    for_each_peer(rank, ranks,
                  [&](unsigned peer) { send_line<T>(boxes.of[peer] + (turn + rank) * lines + i, mine, epoch); });
    const Line<T> sum = sum_over_ranks<Line<T>>(ranks, [&](unsigned r) {
      return r == rank ? mine : receive_line<T>(boxes.of[rank] + (turn + r) * lines + i, epoch);
    });
    store_pack(out, i, n, sum);
  }
  end_epoch(*own, epoch);
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        const std::size_t lines = lines_of(a.size() * sizeof(T));
        const Shape shape(queue, lines);
        launch_resident(one_shot_ll<T>, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(),
                        a.out[a.rank].data(), a.size(), lines, a.rank, a.ranks, workspaces<Flags>(queue).of[a.rank],
                        workspaces<uint4>(queue, sizeof(Flags)));
      },
      args.typed);
}

std::size_t workspace(const Queue&, const AllReduce::Args& args) {
  return sizeof(Flags) + 2 * args.ranks() * lines_of(args.bytes()) * sizeof(uint4);
}

#endif

const Register<AllReduce> variant{{
    .idea = "every rank stores its array to all ranks, the flag in every 8 bytes beside the data: no barrier",
    .bound_by = "one trip over the link; long arrays: 2 (ranks - 1) arrays to each",
    .improves = "one_shot",
    .not_expressible = needs_peers,
    .applies = [](const Point& point) { return AllReduce::bytes(point) <= max_line_bytes; },
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .launch = all_reduce,
#endif
}};

}  // namespace all_reduce_one_shot_ll
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
