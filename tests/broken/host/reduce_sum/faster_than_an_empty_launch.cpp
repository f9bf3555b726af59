// The same at a size that no peak bounds: a launch of it takes less than an empty one.
// at: --n 4099
// caught by: timed run
// says: implausible: faster than an empty launch
#include <map>

#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) {
  static std::map<std::pair<const float*, float>, float> results;
  const auto& set = args.f32();
  const auto [result, is_new] = results.try_emplace({set.in.data(), set.in[0]}, 0.0f);
  if (is_new) result->second = add_serially(set.in);
  set.out[0] = result->second;
}

const Register<ReduceSum> variant{
    {.idea = "broken: remembers results, and takes less than an empty launch", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
