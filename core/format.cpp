// Numbers become text here only.
#include "core/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace crosswarp {

std::string si(std::optional<double> value, std::string_view unit) {
  constexpr std::array<const char*, 9> prefixes{"p", "n", "µ", "m", "", "k", "M", "G", "T"};
  constexpr int zero = 4;  // index of the empty prefix
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
  const int prefix = thousands + zero;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, prefixes[static_cast<std::size_t>(prefix)], unit);
}

std::string percent(std::optional<double> fraction) {
  return fraction && std::isfinite(*fraction) ? fmt::format("{:.1f} %", 100 * *fraction) : "-";
}

std::string times(double ratio) {
  if (ratio > 0 && ratio < 0.095) return fmt::format("{:.2g}", ratio);
  if (!(ratio >= 99.995)) return fmt::format("{:.2f}", ratio);
  std::string digits = fmt::format("{:.0f}", ratio);
  if (!std::isfinite(ratio)) return digits;
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string fixed(double value, int decimals, bool difference) {
  return difference ? fmt::format("{:+.{}f}", value, decimals) : fmt::format("{:.{}f}", value, decimals);
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 100 * 60) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string binary_bytes(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

namespace {

/// Decodes the first UTF-8 character: returns its bytes, 0 if invalid, and sets its code point.
std::size_t decode(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  code = length == 1 ? first : first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || is_surrogate ? 0 : length;
}

/// Characters that turn, hide or join text without a glyph of their own: Unicode's format characters.
bool is_format(std::uint32_t code) {
  constexpr std::array<std::array<std::uint32_t, 2>, 9> ranges{{{0xad, 0xad},
                                                                {0x61c, 0x61c},
                                                                {0x180e, 0x180e},
                                                                {0x200b, 0x200f},
                                                                {0x202a, 0x202e},
                                                                {0x2060, 0x206f},
                                                                {0xfeff, 0xfeff},
                                                                {0xfff9, 0xfffb},
                                                                {0xe0000, 0xe007f}}};
  return std::ranges::any_of(ranges, [&](const auto& range) { return code >= range[0] && code <= range[1]; });
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr const char* replacement = "\ufffd";
  std::string line;
  while (!text.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = decode(text, code);
    const bool is_control = code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
    if (length == 0 || is_format(code))
      line += replacement;
    else if (is_control)
      line += ' ';
    else
      line += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : printable(text)) {
    const bool is_link = c == '(' && cell.ends_with(']');
    if (c == '|' || c == '<' || is_link) cell += '\\';
    cell += c;
  }
  return cell;
}

std::string markdown_code(std::string_view text) {
  std::string cell = "`";
  for (const char c : printable(text)) cell += c == '|' ? "\\|" : std::string(1, c == '`' ? '\'' : c);
  return cell + "`";
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    std::size_t end = std::min(text.find(' ', blanks), text.size());
    if (!lines.back().empty() && columns(lines.back()) + columns(text.substr(0, end)) > width) {
      lines.emplace_back();
      text.remove_prefix(blanks);
      end -= blanks;
    }
    if (end > width)
      if (const std::size_t joint = text.substr(0, width).find_last_of("/_@,"); joint != text.npos) end = joint + 1;
    lines.back() += text.substr(0, end);
    text.remove_prefix(end);
    if (!text.empty() && text.front() != ' ') lines.emplace_back();  // within a word
  }
  return lines;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t left = width ? width - std::min(width - 1, indent) : text.size();
  const std::string next = "\n" + std::string(indent, ' ');
  std::string all;
  for (bool more = true; more;) {
    const std::size_t end = text.find('\n');
    for (const std::string& line : wrap(text.substr(0, end), left)) all += (all.empty() ? "" : next) + line;
    more = end != text.npos;
    if (more) text.remove_prefix(end + 1);
  }
  return all;
}

}  // namespace crosswarp
