// The nearest match by edit distance, for error messages.
#include "core/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace crosswarp {
namespace {

constexpr std::size_t most_listed = 10;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names) {
  if (names.empty()) return "unknown; there are none";
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edit_distance(typed, a) < edit_distance(typed, b);
  });
  const std::string all = fmt::format("there are: {}", fmt::join(names, ", "));
  if (edit_distance(typed, *nearest) > std::max(typed.size(), nearest->size()) / 2)
    return fmt::format("unknown; {}", all);
  if (names.size() > most_listed) return fmt::format("unknown; did you mean '{}'?", *nearest);
  return fmt::format("unknown; did you mean '{}'? ({})", *nearest, all);
}

}  // namespace crosswarp
