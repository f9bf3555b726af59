// What follows from several results of an experiment: a record of numbers with their units, which becomes a sentence
// only where it is printed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace crosswarp {

struct Finding {
  /// A name, or a number with its unit.
  struct Value {
    std::string name;
    std::variant<double, std::string> value;
    /// How the number prints: `s`, `Hz` and units a second with an SI prefix, `B` with a binary one, `%` a share of 1,
    /// `×` a factor; any other unit stands behind the number.
    std::string unit = {};

    Value(std::string called, std::string word) : name(std::move(called)), value(std::move(word)) {}
    template <class Number>
    requires std::is_arithmetic_v<Number> Value(std::string called, Number number, std::string in = {})
        : name(std::move(called)), value(static_cast<double>(number)), unit(std::move(in)) {}
  };
  using Values = std::vector<Value>;

  std::string kind;  ///< What it says, for programs: `latency_level`.
  /// What it says, for people. `{name}` stands for a value with its unit, `{name:.2f}` for a bare number in fmt's
  /// format, `{series}` for the series.
  std::string text;
  Values values = {};
  std::string each = {};            ///< The text of one element of the series; they are joined by commas.
  std::vector<Values> series = {};  ///< A curve, say: the values of each of its points.

  /// The number of that name. Nothing where it has none.
  std::optional<double> number(std::string_view name) const;
  /// The name or word of that name; empty where it has none.
  std::string word(std::string_view name) const;
};

/// A finding without numbers.
Finding sentence(std::string text);

/// The sentence. Throws Error where the text names a value that is not there.
std::string to_string(const Finding& finding);

}  // namespace crosswarp
