// Remembers results by address and first element: always right, since unknown inputs are computed. Only its time gives
// it away: it reads one element of 2^22.
// at: --n 2^22
// caught by: timed run
// says: implausible:
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

const Register<ReduceSum> variant{{.idea = "broken: remembers results by address and first element", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
