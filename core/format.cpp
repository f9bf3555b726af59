// SI prefixes are put on here and nowhere else.
#include "core/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace crosswarp {

std::string si(std::optional<double> value, std::string_view unit) {
  constexpr std::array<const char*, 9> prefixes{"p", "n", "µ", "m", "", "k", "M", "G", "T"};
  constexpr int zero = 4;  // the place of no prefix
  if (!value || !std::isfinite(*value)) return "-";
  if (*value == 0) return fmt::format("0 {}", unit);
  int thousands = std::clamp(static_cast<int>(std::floor(std::log10(std::abs(*value)) / 3)), -zero,
                             static_cast<int>(prefixes.size()) - 1 - zero);
  double scaled = *value / std::pow(1000.0, thousands);
  if (std::abs(scaled) >= 999.5 && thousands + zero + 1 < static_cast<int>(prefixes.size())) {  // would print as 1e+03
    scaled /= 1000;
    ++thousands;
  }
  const int decimals = std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, prefixes[static_cast<std::size_t>(thousands + zero)], unit);
}

std::string percent(std::optional<double> fraction) {
  return fraction && std::isfinite(*fraction) ? fmt::format("{:.1f} %", 100 * *fraction) : "-";
}

std::string times(double ratio) {
  return ratio > 0 && ratio < 0.095 ? fmt::format("{:.2g}", ratio) : fmt::format("{:.2f}", ratio);
}

std::string fixed(double value, int decimals, bool difference) {
  return difference ? fmt::format("{:+.{}f}", value, decimals) : fmt::format("{:.{}f}", value, decimals);
}

std::string binary_bytes(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace crosswarp
