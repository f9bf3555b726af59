// What a variant finds out once for each problem.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

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
    const auto found = known_.find(key);
    return found != known_.end() ? found->second : known_.emplace(key, make_(queue, args)).first->second;
  }

 private:
  using Key = std::tuple<std::string, decltype(Tuning::values), decltype(std::declval<Args>().key())>;
  Value (*make_)(const Queue&, const Args&);
  std::map<Key, Value> known_;
};

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
