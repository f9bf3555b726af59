// Clusters of blocks whose warps store their partials into the shared memory of the cluster's first block; the
// clusters' partials are posted as in mailbox. Bound by memory; for small n by one load and one store between
// multiprocessors.
#include "backends/cuda/reduce_sum/by_cluster.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 512;

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return Mail<double>::bytes(resident_blocks_of(queue, block));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto size = static_cast<unsigned>(queue.tuning["size"]);
  with_constant<1, 2, 4>(static_cast<unsigned>(queue.tuning["unroll"]), [&]<unsigned unroll>() {
    dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
      const unsigned blocks = grid_for<T>(queue, a.in.size(), block, unroll, 1);
      const unsigned clusters =
          std::max(1u, std::min((blocks + size - 1) / size, resident_blocks_of(queue, block) / size));
      launch_clusters(size, reduce_by_cluster<block, unroll, T, Op>, clusters * size, block, 0, queue, a.in.data(),
                      a.in.size(), Mail<Accumulator<T>>(queue.workspace), a.out.data());
    });
  });
}

Tuning tuning(int size, int unroll) { return {{{"size", size}, {"unroll", unroll}}}; }
#endif

const Register<ReduceSum> variant{{
    .idea = "warps store partials into another block's shared memory, no trip to L2: bound by latency, or by memory",
    .improves = "mailbox",
    .needs = {"ptx", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(8, 4), tuning(8, 2), tuning(8, 1), tuning(16, 1), tuning(16, 4), tuning(4, 1), tuning(4, 4),
                tuning(2, 4)},
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
