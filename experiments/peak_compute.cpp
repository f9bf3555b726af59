// What is for the host alone; apart from the header, which kernels include.
#include "experiments/peak_compute.hpp"

#include <map>
#include <tuple>

namespace crosswarp {

std::shared_ptr<const PeakCompute::Oracle> PeakCompute::oracle(Type type, std::size_t steps, std::uint64_t seed) {
  static std::map<std::tuple<Type, std::size_t, std::uint64_t>, std::shared_ptr<const Oracle>> known;
  auto& found = known[{type, steps, seed}];
  if (!found) found = std::make_shared<const Oracle>(compute(type, steps, seed));
  return found;
}

std::shared_ptr<const PeakCompute::Input> PeakCompute::tiles(std::uint64_t seed, std::size_t set) const {
  static std::map<std::tuple<Type, std::size_t, std::uint64_t, std::size_t>, std::shared_ptr<const Input>> known;
  auto& found = known[{type_, steps_, seed, set}];
  if (!found) found = std::make_shared<const Input>(matrices(RandomStream(seed, set)));
  return found;
}

template ExperimentEntry describe<PeakCompute>();

}  // namespace crosswarp
