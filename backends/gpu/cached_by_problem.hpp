// What a variant finds out once for each problem.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// What `make` returns for a problem of `E`, on a device with a tuning. Kept for the program's lifetime; what throws is
/// made again at the next call.
template <class E, class Value>
class CachedByProblem {
 public:
  using Args = typename E::Args;

  explicit CachedByProblem(Value (*make)(const Queue&, const Args&)) : make_(make) {}

  Value& operator()(const Queue& queue, const Args& args) {
    const Key key(queue.device.key, queue.tuning.values, args.key());
    const auto found = std::ranges::lower_bound(known_, key, {}, &Known::key);
    if (found != known_.end() && found->key == key) return *found->value;
    auto made = std::make_unique<Value>(make_(queue, args));
    return *known_.insert(found, {key, std::move(made)})->value;
  }

 private:
  using Key = std::tuple<std::string, decltype(Tuning::values), decltype(std::declval<Args>().key())>;
  struct Known {
    Key key;
    std::unique_ptr<Value> value;
  };
  Value (*make_)(const Queue&, const Args&);
  std::vector<Known> known_;  // in order; clang 15 cannot compile a std::map for HIP
};

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
