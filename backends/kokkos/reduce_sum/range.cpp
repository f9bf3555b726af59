// parallel_reduce over a range, into a view: the one line that everybody writes first. One element an iteration: a
// warp's load is 4 sectors where a handwritten kernel's is 16, and waits twice as long (an H200's counters at 2^26: 73
// against 36 cycles an instruction, 49 against 93 % of the memory's peak).
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto in = array(args.f32().in);
  Kokkos::parallel_reduce(
      range(queue, in.extent(0)), KOKKOS_LAMBDA(std::size_t i, float& sum) { sum += in(i); }, scalar(args.f32().out));
}

const Register<ReduceSum> variant{{
    .idea = "parallel_reduce over a range into a view, one element an iteration: short of the memory's rate on a GPU",
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
