// Points for people.
#pragma once

#include <string>
#include <vector>

#include "core/point.hpp"

namespace crosswarp {

/// `2^20`, `64 MiB` on the axis `bytes`, else decimal.
std::string show_value(const Point::Coordinate& coordinate);
/// `n = 2^20, type = f32`, without offsets of 0.
std::string short_point(const Point& point);
/// The point without one of its coordinates.
Point without_axis(const Point& point, const std::string& axis);
/// The coordinate on `axis`; null where there is none.
const Point::Coordinate* find_axis(const Point& point, const std::string& axis);
/// The axis of positive integers with most values; empty where no axis has several.
std::string sweep_axis(const std::vector<const Point*>& points);

}  // namespace crosswarp
