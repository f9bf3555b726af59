// What is for the host alone; apart from the header, which kernels include.
#include "experiments/atomic_contention.hpp"

#include <map>

namespace crosswarp {

std::vector<std::string> AtomicContention::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::pair<std::string, std::string>, std::map<std::int64_t, double>> seconds;
  for (const Outcome& outcome : outcomes) {
    Point rest;
    for (const auto& c : outcome.point.coordinates())
      if (c.axis != "atomics") rest.set(c.axis, c.value);
    seconds[{outcome.rung, rest.name()}][outcome.point.integer("atomics")] = outcome.seconds;
  }
  std::vector<std::string> lines;
  for (const auto& [which, by_atomics] : seconds) {
    if (by_atomics.size() < 2) continue;
    const auto& [few, short_time] = *by_atomics.begin();
    const auto& [many, long_time] = *by_atomics.rbegin();
    const double each = (long_time - short_time) / static_cast<double>(many - few);
    lines.push_back(which.first + "/" + which.second + ": " + in_nanoseconds(each) + " for one more addition");
  }
  return lines;
}

template ExperimentEntry describe<AtomicContention>();

}  // namespace crosswarp
