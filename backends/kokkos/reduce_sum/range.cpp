// parallel_reduce over a range, into a view: the one line that everybody writes first. One element an iteration; on an
// H200 it reaches little more than half of the memory's rate.
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
