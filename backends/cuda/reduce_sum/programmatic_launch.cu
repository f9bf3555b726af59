// Programmatic dependent launch (PDL) of flagged_partials: the kernel starts while the launch before ends, and waits
// for its results before the first load. This hides the start of the launch, but not in a program that waits in
// between. Bound by memory bandwidth; for small n by latency.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/reduce_sum/flagged_partials.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 512;

template <unsigned unroll, class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_dependent(const T* in, std::size_t n, FlaggedPartials<Accumulator<T>> partials, Accumulator<T>* out) {
  grid_dependency_sync();
  const Op op;
  grid_reduce<block>(thread_reduce<block, unroll>(in, n, op), partials, out, op);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return FlaggedPartials<double>::bytes(max_resident_blocks(queue, block));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  with_constant<4, 1>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
      launch(reduce_dependent<unroll, T, Op>, grid_size<T>(queue, a.in.size(), block, unroll, 1), block, 0,
             with_pdl(queue), a.in.data(), a.in.size(), FlaggedPartials<Accumulator<T>>(queue.workspace), a.out.data());
    });
  });
}
#endif

const Register<ReduceSum> variant{{
    .idea = "flagged_partials by programmatic dependent launch: starts while the launch before ends",
    .bound_by = "memory bandwidth, or latency when small",
    .improves = "flagged_partials",
    .needs = {"ptx", "pdl"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"unroll", 4}}}, {{{"unroll", 1}}}},
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
