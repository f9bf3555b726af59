// What the products of matrices have in common: shapes, inputs, and bounds of their error. For the host alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment.hpp"
#include "core/random.hpp"
#include "core/reference.hpp"

namespace crosswarp {

/// C = A·B, where A is m × k, B is k × n and C is m × n.
struct ProductShape {
  std::size_t m = 0, n = 0, k = 0;
  auto operator<=>(const ProductShape&) const = default;
};

/// The shape on the axes m, n and k of a point.
ProductShape shape_of(const Point& point);

/// The axes m, n and k.
std::vector<Axis> shape_axes();

/// The squares of the notes, others that no tile divides, and shapes that are deep, flat or of one row.
std::vector<ProductShape> shapes_to_bench();

/// Ragged shapes: every dimension takes each of 1, 7, 31, 33, 63, 65, 127, 129 and 257, beside multiples of tiles and
/// empty matrices. First those that suit an emulation (300 kB), then some of several waves.
std::vector<ProductShape> shapes_to_test();

/// Whether a processor takes seconds for a product that a GPU does in well under a millisecond.
bool takes_a_processor_long(const ProductShape& shape);

/// What the problem needs: A and B read once, C written once, two operations for each of m·n·k products.
Cost product_cost(const ProductShape& shape, double bytes_in, double bytes_out, std::string_view ceiling);

/// Operations of a reference in double, which the check takes.
double product_check_cost(const ProductShape& shape);

/// Bytes of A, B and C with their guard bands.
std::size_t product_footprint(const ProductShape& shape, double bytes_in, double bytes_out);

/// Of sums in float of products of k pairs of inputs in (-1, 1), in any order that does not look at them; against a
/// reference that was itself rounded to float.
///
/// With u = 2^-24: a partial sum of i products of such numbers has deviation √i/3, and rounding it costs at most u of
/// it, in a direction of its own: after k steps the deviation of the error is k·u/7. Elements whose partial sums
/// strayed further have larger ones, so that tails are heavier than a normal distribution's: 28 deviations, 4·k·u, are
/// what not one of 10^11 elements exceeds. (That bound is safe at few products: up to 5 the worst case is below it.)
///
/// It is k/16 times less than the classic k·u·Σ|a||b|: at k = 257 one product left out, 1/4 on the average, shows in
/// all but one of 1500 elements, and operands rounded to the 11 bits of TF32 in all. A c has deviation √k/3 itself, so
/// that zero in its place is within the bound in about 10·u·√k of all elements: 4 in 100 000 at k = 4096.
ErrorBound bound_of_f32(std::size_t k);

/// Of 16-bit inputs whose products are summed by matrix units, which cut off what they cannot hold, all in one
/// direction: by up to 2u of the partial sum for each eight products, k·√k·u in all, beside what plain float costs.
/// C is written to `significant_bits`, 24 where it is of float.
///
/// Zero in the place of a c is within the bound in about 2.4·u·(k + 4√k) of all elements, whatever their type: 6 in
/// 10 000 at k = 4096, 12 in 10 000 at 8192. Rounding's share of the bound vanishes with c.
ErrorBound bound_of_16_bits(std::size_t k, int significant_bits);

/// Random inputs of full precision, `significant_bits` of them: odd multiples of 2^-bits in (-1, 1), never zero. (With
/// fewer bits sums would be exact; but a multiplier draws less power on them, and large products run into its limit.)
struct ProductInputs {
  Lattice a, b;
  bool b_transposed;  ///< B is stored n × k.

  ProductInputs(std::uint64_t seed, std::size_t set, int significant_bits, bool transposed);
};

/// What the references of C are made of: A's rows `first` … and all of B.
Gemm rows_of(const Gemm& gemm, std::size_t first, std::size_t count);

/// Fills both operands, on the device, with general numbers. Returns the reference of chosen rows of C.
RowReferences refill_general(Device& device, const Gemm& gemm, Distribution distribution, std::uint64_t seed);

/// `row 3, column 5` of a C with `columns`.
std::string element_name(std::size_t index, std::size_t columns);

/// As the notes of the ladder have it, the cuBLAS factor of each rung: its time over that of the fastest rung whose
/// name begins with `cublas`, at each point, and the mean over squares from 512 on.
std::vector<std::string> library_factors(const std::vector<Outcome>& outcomes);

}  // namespace crosswarp
