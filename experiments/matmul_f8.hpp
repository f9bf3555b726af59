// GEMM of 8-bit floats (FP8), accumulated by matrix units in few bits or promoted to float. Bound by the matrix units,
// and at large sizes by power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/reference_cache.hpp"
#include "experiments/matmul.hpp"

namespace crosswarp {

/// C = s·A·B, where A and B have rows along k: layout tn, the only one that Hopper's 8-bit matrix instructions and
/// cuBLASLt take. Axes: `type` of A, e4m3 or e5m2, while B is e4m3 (cuBLASLt multiplies no two of e5m2); `out`, C in
/// bf16 or float; `scale`, s = 1 (none) or the product of two factors in device memory, of A and of B (tensor);
/// `accumulation`, below. C = 0 for k = 0.
///
/// Hopper's 8-bit matrix instructions add in 14 bits: they align products and accumulator to the largest of them, and
/// drop what is more than 13 bits below its leading one. `fast` lets whole sums stay there. `promoted` adds to sums in
/// float after each 512 products or fewer.
///
/// Inputs are random in (-1, 1), exact in their type, and so many bits wide that sums are exact in the bits that the
/// accumulation keeps (MatmulF8::input_bits): any lost bit is an error, and so is a sum that should have been promoted.
/// Every element is compared with a float64 reference computed on the device, within MatmulF8::bound().
class MatmulF8 {
 public:
  static constexpr std::string_view name = "matmul_f8";
  static constexpr std::string_view summary =
      "GEMM: C = s·A·B of m x k and n x k matrices of 8-bit floats, accumulated in 14 bits or in float";

  /// Floats from A's factor to B's: both are at multiples of 16 bytes. Where one is not, cuBLASLt 13.0 finds no kernel.
  static constexpr std::size_t factor_pitch = 4;

  struct Args {
    // Device memory, row-major without gaps, aligned to 256 bytes.
    std::span<const std::uint8_t> a;  ///< m·k elements, E4m3 or E5m2.
    std::span<const std::uint8_t> b;  ///< n·k elements, E4m3: b[j·k + l] is that of row l and column j.
    std::span<std::byte> c;           ///< m·n elements, poisoned.
    std::span<const float> scales;    ///< A's factor, and `factor_pitch` further B's; empty for none.
    std::size_t m, n, k;
    bool e5m2;      ///< A is E5m2, else E4m3.
    bool f32_out;   ///< C is float, else bfloat16.
    bool promoted;  ///< Partial sums of at most max_in_14_bits products are added in float.

    /// C as elements of `T`: float if f32_out, else any 16-bit type.
    template <class T>
    T* c_as() const {
      return reinterpret_cast<T*>(c.data());
    }
    /// Equal for problems that differ in nothing but their arrays.
    auto key() const { return std::tuple(m, n, k, e5m2, f32_out, promoted, scales.empty()); }
  };

  /// Products of full-precision inputs whose sum is exact in 14 bits: see input_bits().
  static constexpr std::size_t max_in_14_bits = 512;

  /// Significant bits of the inputs.
  struct InputBits {
    int a, b;
  };
  /// Elements are odd multiples of 2^-bits in (-1, 1): sums of k products are multiples of 2^-(a + b), with deviation
  /// √k/3. Those within eight deviations are exact in 14 bits if 8·√k/3 ≤ 2^(14 - a - b), and in float's 24 likewise.
  /// With `promoted` the inputs have all bits of their types (4, or 3 of E5M2), whose sums are exact in 14 bits up to
  /// k = 576; `fast` takes fewer bits from there on, by turns of A and B: 3 and 3 for 4096 and 8192.
  static InputBits input_bits(std::size_t k, bool e5m2, bool promoted);
  /// Sums are exact. Rounds to `out`, and scaling rounds three times.
  static ErrorBound bound(const Args& args);

  static std::vector<Axis> axes();
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  /// `type`: e4m3, e5m2; `out`: bf16, f32; `scale`: none, tensor; `accumulation`: fast, promoted.
  static Point point(const GemmShape& shape, const std::string& type, const std::string& out, const std::string& scale,
                     const std::string& accumulation);
  static Point point(const Args& args);
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static double check_cost(const Point& point) { return gemm_check_cost(shape_of(point)); }
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes) { return speed_over_library(outcomes); }

  MatmulF8(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  MatmulF8(const MatmulF8&) = delete;
  MatmulF8& operator=(const MatmulF8&) = delete;

  Args args(std::size_t set) const {
    return {a_[set].span(), b_[set].span(), c_[set].span(), scales_[set].span(), shape_.m,
            shape_.n,       shape_.k,       is_e5m2_,       is_f32_out_,         is_promoted_};
  }
  void release();
  void allocate();
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {c_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  /// False for ill-conditioned sums: their 27 binades are out of the types' range.
  bool refill_general(Distribution distribution, std::uint64_t draw);
  Errors errors(ResultIn) const { return general_.errors(device_, result(0)); }

 private:
  void fill_inputs() const;
  void fill_scales(std::size_t set, std::uint64_t seed) const;
  /// The operands of a set, with the scale that fill_scales() wrote for `seed`.
  Gemm gemm(std::size_t set, std::uint64_t seed) const;
  TypedSpan typed_a(std::size_t set) const;
  TypedSpan result(std::size_t set) const;

  Device& device_;
  GemmShape shape_;
  bool is_e5m2_, is_f32_out_, is_scaled_, is_promoted_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<std::uint8_t>> a_, b_;
  std::vector<Buffer<std::byte>> c_;
  std::vector<Buffer<float>> scales_;
  ReferenceCache references_;
  RowReferences general_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<MatmulF8>();

}  // namespace crosswarp
