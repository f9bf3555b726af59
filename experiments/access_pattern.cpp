// What is for the host alone; apart from the header, which kernels include.
#include "experiments/access_pattern.hpp"

#include <map>
#include <tuple>

namespace crosswarp {

std::string AccessPattern::where_it_bends(const std::vector<Outcome>& outcomes) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::map<std::int64_t, double>> by_stride;
  for (const Outcome& o : outcomes)
    if (const std::string& pattern = o.point.word("pattern"); pattern == "coalesced" || pattern == "strided")
      by_stride[{o.rung, o.point.word("op"), o.point.integer("n")}][o.point.integer("stride")] = o.seconds;
  for (const auto& [of, seconds] : by_stride) {
    const auto& [rung, op, n] = of;
    if (op != "copy" || seconds.size() < 4) continue;
    for (const auto& [stride, time] : seconds) {
      const auto next = seconds.find(2 * stride);
      if (next != seconds.end() && next->second < 1.5 * time)
        return rung + ": the knee is at stride " + std::to_string(stride) + ", " + std::to_string(4 * stride) +
               " bytes apart; sectors of 32 bytes would have it at 8";
    }
  }
  return {};
}

Checksum AccessPattern::cached_checksum(std::size_t set) const {
  static std::map<std::tuple<AccessOp, bool, std::uint32_t, std::uint32_t, std::uint64_t, std::size_t, std::uint64_t>,
                  Checksum>
      known;
  const auto [place, is_new] = known.try_emplace({op_, is_random_, order_.stride, order_.offset, seed_, set, n_});
  if (is_new)
    place->second = op_ == AccessOp::scatter ? checksum(n_, moved(set), places(set)) : checksum(n_, moved(set));
  return place->second;
}

template ExperimentEntry describe<AccessPattern>();

}  // namespace crosswarp
