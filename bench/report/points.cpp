// Points for people: powers of two, sizes in bytes.
#include "bench/report/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "core/format.hpp"

namespace crosswarp {

std::string show_value(const Point::Coordinate& coordinate) {
  const auto* n = std::get_if<std::int64_t>(&coordinate.value);
  if (!n) return to_string(coordinate.value);
  if (coordinate.axis == "bytes") return binary_bytes(static_cast<double>(*n));
  const auto bits = static_cast<std::uint64_t>(*n);
  return *n >= 1024 && std::has_single_bit(bits) ? fmt::format("2^{}", std::countr_zero(bits)) : std::to_string(*n);
}

std::string short_point(const Point& point) {
  std::string text;
  for (const auto& c : point.coordinates())
    if (c.axis == "n" || c.value != Value(std::int64_t{0}))
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", c.axis, show_value(c));
  return text;
}

Point without_axis(const Point& point, const std::string& axis) {
  Point rest;
  for (const auto& c : point.coordinates())
    if (c.axis != axis) rest.set(c.axis, c.value, c.implied);
  return rest;
}

const Point::Coordinate* find_axis(const Point& point, const std::string& axis) {
  const auto found = std::ranges::find(point.coordinates(), axis, &Point::Coordinate::axis);
  return found == point.coordinates().end() ? nullptr : &*found;
}

std::string sweep_axis(const std::vector<const Point*>& points) {
  std::map<std::string, std::set<std::int64_t>> values;
  for (const Point* point : points)
    for (const auto& c : point->coordinates())
      if (const auto* value = std::get_if<std::int64_t>(&c.value); value && *value > 0) values[c.axis].insert(*value);
  const auto most = std::ranges::max_element(values, {}, [](const auto& axis) { return axis.second.size(); });
  return most == values.end() || most->second.size() < 2 ? "" : most->first;
}

}  // namespace crosswarp
