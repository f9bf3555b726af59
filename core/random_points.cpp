// Log-uniform integers: an octave, then a fraction of it by rejection.
#include "core/random_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr std::uint64_t max_attempts = 4096;  // per draw
constexpr std::uint64_t max_axes = 64;

/// One of `count` alternatives.
std::size_t index(std::size_t count, std::uint64_t word) {
  return static_cast<std::size_t>((word >> 32) * count >> 32);
}

/// An axis with the values, or the range, to draw from.
struct Source {
  const Axis* axis;
  std::vector<Value> values;  ///< Empty: the range.

  Value draw(const RandomStream& random, bool is_half) const {
    if (!values.empty()) return values[index(values.size(), random.word(0))];
    const RandomRange& range = *axis->random;
    const std::int64_t step = is_half ? std::max(range.multiple, range.half_multiple) : range.multiple;
    return step * log_uniform((range.least + step - 1) / step, range.most / step, random);
  }
};

std::vector<Source> sources(const ExperimentEntry& experiment, const std::map<std::string, std::string>& given) {
  std::vector<Source> all;
  for (const Axis& axis : experiment.axes) {
    const auto asked = given.find(axis.name);
    const bool is_range = axis.random && !axis.is_word();
    if (asked != given.end() && is_range)
      throw Error(fmt::format("--{} {}: --random draws {} of {}; leave out one of the two", axis.name, asked->second,
                              axis.name, experiment.name));
    all.push_back({&axis, asked != given.end() ? parse_values(axis, asked->second)
                          : is_range           ? std::vector<Value>{}
                          : axis.random        ? axis.allowed
                                               : std::vector{axis.bench.front()}});
  }
  return all;
}

/// The factor of the half with multiples; 1 for a sample without halves.
std::int64_t half_multiple(const ExperimentEntry& experiment) {
  std::int64_t multiple = 1;
  for (const Axis& axis : experiment.axes)
    if (axis.random) multiple = std::max(multiple, axis.random->half_multiple);
  return multiple;
}

bool suits_axes(const ExperimentEntry& experiment, const Point& point) {
  return std::ranges::all_of(experiment.axes, [&](const Axis& axis) {
    return !axis.random || !axis.random->suits || axis.random->suits(point);
  });
}

}  // namespace

std::int64_t log_uniform(std::int64_t least, std::int64_t most, const RandomStream& random) {
  constexpr std::uint64_t one = std::uint64_t{1} << 62;
  const auto octave_of = [](std::int64_t x) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1;
  };
  const int first = octave_of(least);
  const auto octaves = static_cast<std::size_t>(octave_of(most)) - static_cast<std::size_t>(first) + 1;
  for (std::uint64_t i = 0;; i += 3) {
    const int octave = first + static_cast<int>(index(octaves, random.word(i)));
    const std::uint64_t x = one + (random.word(i + 1) >> 2);   // of [1, 2), in steps of 2^-62
    const std::uint64_t threshold = random.word(i + 2) >> 33;  // of [0, 1), in steps of 2^-31
    if ((x >> 31) * threshold >= one) continue;                // density 1 / x
    const auto value = static_cast<std::int64_t>(x >> (62 - octave));
    if (value >= least && value <= most) return value;
  }
}

bool has_random_axes(const ExperimentEntry& experiment) {
  return std::ranges::any_of(experiment.axes, [](const Axis& axis) { return axis.random.has_value(); });
}

std::vector<RandomPoint> random_points(const ExperimentEntry& experiment,
                                       const std::map<std::string, std::string>& given, const RandomSample& sample,
                                       const std::function<bool(const Point&)>& suits) {
  const std::vector<Source> all = sources(experiment, given);
  const std::int64_t multiple = half_multiple(experiment);
  std::vector<RandomPoint> points;
  std::set<Point> drawn;
  for (std::uint64_t draw = 0; draw < sample.count; ++draw) {
    const bool is_half = multiple > 1 && draw % 2 == 0;
    for (std::uint64_t attempt = 0; attempt < max_attempts; ++attempt) {
      Point point;
      for (std::uint64_t a = 0; const auto& source : all) {
        const RandomStream random(sample.seed, (draw * max_attempts + attempt) * max_axes + a++);
        const Value value = source.draw(random, is_half);
        point.set(source.axis->name, value, source.axis->implied == value);
      }
      if (drawn.contains(point) || !experiment.exists(point) || !suits_axes(experiment, point) || !suits(point) ||
          (sample.fits && !sample.fits(experiment, point)))
        continue;
      drawn.insert(point);
      points.push_back({std::move(point), is_half ? fmt::format("multiples of {}", multiple) : "any"});
      break;
    }
  }
  return points;
}

}  // namespace crosswarp
