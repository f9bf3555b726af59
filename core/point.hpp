// Axes and points: the named parameters of an experiment, and one assignment of them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace crosswarp {

/// An integer, or a word such as `f32`.
using Value = std::variant<std::int64_t, std::string>;

std::string to_string(const Value& value);

class Point;
struct DeviceInfo;

/// One parameter of an experiment.
struct Axis {
  std::string name;
  std::string meaning;              ///< One phrase for help texts, with the unit.
  std::vector<Value> bench;         ///< The default points of a benchmark run.
  std::vector<Value> allowed = {};  ///< For words: all that exist. Empty for integers.
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::optional<Value> implied = {};  ///< The value that goes without saying: a point with it does not name the axis.

  /// Where default values depend on the other axes and on the device: whether this axis's value goes with them. It is
  /// asked where the axis was not named.
  bool (*by_default)(const Point&, const DeviceInfo&) = nullptr;

  bool is_word() const { return !allowed.empty(); }
};

/// One value on each axis of an experiment, in the order of the axes.
class Point {
 public:
  Point() = default;

  /// Appends a coordinate. `implied`: whether it is left out of the name.
  Point& set(std::string axis, Value value, bool implied = false);

  /// The coordinate on `axis`. Throws Error where there is none or where it is of the other kind.
  std::int64_t integer(std::string_view axis) const;
  const std::string& word(std::string_view axis) const;

  /// `n:1024/type:f32`.
  std::string name() const;

  struct Coordinate {
    std::string axis;
    Value value;
    bool implied;
    auto operator<=>(const Coordinate&) const = default;
  };
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  auto operator<=>(const Point&) const = default;

 private:
  const Coordinate& at(std::string_view axis) const;
  std::vector<Coordinate> coordinates_;
};

/// The value on `axis` written as `text`: an integer is a product of decimals and powers with an optional offset
/// (`4096`, `2^20`, `1024*65535`, `2^20-1`), a word is one that the axis allows.
/// Throws Error, in one line, where `text` is not that, is out of the axis's range, or overflows.
Value parse_value(const Axis& axis, std::string_view text);

/// A comma-separated list of values and ranges `first:last[:step]`, where a step `x4` multiplies and `+100` adds
/// (default `x2`). A range has both ends if the step hits the last one, and at most 4096 values.
std::vector<Value> parse_values(const Axis& axis, std::string_view text);

/// Every combination of `values` (one list for each axis), the last axis fastest.
std::vector<Point> product(const std::vector<Axis>& axes, const std::vector<std::vector<Value>>& values);

}  // namespace crosswarp
