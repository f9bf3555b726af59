// As mailbox, enqueued so that it may be made ready while the launch before it ends (programmatic dependent launch). It
// waits for that one before it reads anything, so only the start of a launch is hidden: by whatever kernel comes
// before, in a benchmark as in a program, but not in a program that waits in between. Bound by memory; for small n by
// latency.
#include "backends/cuda/reduce_sum/by_mail.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 512;

template <unsigned unroll, class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_behind(const T* in, std::size_t n, Mail<Accumulator<T>> mail, Accumulator<T>* out) {
  grid_dependency_sync();
  combine_by_mail<block, false>(thread_value<block, unroll>(in, n, Op()), mail, out, Op());
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return Mail<double>::bytes(resident_blocks_of(queue, block));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  with_constant<4, 1>(static_cast<unsigned>(queue.tuning["unroll"]), [&]<unsigned unroll>() {
    dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
      launch(reduce_behind<unroll, T, Op>, grid_for<T>(queue, a.in.size(), block, unroll, 1), block, 0, with_pdl(queue),
             a.in.data(), a.in.size(), Mail<Accumulator<T>>(queue.workspace), a.out.data());
    });
  });
}
#endif

const Register<ReduceSum> variant{{
    .idea = "as mailbox, made ready while the launch before ends, whose results it waits for: hides the launch's start",
    .improves = "mailbox",
    .needs = {"ptx", "programmatic"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"unroll", 4}}}, {{{"unroll", 1}}}},
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
