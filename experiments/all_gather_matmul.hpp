// All-gather of A's rows, then GEMM: the product of a matrix that is spread over ranks. Bound by the matrix units where
// the rows arrive while others are multiplied, else by these and the link one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/half.hpp"
#include "core/ranks.hpp"
#include "core/reference_cache.hpp"
#include "experiments/matmul.hpp"

namespace crosswarp {

/// C = A·B in bfloat16, accumulated in float. Rank p of r has m/r rows of A, from row p·m/r on, and n/r columns of B,
/// from column p·n/r on. It computes these columns of C, m × n/r, for which it needs all of A. C = 0 for k = 0.
///
/// Inputs are random in (-1, 1), of another stream for each rank, exact in their type; their products are exact in
/// float. Every element of every rank's C is compared with a float64 reference within bound_of_16_bits(). The reference
/// is computed on the rank's device from streams of its own copy, never from a rank's A or B.
class AllGatherMatmul {
 public:
  static constexpr std::string_view name = "all_gather_matmul";
  static constexpr std::string_view summary =
      "GEMM over ranks: each has rows of A and columns of B, and computes these columns of C";

  /// What a rank's launch is given. Row-major without gaps, aligned to 256 bytes.
  struct Args {
    /// By rank, each in its rank's device memory: rows × k elements. Kernels of any rank may load all of them, while
    /// the owner's launch runs.
    std::array<std::span<const Bfloat16>, most_ranks> a;
    std::span<const Bfloat16> b;  ///< The own columns, transposed: columns × k elements.
    std::span<Bfloat16> c;        ///< ranks · rows × columns elements, poisoned.
    std::size_t rows;             ///< Of A, on each rank.
    std::size_t columns;          ///< Of B, on each rank.
    std::size_t k;
    std::size_t rank;  ///< The own one.
    std::size_t ranks;

    /// Elements of a rank's part of A.
    std::size_t part() const { return rows * k; }
    /// The rows of C that belong to the rows of A of `peer`.
    std::span<Bfloat16> c_of(std::size_t peer) const { return c.subspan(peer * rows * columns, rows * columns); }
  };

  static std::vector<Axis> axes();
  /// m and n are multiples of the number of ranks.
  static bool exists(const Point& point);
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  /// Operations of one rank; bytes that it has to send and to receive.
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static double check_cost(const Point& point) { return gemm_check_cost(shape_of(point)); }
  static std::size_t ranks(const Point& point) { return static_cast<std::size_t>(point.integer("ranks")); }
  /// The whole product's shape.
  static Point point(const GemmShape& shape, std::size_t ranks);

  AllGatherMatmul(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  AllGatherMatmul(const AllGatherMatmul&) = delete;
  AllGatherMatmul& operator=(const AllGatherMatmul&) = delete;

  Args args(std::size_t set, std::size_t rank) const;
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set, std::size_t rank) const { return {of_[rank].c[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  void pipeline(const std::function<void(std::size_t)>& launch);

 private:
  /// A rank's matrices, by set.
  struct OfRank {
    std::vector<Buffer<Bfloat16>> a, b, c;
    std::unique_ptr<ReferenceCache> references;
  };

  Elements elements_of_a(std::size_t set, std::size_t rank) const;
  Elements elements_of_b(std::size_t set, std::size_t rank) const;
  void write_inputs() const;
  /// Rows of the rank's C from `first_row` on.
  void make_reference(std::size_t set, std::size_t rank, std::size_t first_row, std::span<float> to) const;

  Device& device_;
  GemmShape shape_;  // of a rank's product: its m is that of all rows
  std::size_t sets_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<OfRank> of_;  // by rank
};

extern template ExperimentEntry describe<AllGatherMatmul>();

}  // namespace crosswarp
