// Text of verdicts. Not in the header, so that kernels compile without a formatting library.
#include "core/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace crosswarp {

std::string to_string(Quantity quantity) {
  return quantity == Quantity::bytes ? "bytes" : quantity == Quantity::flops ? "flops" : "accesses";
}

Quantity quantity(std::string_view text) {
  for (const Quantity q : {Quantity::bytes, Quantity::flops, Quantity::accesses})
    if (text == to_string(q)) return q;
  throw Error("unknown quantity of a rate: " + std::string(text));
}

std::string mismatch(std::string_view what, double is, double should_be) {
  return fmt::format("{} is {}, should be {}", what, is, should_be);
}

double most_check_cost(const DeviceInfo& device) {
  const bool is_gpu = device.warp_size > 1 && !device.emulated;
  return is_gpu ? 1e13 : 0x1p33;
}

std::string takes_too_long_to_check(const ExperimentEntry& experiment, const Point& point, const DeviceInfo& device) {
  const double most = most_check_cost(device), takes = experiment.check_cost(point);
  if (takes <= most) return {};
  constexpr std::int64_t steps = 1024;
  std::string smaller;
  for (std::int64_t part = steps - 1; part > 0 && smaller.empty(); --part) {
    Point scaled;
    for (const Point::Coordinate& c : point.coordinates()) {
      const auto* size = std::get_if<std::int64_t>(&c.value);
      const bool is_fixed = !size || *size < 2;
      scaled.set(c.axis,
                 is_fixed ? c.value : std::max<std::int64_t>(1, *size / steps * part + *size % steps * part / steps),
                 c.implied);
    }
    if (experiment.check_cost(scaled) <= most) smaller = "; " + scaled.name() + " is within it";
  }
  return fmt::format(
      "takes too long to check in full: a reference takes {:.2g} operations, the limit for {} is {:.2g}{}", takes,
      device.name, most, smaller);
}

bool is_default_size(const ExperimentEntry& experiment, const Point& point, const DeviceInfo& device) {
  return experiment.footprint(point) <= device.memory / default_share &&
         experiment.check_cost(point) <= most_check_cost(device);
}

}  // namespace crosswarp
