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

/// How `bench --random` draws an axis: integers log-uniformly from `least` to `most`; of words, all alike, whatever the
/// numbers are.
struct RandomRange {
  std::int64_t least = 1;  ///< 1 or more.
  std::int64_t most = 1;
  std::int64_t multiple = 1;  ///< All values are multiples of it.
  /// In every other draw, values are multiples of it: half of a sample for the path of whole vectors, half for the path
  /// of odd sizes. The same for all axes of an experiment that have one.
  std::int64_t half_multiple = 1;
  bool (*suits)(const Point&) = nullptr;  ///< Leaves out points, such as too much work. Null for none.
};

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

  std::optional<RandomRange> random = {};  ///< None: random points have the first bench value.

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
