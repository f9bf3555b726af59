// Formatting of numbers (SI prefixes, percentages, factors) and of untrusted text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crosswarp {

/// Three significant digits with an SI prefix: `4.13 µs`, `1.02 TB/s`; `-` for none.
std::string si(std::optional<double> value, std::string_view unit);

/// `97.3 %`; `-` for none.
std::string percent(std::optional<double> fraction);

/// Speedup: `1.05`, `0.00052`, `910,192`.
std::string times(double ratio);

/// `1.50`; as a difference `+1.50`.
std::string fixed(double value, int decimals, bool difference = false);

/// Wall time for people, rounded up: `12 s`, `9 min`, `1 h 20 min`.
std::string duration(double seconds);

/// Binary prefixes: `60 MiB`.
std::string binary_bytes(double bytes);

/// Untrusted text as one line, for terminals and pages: control characters become blanks; invalid UTF-8, bidirectional
/// controls and invisible characters become U+FFFD.
std::string printable(std::string_view text);

/// Text as a Markdown table cell, without markup or links.
std::string markdown_cell(std::string_view text);
/// The same as inline code.
std::string markdown_code(std::string_view text);

/// Terminal columns of a text: its code points.
std::size_t columns(std::string_view text);

/// Breaks a text at blanks into lines of at most `width` columns; a longer word behind one of `/_@,`, if it has one.
std::vector<std::string> wrap(std::string_view text, std::size_t width);
/// The same as one text, line by line. `indent`: blanks before each line but the first, of which `width` is the whole
/// width. A width of 0 has no limit.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace crosswarp
