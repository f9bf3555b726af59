// Geometric means: a factor and its inverse cancel.
#include "bench/report/compare/ratios.hpp"

#include <fmt/format.h>

#include <cmath>

namespace crosswarp {

Ratio speedup(const Ratio& of_times) {
  return {1 / of_times.value, {1 / of_times.interval.high, 1 / of_times.interval.low}};
}

std::string precise(const Ratio& ratio) {
  if (std::isnan(ratio.interval.low)) return fmt::format("{:.3f} [?]", ratio.value);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.value, ratio.interval.low, ratio.interval.high);
}

TextTable geometric_means(const std::map<std::string, std::vector<double>>& ratios, const std::string& what) {
  TextTable table;
  table.row({"geometric mean", "of", what}, TextTable::Colour::faint);
  const auto add = [&](const std::string& group, const std::vector<double>& values) {
    table.row({group, std::to_string(values.size()), fmt::format("{:.3f}", geometric_mean(values))});
  };
  std::vector<double> all;
  for (const auto& [group, values] : ratios) {
    add(group, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  if (ratios.size() > 1) add("overall", all);
  return table;
}

}  // namespace crosswarp
