// Independent kernels, each too small for the device: one after the other, or side by side. Bound by the latency of
// dependent operations, times the kernels that do not overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// Kernel k sets out[i] = in[i] after `work` steps with its own constant, for the k-th of `kernels` equal ranges of
/// items.
///
/// A step is x ← x + (x² | constant) mod 2^32, Klimov's and Shamir's single-cycle permutation: steps do not compose to
/// fewer, and no two inputs end alike. Exact: integers, compared bit by bit. Inputs are drawn from 64 random words per
/// set, so that the oracle computes 64 outputs a kernel for any number of items.
class ConcurrentKernels {
 public:
  static constexpr std::string_view name = "concurrent_kernels";
  static constexpr std::string_view summary = "independent kernels, each too small for the device, side by side";

  /// A single cycle requires that bits 0 and 2 are set (Klimov and Shamir, CHES 2002).
  static constexpr std::uint32_t constant(unsigned kernel) { return kernel << 3 | 5; }
  static constexpr std::uint32_t step(std::uint32_t x, std::uint32_t constant) { return x + (x * x | constant); }
  static constexpr std::uint32_t chain(std::uint32_t x, std::uint32_t constant, unsigned work) {
    for (; work > 0; --work) x = step(x, constant);
    return x;
  }

  static constexpr unsigned most_kernels = 32;

  struct Args {
    std::span<const std::uint32_t> in;  ///< Device memory: kernels · items elements.
    std::span<std::uint32_t> out;       ///< Device memory, as many, poisoned.
    unsigned kernels;                   ///< 1 … most_kernels.
    unsigned work;                      ///< Steps of each item.

    std::size_t items() const { return in.size() / kernels; }
    std::span<const std::uint32_t> in_of(unsigned kernel) const { return in.subspan(kernel * items(), items()); }
    std::span<std::uint32_t> out_of(unsigned kernel) const { return out.subspan(kernel * items(), items()); }
  };

  static std::vector<Axis> axes();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  /// Per variant: the time of several kernels in times of one.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  ConcurrentKernels(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }
  Args args(std::size_t set) const { return {in_[set].span(), out_[set].span(), kernels_, work_}; }
  void poison();
  Verdict check(ResultIn) const;

 private:
  Device& device_;
  unsigned kernels_, work_;
  std::size_t items_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<std::uint32_t>> in_, out_;
};

extern template ExperimentEntry describe<ConcurrentKernels>();

}  // namespace crosswarp
