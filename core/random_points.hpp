// Random points of an experiment: axes drawn log-uniformly, the same from one seed on every platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// A request for random points.
struct RandomSample {
  std::size_t count = 0;
  std::uint64_t seed = 1;
  /// Leaves out points that a device cannot take. Null for none.
  std::function<bool(const ExperimentEntry&, const Point&)> fits = nullptr;
};

struct RandomPoint {
  Point point;
  std::string half;  ///< Cell::half
};

/// An integer from `least` to `most`, where x has the probability log((x + 1) / x) up to a factor. In integers alone:
/// no library's logarithm, no std::distribution, whose numbers differ between platforms. Requires 1 ≤ least ≤ most <
/// 2^62; takes long where `least` and `most` are a tiny part of an octave.
std::int64_t log_uniform(std::int64_t least, std::int64_t most, const RandomStream& random);

/// Whether `bench --random` has an axis to draw.
bool has_random_axes(const ExperimentEntry& experiment);

/// Distinct points: random axes are drawn, other axes have their first bench value. `given`: values by axis as typed,
/// for words and for axes that are not drawn; one of them is drawn, all alike. Fewer than sample.count where not enough
/// points exist and satisfy `suits` and sample.fits. Draw i does not depend on the count; points that are left out are
/// drawn again. Throws Error for values of an axis of integers that is drawn.
std::vector<RandomPoint> random_points(const ExperimentEntry& experiment,
                                       const std::map<std::string, std::string>& given, const RandomSample& sample,
                                       const std::function<bool(const Point&)>& suits);

}  // namespace crosswarp
