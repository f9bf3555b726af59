// Common to the matrix products: shapes, costs, inputs, error bounds and findings. Host only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment.hpp"
#include "core/finding.hpp"
#include "core/random.hpp"
#include "core/reference.hpp"

namespace crosswarp {

/// C = A·B, where A is m × k, B is k × n and C is m × n.
struct GemmShape {
  std::size_t m = 0, n = 0, k = 0;
  auto operator<=>(const GemmShape&) const = default;
};

/// The shape on the axes m, n and k of a point.
GemmShape shape_of(const Point& point);

/// The axes m, n and k.
std::vector<Axis> shape_axes();

/// Squares, some not multiples of any tile, and shapes that are deep, flat or a single row.
std::vector<GemmShape> bench_shapes();

/// Ragged shapes: every dimension takes each of 1, 7, 31, 33, 63, 65, 127, 129 and 257; multiples of tiles; empty
/// matrices. Small ones first, which suit the emulation (300 kB), then some of several waves of blocks.
std::vector<GemmShape> test_shapes();

/// Whether a host takes seconds for a product that takes a GPU less than a millisecond.
bool is_slow_on_host(const GemmShape& shape);

/// Whether a kernel with a thread for each element of C, whose lanes read different rows along k, takes less than a
/// second: 4096³ multiply-adds take 0.3 s on an H200, 8192³ 2.2 s, of which a verified row needs fifteen or so.
bool is_short_for_strided_lanes(const GemmShape& shape);

/// A and B read once, C written once, two operations for each of m·n·k multiply-adds.
Cost gemm_cost(const GemmShape& shape, double bytes_in, double bytes_out, std::string_view ceiling);

/// Operations of the float64 reference that check() computes.
double gemm_check_cost(const GemmShape& shape);

/// Bytes of A, B and C, guard bands included.
std::size_t gemm_footprint(const GemmShape& shape, double bytes_in, double bytes_out);

/// Error bound of float accumulation over k pairs of random inputs in (-1, 1), in any order that does not depend on
/// their values; against a reference rounded to float.
///
/// With u = 2^-24: a partial sum of i products has standard deviation √i/3, and rounding it costs at most u of it, in a
/// random direction: after k steps the error's deviation is k·u/7. Elements whose partial sums strayed further have
/// larger errors, so tails are heavier than normal: not one of 10^11 elements exceeds 28 deviations, 4·k·u. (Up to k =
/// 5 the worst case is below that bound.)
///
/// It is k/16 times tighter than the classic k·u·Σ|a||b|. At k = 257 one missing product, 1/4 on average, shows in all
/// but one of 1500 elements, and operands rounded to TF32's 11 bits in all. An element has deviation √k/3 itself: zero
/// in its place is within the bound in about 10·u·√k of all elements, 4 in 100 000 at k = 4096.
ErrorBound bound_of_f32(std::size_t k);

/// Error bound of 16-bit inputs accumulated in float by matrix units. These truncate, always in one direction: by up to
/// 2u of the partial sum for each eight products, k·√k·u in all, beside the error of plain float. C is rounded to
/// `significant_bits`, 24 for float.
///
/// Zero in an element's place is within the bound in about 2.4·u·(k + 4√k) of all elements, whatever the type: 6 in
/// 10 000 at k = 4096, 12 in 10 000 at 8192. The rounding's share of the bound vanishes with the element.
ErrorBound bound_of_16_bits(std::size_t k, int significant_bits);

/// Random inputs of full precision: odd multiples of 2^-significant_bits in (-1, 1), never zero. (Fewer bits would make
/// sums exact; but multipliers draw less power on them, and power limits large products.)
struct GemmInputs {
  Lattice a, b;
  bool b_transposed;  ///< B is stored n × k.

  GemmInputs(std::uint64_t seed, std::size_t set, int significant_bits, bool transposed);
};

/// The product of `count` rows of A, from `first` on, and all of B.
Gemm rows_of(const Gemm& gemm, std::size_t first, std::size_t count);

/// Fills A and B on the device with general numbers. Returns the reference of a sample of C's rows.
RowReferences refill_general(Device& device, const Gemm& gemm, Distribution distribution, std::uint64_t seed);

/// `row 3, column 5` of a C with `columns`.
std::string element_name(std::size_t index, std::size_t columns);

/// For each rung and each combination of layout and types, its speed relative to the library's fastest row at each
/// point, and the geometric mean over squares from 512 on. Above 1 is faster than the library.
std::vector<Finding> speed_over_library(const std::vector<Outcome>& outcomes);

}  // namespace crosswarp
