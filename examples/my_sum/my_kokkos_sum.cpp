// parallel_reduce over a range, into a view. Bound by memory, short of its rate on a GPU.
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

void launch_sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto in = array(args.f32().in);
  Kokkos::parallel_reduce(
      range(queue, in.extent(0)), KOKKOS_LAMBDA(std::size_t i, float& sum) { sum += in(i); }, scalar(args.f32().out));
}

const Register<ReduceSum> variant{{
    .idea = "parallel_reduce over a range: the shortest portable sum",
    .applies = ReduceSum::is_f32_sum,
    .launch = launch_sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
