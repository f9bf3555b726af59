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

/// Columns of a text on a terminal; every code point of it takes one.
std::size_t columns(std::string_view text);

}  // namespace crosswarp
