// All-reduce: every rank gets the sum of all ranks' arrays. Bound by the link: each rank sends and receives 2 (r - 1) /
// r of its array; short arrays by the time of a flag from rank to rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/half.hpp"
#include "core/random.hpp"
#include "core/ranks.hpp"

namespace crosswarp {

/// On each of r ranks: out[i] = the sum of all ranks' in[i], for i in 0 … n-1, in any order and grouping. In place, out
/// is in.
///
/// Inputs are lattice numbers (core/random.hpp), of another stream for each rank, so coarse that sums of r of them are
/// exact in the element type: the oracle is exact and the bound is 0. Every element of every rank is compared; one that
/// is dropped, stale, doubled or put elsewhere is wrong.
class AllReduce {
 public:
  static constexpr std::string_view name = "all_reduce";
  static constexpr std::string_view summary = "on each rank, the sum of all ranks' arrays";

  /// The arguments for elements of one type. By rank, in that rank's device memory, aligned to 16 bytes, of n elements
  /// each. Kernels of any rank may load and store all of them, while the owner's launch runs.
  template <class T>
  struct Typed {
    std::array<std::span<const T>, most_ranks> in;
    std::array<std::span<T>, most_ranks> out;  ///< Poisoned, or `in` of the same rank.
    std::size_t rank;                          ///< The own one.
    std::size_t ranks;

    std::size_t size() const { return in[0].size(); }
  };

  struct Args {
    std::variant<Typed<float>, Typed<Half>, Typed<Bfloat16>> typed;

    /// Bytes of one rank's array.
    std::size_t bytes() const {
      return std::visit([](const auto& a) { return a.in[0].size_bytes(); }, typed);
    }
    std::size_t ranks() const {
      return std::visit([](const auto& a) { return a.ranks; }, typed);
    }
  };

  // For Variant::applies.
  static bool is_in_place(const Point& point) { return point.word("place") == "in"; }
  static bool is_out_of_place(const Point& point) { return !is_in_place(point); }
  static std::size_t bytes(const Point& point);

  static std::vector<Axis> axes();
  static std::vector<TestPoint> test_points();
  static std::size_t ranks(const Point& point) { return static_cast<std::size_t>(point.integer("ranks")); }
  static bool updates_inputs(const Point& point) { return is_in_place(point); }
  /// Bytes that each rank has to send and to receive: the rate is nccl-tests' bus bandwidth.
  static Cost cost(const Point& point);
  /// Two operations per element and rank: the generator's and the addition.
  static double check_cost(const Point& point) { return 2 * cost(point).accesses * static_cast<double>(ranks(point)); }
  /// Of all ranks.
  static std::size_t footprint(const Point& point);

  AllReduce(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  AllReduce(const AllReduce&) = delete;
  AllReduce& operator=(const AllReduce&) = delete;

  Args args(std::size_t set, std::size_t rank) const;
  Memory outputs(std::size_t set, std::size_t rank) const;
  void refill(std::uint64_t generation);
  /// In place: writes the inputs again.
  void poison();
  Verdict check(ResultIn where) const;
  void pipeline(const std::function<void(std::size_t)>& launch);

 private:
  /// Inputs and outputs of one element type, by set and rank; `out` is empty in place.
  template <class T>
  struct Sets {
    std::vector<std::vector<Buffer<T>>> in = {}, out = {};
    const std::vector<std::vector<Buffer<T>>>& results() const { return out.empty() ? in : out; }
  };
  using AnySets = std::variant<Sets<float>, Sets<Half>, Sets<Bfloat16>>;

  static AnySets empty_sets(const Point& point);

  template <class T>
  Elements elements(std::size_t set, std::size_t rank) const;
  void write_inputs();
  template <class T>
  Verdict check(const Sets<T>& s) const;
  template <class T>
  void pipeline(const Sets<T>& s, const std::function<void(std::size_t)>& launch);

  Device& device_;
  std::uint64_t n_, seed_, generation_seed_ = 0;
  bool in_place_;
  AnySets sets_;
};

extern template ExperimentEntry describe<AllReduce>();

}  // namespace crosswarp
