// Adds every second element, twice: an estimate, and wrong.
#include "tests/broken/kokkos/plain_sum.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto in = array(args.f32().in);
  Kokkos::parallel_reduce(
      range(queue, (in.extent(0) + 1) / 2), KOKKOS_LAMBDA(std::size_t i, float& sum) { sum += 2 * in(2 * i); },
      scalar(args.f32().out));
}

const Register<ReduceSum> variant{{.idea = "broken: adds every second element twice", .launch = sum}};

}  // namespace
}  // namespace crosswarp::kokkos
