// Numbers for people: SI prefixes, percentages, factors.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace crosswarp {

/// Three significant digits with an SI prefix: `4.13 µs`, `1.02 TB/s`; `-` for nothing.
std::string si(std::optional<double> value, std::string_view unit);

/// `97.3 %`; `-` for nothing.
std::string percent(std::optional<double> fraction);

/// How many times as fast: `1.05`, `0.00052`.
std::string times(double ratio);

/// `1.50`, or `+1.50` where it is to show that it is a difference.
std::string fixed(double value, int decimals, bool difference = false);

/// Binary multiples, for memory sizes: `60 MiB`.
std::string binary_bytes(double bytes);

/// A text of a file or a user as one line for a terminal: control characters, which may be a terminal's commands,
/// become blanks, bytes that are not UTF-8 and characters that turn the direction of writing U+FFFD.
std::string printable(std::string_view text);

/// A text as a cell of a Markdown table: no markup, no link.
std::string markdown_cell(std::string_view text);
/// The same in the font of code.
std::string markdown_code(std::string_view text);

/// Columns of a text on a terminal; every code point of it takes one.
std::size_t columns(std::string_view text);

}  // namespace crosswarp
