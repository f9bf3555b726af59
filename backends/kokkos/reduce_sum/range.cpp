// parallel_reduce over a range into a view: the line that everybody writes first. One element per iteration, so that a
// warp's load is 4 sectors instead of a handwritten kernel's 16, and stalls twice as long (H200 at 2^26: 73 against 36
// cycles per instruction, 49 against 93 % of the memory's peak).
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
    .idea = "parallel_reduce over a range into a view, one element per iteration",
    .bound_by = "4-byte loads in flight",
    .counterparts = {"grid_stride"},
    .gaps = {{GapClass::tuning,
              "the end of parallel_reduce: one block adds the partial sums of all others",
              {"duration", "instructions"},
              [](const Point& point) { return point.integer("n") < 1 << 26; }}},
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
