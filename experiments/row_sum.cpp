// What is for the host alone; apart from the header, which kernels include.
#include "experiments/row_sum.hpp"

#include <map>
#include <tuple>

namespace crosswarp {

std::vector<std::string> RowSum::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Outcome*>> shapes;
  for (const Outcome& o : outcomes) shapes[{o.point.integer("m"), o.point.integer("n")}].push_back(&o);
  std::vector<std::string> lines;
  const auto say = [&]<class... T>(const char* format, T... values) {
    char line[256];
    std::snprintf(line, sizeof line, format, values...);
    lines.emplace_back(line);
  };
  std::map<std::string, SharedUse> used;
  for (const auto& [shape, rows] : shapes) {
    const std::string at = std::to_string(shape.first) + " x " + std::to_string(shape.second);
    const Outcome& best = **std::ranges::min_element(rows, {}, &Outcome::seconds);
    say("%s: best is %s, %.4g us, %.4g GB/s", at.c_str(), best.rung.c_str(), best.seconds * 1e6,
        best.cost.amount() / best.seconds * 1e-9);
    std::map<std::string, std::map<int, double>> accumulators;  // by backend
    for (const Outcome* o : rows) {
      const auto [backend, variant, tuning] = parts(o->rung);
      if (variant == "ilp")
        accumulators[backend][tuning.empty() ? ilp_default : std::atoi(tuning.c_str() + 1)] = o->seconds;
      if (const SharedUse* use = shared_use(variant)) used.try_emplace(variant, *use);
      if (variant == "over_launched")
        if (const Outcome* fitting = find(rows, backend + "/row_sum/block_tree"))
          say("%s: %s with its empty blocks takes %.3g times block_tree's time", at.c_str(), o->rung.c_str(),
              o->seconds / fitting->seconds);
    }
    for (const auto& [backend, times] : accumulators) {
      if (times.size() < 2) continue;
      std::string line = at + ": " + backend + "/row_sum/ilp by accumulators:";
      for (const auto& [k, seconds] : times) {
        char entry[64];
        std::snprintf(entry, sizeof entry, " %d: %.4g us", k, seconds * 1e6);
        line += (k == times.begin()->first ? "" : ",") + std::string(entry);
      }
      lines.push_back(line);
    }
  }
  if (!used.empty()) {
    lines.push_back(
        "a row of n takes 4n bytes from memory, 4 to it, n - 1 additions; in shared memory, words read / written:");
    for (const auto& [rung, use] : used) say("  %s: %.0f / %.0f", rung.c_str(), use.reads, use.writes);
  }
  return lines;
}

RowSum::Sums RowSum::cached_sums(const Lattice& elements, std::uint64_t seed, std::size_t set, std::size_t m,
                                 std::size_t n) {
  static std::map<std::tuple<std::uint64_t, std::size_t, std::size_t, std::size_t>, Sums> sums;
  static std::size_t held = 0;
  constexpr std::size_t most_held = std::size_t{1} << 26;
  if (const auto known = sums.find({seed, set, m, n}); known != sums.end()) return known->second;
  if (held + m > most_held) {
    sums.clear();
    held = 0;
  }
  held += m;
  return sums[{seed, set, m, n}] = std::make_shared<const std::vector<float>>(exact_sums(elements, m, n));
}

template ExperimentEntry describe<RowSum>();

}  // namespace crosswarp
