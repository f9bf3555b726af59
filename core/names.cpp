// Nearest match by edit distance.
#include "core/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace crosswarp {
namespace {

constexpr std::size_t max_listed = 32, nearest_listed = 5;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Damerau-Levenshtein distance, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1])), d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& given, std::string_view problem) {
  if (given.empty()) return fmt::format("{}; there are none", problem);
  std::vector<std::string> names;  // several backends may have a variant of a name
  for (const std::string& name : given)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::vector<std::string> by_distance = names;
  std::ranges::stable_sort(by_distance, {}, [&](const std::string& name) { return edit_distance(typed, name); });
  const std::string& nearest = by_distance.front();
  const bool is_far = edit_distance(typed, nearest) > std::max(typed.size(), nearest.size()) / 2;
  if (names.size() > max_listed) {
    by_distance.resize(nearest_listed);
    return is_far ? fmt::format("{}; the nearest of {}: {}", problem, names.size(), fmt::join(by_distance, ", "))
                  : fmt::format("{}; did you mean '{}'?", problem, by_distance.front());
  }
  const std::string all = fmt::format("there are: {}", fmt::join(names, ", "));
  return is_far ? fmt::format("{}; {}", problem, all)
                : fmt::format("{}; did you mean '{}'? ({})", problem, nearest, all);
}

}  // namespace crosswarp
