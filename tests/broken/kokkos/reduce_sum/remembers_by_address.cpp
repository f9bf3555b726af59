// Remembers the result of each input by its address: right until the numbers there change.
// caught by: timed run
#include <map>

#include "tests/broken/kokkos/plain_sum.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static std::map<const float*, View<float>> results;
  const auto& set = args.f32();
  const auto [result, is_new] = results.try_emplace(set.in.data());
  if (is_new) {
    result->second = View<float>(static_cast<float*>(Kokkos::kokkos_malloc<Memory>(sizeof(float))));
    add_on(queue.exec, array(set.in), result->second);
  }
  Kokkos::deep_copy(queue.exec, scalar(set.out), result->second);
}

const Register<ReduceSum> variant{{.idea = "broken: remembers results by address", .launch = sum}};

}  // namespace
}  // namespace crosswarp::kokkos
