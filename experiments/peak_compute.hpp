// Peak compute throughput by number type: chains of dependent multiply-adds in registers. Bound by the arithmetic
// units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// `chains` chains of `steps` steps x ← a·x + b. The check covers each end, to the bit. Chain c begins with
/// starts[c % 64].
///
/// f32, f64: a is just above -1, so that values neither grow nor converge (oscillating_factor). i32: modulo 2^32. f16x2
/// and bf16x2: two numbers in a word, in rounds (HalfPair). special: x ← b - 1/x, one reciprocal a step (Rotation); its
/// ends are within the error of good approximations.
///
/// Types tensor_…: a chain is a tile of rows × columns accumulators in float (int32, double). Step s of tile t adds
/// A[(t + s) % 4] · B. The operands are random small integers, never 0. The products nearly cancel over four steps, so
/// accumulators are exact, even with the 14 bits that a matrix unit keeps, and every step shows.
class PeakCompute {
 public:
  static constexpr std::string_view name = "peak_compute";
  static constexpr std::string_view summary = "chains of multiply-adds in registers: the peak of each number type";

  enum class Type {
    f32,
    f64,
    f16x2,
    bf16x2,
    i32,
    special,
    tensor_f16,
    tensor_bf16,
    tensor_tf32,
    tensor_fp8,
    tensor_int8,
    tensor_f64
  };
  static constexpr std::array<std::string_view, 12> type_names{
      "f32",        "f64",         "f16x2",       "bf16x2",     "i32",         "special",
      "tensor_f16", "tensor_bf16", "tensor_tf32", "tensor_fp8", "tensor_int8", "tensor_f64"};

  /// A step of a tile: rows × columns accumulators, `depth` products each.
  struct Tile {
    std::size_t rows, columns, depth;
    constexpr std::size_t accumulators() const { return rows * columns; }
  };
  static constexpr std::size_t start_count = 64;
  static constexpr std::size_t slabs = 4;                  ///< Matrices A.
  static constexpr std::size_t tensor_step_multiple = 16;  ///< Steps of tensor types are a multiple of it …
  static constexpr std::int64_t most_tensor_steps = 8192;  ///< … up to this many: fp8's accumulators fit 13 bits.
  static constexpr std::size_t half_step_multiple = 512;   ///< Steps of f16x2 and bf16x2 are a multiple of it.

  static constexpr bool is_tensor(Type type) { return type >= Type::tensor_f16; }
  static constexpr bool is_half(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

  /// A slab is 32 bytes deep, 128 for f64.
  static constexpr Tile tile(Type type) {
    switch (type) {
      case Type::tensor_f16:
      case Type::tensor_bf16:
        return {64, 256, 16};
      case Type::tensor_tf32:
        return {64, 256, 8};
      case Type::tensor_fp8:
      case Type::tensor_int8:
        return {64, 256, 32};
      default:
        return {64, 32, 16};
    }
  }

  struct Args {
    Type type;
    std::size_t chains;
    unsigned steps;
    double a, b;                           ///< Exact in `type`. i32: of period 2^32. special: only b.
    std::span<const std::byte> starts;     ///< 64 elements (f16x2, bf16x2: words).
    std::span<std::byte> ends;             ///< One element per chain; tensor: a row-major tile of accumulators.
    std::span<const std::byte> operand_a;  ///< tensor: [4][rows][depth].
    std::span<const std::byte> operand_b;  ///< tensor: [columns][depth]: each column contiguous.
    std::span<Elapsed> elapsed;            ///< One: the time of a block, for kernels with a clock. Optional.

    template <class T>
    const T* starts_as() const {
      return reinterpret_cast<const T*>(starts.data());
    }
    template <class T>
    T* ends_as() const {
      return reinterpret_cast<T*>(ends.data());
    }
  };

  static std::vector<Axis> axes();
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  /// A multiply-add is two operations, a special function one.
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static std::vector<CeilingPoint> ceilings();
  /// Operations per cycle of a multiprocessor, by type: of the best rung with a known clock.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  static Type type_of(const Point& point);
  static Point at(Type type, std::int64_t chains, std::int64_t steps);
  /// Steps of all chains: the limit of rungs that use a small part of a device.
  static double work(const Point& point);

  PeakCompute(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {ends_[set].bytes(), elapsed_[set].bytes()}; }
  Args args(std::size_t set) const;
  void poison();
  Verdict check(ResultIn) const;
  /// A block's cycles and clock rate, where its kernel wrote them and they are long beside the timer's microsecond.
  std::vector<Observation> observe() const;

 private:
  using Bytes = std::vector<std::byte>;

  /// Constants, starts and ends of chains 0 … 63, common to all sets: one `ends` for each valid rounding.
  struct Oracle;
  /// Inputs of a set and its results for each valid rounding: ends of chains 0 … 63 (tensor: of tiles 0 … 3). Later
  /// chains repeat them.
  struct Input {
    Bytes starts, a, b;
    std::vector<Bytes> ends;
  };

  static Oracle compute(Type type, std::size_t steps, std::uint64_t seed);
  static std::shared_ptr<const Oracle> oracle(Type type, std::size_t steps, std::uint64_t seed);
  std::shared_ptr<const Input> ordered(const Permutation& order) const;
  Input matrices(const RandomStream& random) const;
  std::shared_ptr<const Input> tiles(std::uint64_t seed, std::size_t set) const;
  std::shared_ptr<const Input> input(std::uint64_t generation, std::size_t set) const;
  double bound() const;
  double number(const std::byte* from, std::size_t i) const;
  double error(double is, double should_be) const;
  Verdict check(const Bytes& ends, const Input& input, std::size_t set) const;
  std::size_t elements() const { return is_tensor(type_) ? tile(type_).accumulators() : 1; }

  Device& device_;
  Type type_;
  std::size_t chains_, steps_;
  std::uint64_t seed_;
  std::shared_ptr<const Oracle> oracle_;
  std::vector<std::shared_ptr<const Input>> inputs_;
  std::vector<Buffer<std::byte>> starts_, ends_, a_, b_;
  std::vector<Buffer<Elapsed>> elapsed_;
};

extern template ExperimentEntry describe<PeakCompute>();

}  // namespace crosswarp
