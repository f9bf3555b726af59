// Single-pass reduction by flagged partials: each block publishes its partial and a flag as one word, the last block
// polls the words. No atomic, no fence. Bound by memory bandwidth; for small n by the latency of one load, one store to
// L2 and the load that finds it.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/reduce_sum/dispatch.hpp"
#include "backends/cuda/reduce_sum/flagged_partials.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace reduce_sum_flagged_partials {

#if CROSSWARP_HAS_COOPERATIVE
template <unsigned block, unsigned unroll, bool per_warp, class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_flagged(const T* in, std::size_t n, FlaggedPartials<Accumulator<T>> partials, Accumulator<T>* out) {
  const Op op;
  const auto value = thread_reduce<block, unroll>(in, n, op);
  grid_reduce<block, per_warp>(value, partials, out, op);
}

template <unsigned block, unsigned unroll, bool per_warp>
void launch_kernel(const Queue& queue, const ReduceSum::Args& args, int waves) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    launch(reduce_flagged<block, unroll, per_warp, T, Op>, grid_size<T>(queue, a.in.size(), block, unroll, waves),
           block, 0, queue, a.in.data(), a.in.size(), FlaggedPartials<Accumulator<T>>(queue.workspace), a.out.data());
  });
}

void reduce(const Queue& queue, const ReduceSum::Args& args, int unroll) {
  with_constant<4, 2, 1>(unroll, [&]<unsigned unroll>() { launch_kernel<512, unroll, false>(queue, args, 1); });
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  constexpr std::size_t max_warps = 32;  // per block
  const std::size_t blocks = max_resident_blocks(queue, static_cast<unsigned>(queue.tuning["block"])) *
                             static_cast<std::size_t>(queue.tuning["waves"]);
  return FlaggedPartials<double>::bytes(blocks * (queue.tuning["of_warps"] != 0 ? max_warps : 1));
}

void launch_tuned(const Queue& queue, const ReduceSum::Args& args) {
  with_constant<512, 1024>(queue.tuning["block"], [&]<unsigned block>() {
    with_constant<4, 2, 1>(queue.tuning["unroll"], [&]<unsigned unroll>() {
      if (queue.tuning["of_warps"] != 0)
        launch_kernel<block, unroll, true>(queue, args, queue.tuning["waves"]);
      else
        launch_kernel<block, unroll, false>(queue, args, queue.tuning["waves"]);
    });
  });
}

Tuning tuning(int block, int unroll, int of_warps, int waves) {
  return {{{"block", block}, {"unroll", unroll}, {"of_warps", of_warps}, {"waves", waves}}};
}
#endif

const Register<ReduceSum> variant{{
    .idea = "one launch: each block publishes its partial and a flag as one word, the last block polls them",
    .bound_by = "memory bandwidth, or two trips to L2 when small",
    .improves = "last_block",
    .needs = {"cooperative"},
#if CROSSWARP_HAS_COOPERATIVE
    .tunings = {tuning(512, 2, 0, 1), tuning(512, 4, 0, 1), tuning(512, 1, 0, 1), tuning(1024, 1, 0, 1),
                tuning(1024, 2, 0, 1), tuning(512, 4, 1, 1), tuning(512, 1, 1, 1), tuning(512, 4, 0, 4),
                tuning(512, 4, 0, 16)},
    .workspace = workspace,
    .launch = launch_tuned,
#endif
}};

}  // namespace reduce_sum_flagged_partials
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
