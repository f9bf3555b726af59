// Loads and stores of single floats in strided, shifted and random order. Bound by the 32-byte sectors that a warp
// touches: the further apart its lanes, the fewer bytes of each it uses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/checksum.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

enum class AccessOp { gather, scatter, copy };

/// The element that access i touches, for i < n: a bijection, so that no two threads meet in one element.
///
/// Strided, the elements form a matrix of n / stride rows by `stride` columns, and a tail. Accesses go down its
/// columns: neighbours are `stride` apart. The tail is in order. Random orders come from a table instead.
struct AccessOrder {
  std::uint32_t n, stride, offset, rows;

  constexpr AccessOrder(std::uint32_t n, std::uint32_t stride, std::uint32_t offset)
      : n(n), stride(stride), offset(n > 0 ? offset % n : 0), rows(n / stride) {}

  /// The element in a row and column of the matrix. Requires column < stride.
  constexpr std::uint32_t in_matrix(std::uint32_t row, std::uint32_t column) const { return row * stride + column; }

  /// The first access of the tail.
  constexpr std::uint32_t tail() const { return rows * stride; }

  /// The element `offset` behind i, modulo n; for stride 1. Exact for n up to 2^31.
  constexpr std::uint32_t shifted(std::uint32_t i) const { return i + offset < n ? i + offset : i + offset - n; }

  /// The element of access i. Takes a division where there is a stride.
  constexpr std::uint32_t operator()(std::uint32_t i) const {
    if (stride == 1) return shifted(i);
    return i < tail() ? in_matrix(i % rows, i / rows) : i;
  }
};

/// By `op`, for all i < n, with p the pattern's order:
///
///     gather  out[i] = in[p(i)]      scatter  out[p(i)] = in[i]      copy  out[p(i)] = in[p(i)]
///
/// `coalesced`: p(i) = i. `strided`: AccessOrder's matrix. `offset`: p(i) = i + offset modulo n. `random`: p is a table
/// of 32-bit indices, counted among the bytes. Exact: elements are moved unchanged.
class AccessPattern {
 public:
  static constexpr std::string_view name = "access_pattern";
  static constexpr std::string_view summary = "what strides, offsets and random orders cost";

  struct Args {
    AccessOp op;
    AccessOrder order;
    std::span<const std::uint32_t> index;  ///< p of a random order; else empty.
    std::span<const float> in;             ///< Device memory, like all; aligned to 256 bytes.
    std::span<float> out;                  ///< Poisoned.
  };

  static std::vector<Axis> axes();
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static std::vector<Expectation> expectations(const Point& point);
  /// Per variant and point: the slowdown against the coalesced pattern, beside sector_model(); and the stride at the
  /// curve's knee.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);
  /// Sectors moved, relative to the coalesced pattern. From stride 8 on every float takes a sector of its own. A random
  /// order also reads its indices.
  static double sector_model(const Point& point);

  AccessPattern(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }
  Args args(std::size_t set) const;
  void poison();
  Verdict check(ResultIn) const;

 private:
  Lattice elements(std::size_t set) const { return {RandomStream(seed_, set), 20}; }
  Permutation permutation(std::size_t set) const { return {seed_, (std::uint64_t{1} << 32) + set, n_}; }
  Words order(std::size_t set) const;
  Words moved(std::size_t set) const;
  Words expected(std::size_t set) const;
  Checksum cached_checksum(std::size_t set) const;

  Device& device_;
  std::uint64_t n_, run_seed_, seed_;  // seed_: of the generation
  bool is_random_;
  AccessOp op_;
  AccessOrder order_;
  std::vector<Buffer<float>> in_, out_;
  std::vector<Buffer<std::uint32_t>> index_;
  mutable std::vector<std::vector<std::uint32_t>> scattered_;  // expected outputs of scatters, computed on demand
};

extern template ExperimentEntry describe<AccessPattern>();

}  // namespace crosswarp
