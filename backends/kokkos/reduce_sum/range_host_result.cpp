// range with its result in a host variable, as in most codes. Bound by the synchronisation for small n: it adds 8 to 11
// µs to the same kernel on an H200.
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto in = array(args.f32().in);
  Kokkos::parallel_reduce(
      range(queue, in.extent(0)), KOKKOS_LAMBDA(std::size_t i, float& sum) { sum += in(i); }, *args.f32().host_out);
}

const Register<ReduceSum> variant{{
    .idea = "parallel_reduce into a host variable, including the synchronisation",
    .bound_by = "the synchronisation when small",
    .improves = "range",
    .gaps = {{GapClass::tuning, "the host waits for the result"}},
    .result = ResultIn::host,
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
