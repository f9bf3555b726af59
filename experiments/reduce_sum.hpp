// The sum of n numbers, or their minimum or maximum. Bound by reading them once: one operation per element.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/half.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// out[0] = in[0] + … + in[n-1], in any order; 0 for n = 0. With `op` min or max, the minimum or maximum.
///
/// Inputs of sums are lattice numbers (core/random.hpp). Their sums are exact in any order that does not depend on
/// their values: in float (f32, and f16, which accumulates in float), in double, in 32-bit integers without overflow.
/// So the oracle is exact and the bound is 0 at every n: a variant that drops, repeats or misreads one element is
/// wrong, even among 2^31.
///
/// Inputs of min are all positive, those of max all negative. One element is nearer to 0 than all others: the last of
/// one set, the first of another. So dropping it is wrong, and so is a stray 0.
class ReduceSum {
 public:
  static constexpr std::string_view name = "reduce_sum";
  static constexpr std::string_view summary = "the sum of n numbers";

  enum class Operation { sum, min, max };

  /// The accumulator and result of elements of T.
  template <class T>
  using Result = std::conditional_t<std::same_as<T, Half>, float, T>;

  /// The arguments for elements of one type.
  template <class T>
  struct Typed {
    std::span<const T> in;     ///< Device memory. Aligned to an element only.
    std::span<Result<T>> out;  ///< Device memory, one element, poisoned: not to be read before it is written.
    Result<T>* host_out;       ///< Host memory: for variants that return their result there (ResultIn::host).
  };

  struct Args {
    std::variant<Typed<float>, Typed<double>, Typed<std::int32_t>, Typed<Half>> typed;
    Operation operation = Operation::sum;

    /// Elements.
    std::size_t size() const {
      return std::visit([](const auto& a) { return a.in.size(); }, typed);
    }
    /// For variants that apply to is_f32_sum points alone.
    const Typed<float>& f32() const { return std::get<Typed<float>>(typed); }
  };

  // For Variant::applies.
  static bool is_sum(const Point& point) { return point.word("op") == "sum"; }
  static bool is_f32(const Point& point) { return point.word("type") == "f32"; }
  static bool is_f32_sum(const Point& point) { return is_f32(point) && is_sum(point); }

  static std::vector<Axis> axes();
  /// No numbers have a sum, but no minimum or maximum.
  static bool exists(const Point& point) { return is_sum(point) || point.integer("n") > 0; }
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);

  ReduceSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  ReduceSum(const ReduceSum&) = delete;
  ReduceSum& operator=(const ReduceSum&) = delete;

  Args args(std::size_t set) const;
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const;
  void poison();
  Verdict check(ResultIn where) const;
  /// For sums of floating types.
  bool refill_general(Distribution distribution, std::uint64_t draw);
  Errors errors(ResultIn where) const;

 private:
  /// Inputs and outputs of one element type.
  template <class T>
  struct Sets {
    std::vector<Buffer<T>> in = {};
    std::vector<Buffer<Result<T>>> out = {};
    mutable std::vector<Result<T>> host_out = {};  // launches write it through Args
  };
  using AnySets = std::variant<Sets<float>, Sets<double>, Sets<std::int32_t>, Sets<Half>>;

  static AnySets empty_sets(const std::string& type);
  static std::size_t element_bytes(const Point& point);

  template <class T>
  int bits() const;
  template <class T>
  Elements elements(std::size_t set) const;
  int sign() const { return operation_ == Operation::max ? -1 : 1; }
  int nearest(std::size_t set) const;
  template <class T>
  double expected(std::size_t set) const;
  template <class T>
  void refill(const Sets<T>& to);
  template <class T>
  Verdict check(const Sets<T>& s, ResultIn where) const;

  Device& device_;
  std::uint64_t n_, seed_, generation_seed_ = 0;
  std::string operation_name_;
  Operation operation_ = Operation::sum;
  AnySets sets_;
  TwoDoubles general_sum_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<ReduceSum>();

}  // namespace crosswarp
