// Parser of axis values such as `2^20:2^30:x4`.
#include "core/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/error.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t max_values_in_range = 4096;

[[noreturn]] void reject(const Axis& axis, std::string_view text, std::string_view why) {
  std::string message = fmt::format("--{} {}: {}", axis.name, text, why);
  std::replace_if(
      message.begin(), message.end(), [](unsigned char c) { return std::iscntrl(c); }, ' ');
  throw Error(message);  // one line
}

std::int64_t checked_multiply(const Axis& axis, std::string_view text, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) reject(axis, text, "does not fit in 64 bits");
  return product;
}

std::int64_t parse_decimal(const Axis& axis, std::string_view text, std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) reject(axis, text, "does not fit in 64 bits");
  if (error != std::errc() || end != digits.data() + digits.size() || digits.front() == '-')
    reject(axis, text, "not a number; write 4096, 2^20, 1024*65535 or 2^20-1");
  return value;
}

std::int64_t parse_power(const Axis& axis, std::string_view text, std::string_view factor) {
  const auto caret = factor.find('^');
  if (caret == std::string_view::npos) return parse_decimal(axis, text, factor);
  const std::int64_t base = parse_decimal(axis, text, factor.substr(0, caret));
  const std::int64_t exponent = parse_decimal(axis, text, factor.substr(caret + 1));
  if (exponent > 62 && base > 1) reject(axis, text, "does not fit in 64 bits");
  std::int64_t value = 1;
  for (std::int64_t i = 0; i < exponent && base > 1; ++i) value = checked_multiply(axis, text, value, base);
  return base > 1 || exponent == 0 ? value : base;
}

std::int64_t parse_product(const Axis& axis, std::string_view text, std::string_view product) {
  std::int64_t value = 1;
  for (;;) {
    const auto star = product.find('*');
    value = checked_multiply(axis, text, value, parse_power(axis, text, product.substr(0, star)));
    if (star == std::string_view::npos) return value;
    product.remove_prefix(star + 1);
  }
}

std::int64_t parse_integer(const Axis& axis, std::string_view text, std::string_view sum) {
  const auto sign = sum.find_first_of("+-");
  std::int64_t value = parse_product(axis, text, sum.substr(0, sign));
  if (sign != std::string_view::npos) {
    const std::int64_t offset = parse_product(axis, text, sum.substr(sign + 1));
    if (__builtin_add_overflow(value, sum[sign] == '-' ? -offset : offset, &value))
      reject(axis, text, "does not fit in 64 bits");
  }
  if (value < axis.least || value > axis.most)
    reject(axis, text, fmt::format("{} is outside {} … {}", value, axis.least, axis.most));
  return value;
}

std::vector<Value> parse_range(const Axis& axis, std::string_view text, std::size_t first_colon) {
  const auto second_colon = text.find(':', first_colon + 1);
  const std::int64_t first = parse_integer(axis, text, text.substr(0, first_colon));
  const std::int64_t last = parse_integer(axis, text, text.substr(first_colon + 1, second_colon - first_colon - 1));
  const std::string_view step = second_colon == std::string_view::npos ? "x2" : text.substr(second_colon + 1);
  if (step.size() < 2 || (step[0] != 'x' && step[0] != '+'))
    reject(axis, text, "the step of a range is x2 (multiply) or +100 (add)");
  const bool multiplies = step[0] == 'x';
  const std::int64_t by = parse_product(axis, text, step.substr(1));
  if (by < (multiplies ? 2 : 1) || (multiplies && first < 1)) reject(axis, text, "this range never ends");
  if (last < first) reject(axis, text, "the range ends before it starts");
  std::vector<Value> values;
  for (std::int64_t value = first; value <= last;) {
    values.emplace_back(value);
    if (values.size() > max_values_in_range)
      reject(axis, text, fmt::format("more than {} values", max_values_in_range));
    if (multiplies ? __builtin_mul_overflow(value, by, &value) : __builtin_add_overflow(value, by, &value)) break;
  }
  return values;
}

}  // namespace

std::string to_string(const Value& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

Point& Point::set(std::string axis, Value value, bool implied) {
  coordinates_.push_back({std::move(axis), std::move(value), implied});
  return *this;
}

const Point::Coordinate& Point::at(std::string_view axis) const {
  for (const auto& c : coordinates_)
    if (c.axis == axis) return c;
  throw Error(fmt::format("point {} has no axis '{}'", name(), axis));
}

std::int64_t Point::integer(std::string_view axis) const {
  const Coordinate& c = at(axis);
  if (const auto* v = std::get_if<std::int64_t>(&c.value)) return *v;
  throw Error(fmt::format("axis '{}' of point {} is not an integer", axis, name()));
}

const std::string& Point::word(std::string_view axis) const {
  const Coordinate& c = at(axis);
  if (const auto* v = std::get_if<std::string>(&c.value)) return *v;
  throw Error(fmt::format("axis '{}' of point {} is not a word", axis, name()));
}

std::string Point::name() const {
  std::string name;
  for (const auto& c : coordinates_)
    if (!c.implied) name += fmt::format("{}{}:{}", name.empty() ? "" : "/", c.axis, to_string(c.value));
  return name;
}

Value parse_value(const Axis& axis, std::string_view text) {
  if (text.empty()) reject(axis, "''", "a value is missing");
  if (!axis.is_word()) return parse_integer(axis, text, text);
  std::vector<std::string> names;
  for (const Value& v : axis.allowed) names.push_back(to_string(v));
  if (std::find(names.begin(), names.end(), text) == names.end()) reject(axis, text, did_you_mean(text, names));
  return std::string(text);
}

std::vector<Value> parse_values(const Axis& axis, std::string_view text) {
  std::vector<Value> values;
  for (;;) {
    const auto comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const auto colon = axis.is_word() ? std::string_view::npos : item.find(':');
    if (colon == std::string_view::npos) {
      values.push_back(parse_value(axis, item));
    } else {
      const auto range = parse_range(axis, item, colon);
      values.insert(values.end(), range.begin(), range.end());
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<Point> product(const std::vector<Axis>& axes, const std::vector<std::vector<Value>>& values) {
  std::vector<Point> points(1);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    std::vector<Point> longer;
    for (const Point& point : points)
      for (const Value& value : values[a])
        longer.push_back(Point(point).set(axes[a].name, value, axes[a].implied == value));
    points = std::move(longer);
  }
  return points;
}

Point point_with(const std::vector<Axis>& axes, const std::map<std::string, Value>& given) {
  Point point;
  for (const Axis& axis : axes) {
    const auto found = given.find(axis.name);
    const Value& value = found == given.end() ? axis.bench.front() : found->second;
    point.set(axis.name, value, axis.implied == value);
  }
  return point;
}

}  // namespace crosswarp
