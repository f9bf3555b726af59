// Axes (named parameters of an experiment) and points (one value per axis).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
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
  std::string meaning;              ///< Phrase for --help, with the unit.
  std::vector<Value> bench;         ///< The default points of a benchmark run.
  std::vector<Value> allowed = {};  ///< All words; empty for integers.
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::optional<Value> implied = {};  ///< Value that names of points leave out.

  /// Selects default values that depend on other axes and on the device. Null for all. Called if the user does not name
  /// the axis.
  bool (*by_default)(const Point&, const DeviceInfo&) = nullptr;

  bool is_word() const { return !allowed.empty(); }
};

/// One value per axis of an experiment, in the order of the axes.
class Point {
 public:
  Point() = default;

  /// Appends a coordinate. `implied`: left out of the name.
  Point& set(std::string axis, Value value, bool implied = false);

  /// The coordinate on `axis`. Throws Error for an unknown axis or the other kind of value.
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

/// Parses a value: an integer is a product of decimals and powers with an optional offset (`4096`, `2^20`,
/// `1024*65535`, `2^20-1`), a word one that the axis allows. Throws Error, in one line, for other text, values out of
/// range, and overflow.
Value parse_value(const Axis& axis, std::string_view text);

/// Parses a comma-separated list of values and ranges `first:last[:step]`: step `x4` multiplies, `+100` adds (default
/// `x2`). A range includes `last` if the steps reach it, and has 4096 values or fewer.
std::vector<Value> parse_values(const Axis& axis, std::string_view text);

/// The point with the `given` coordinates, and the first bench value on all other axes.
Point point_with(const std::vector<Axis>& axes, const std::map<std::string, Value>& given);

/// All combinations of `values` (one list per axis), the last axis fastest.
std::vector<Point> product(const std::vector<Axis>& axes, const std::vector<std::vector<Value>>& values);

}  // namespace crosswarp
