// Arrays of ranks: inputs, outputs, oracle and pipeline of experiments in which ranks exchange arrays or add them up.
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

/// What a rank's launch is given, for elements of one type: all ranks' arrays, each in its rank's device memory.
/// Kernels of any rank may load and store all of them, while the owner's launch runs.
template <class T>
struct RankSpans {
  std::array<std::span<const T>, most_ranks> in;
  std::array<std::span<T>, most_ranks> out;  ///< Poisoned, or, in place, in one array with `in` of the same rank.
  std::size_t rank;                          ///< The own one.
  std::size_t ranks;
  std::size_t n;  ///< The point's: elements of each rank.

  std::size_t size() const { return n; }
};

struct RankArgs {
  std::variant<RankSpans<float>, RankSpans<Half>, RankSpans<Bfloat16>> typed;

  /// Bytes of n elements.
  std::size_t bytes() const {
    return std::visit([]<class T>(const RankSpans<T>& a) -> std::size_t { return a.n * sizeof(T); }, typed);
  }
  std::size_t rank() const {
    return std::visit([](const auto& a) -> std::size_t { return a.rank; }, typed);
  }
  std::size_t ranks() const {
    return std::visit([](const auto& a) -> std::size_t { return a.ranks; }, typed);
  }
};

/// out[to + i] has in[first + i] of `rank` as a term, for i < count.
struct Term {
  std::size_t rank, first, to, count;
  bool operator==(const Term&) const = default;
};

/// What one rank holds, in elements, and of which terms each element of its output is the sum. An element without a
/// term must stay as it was before the launch. In place, input and output lie in one array, from `in_at` and `out_at`
/// on.
struct RankArray {
  std::size_t in = 0, out = 0;
  std::vector<Term> terms = {};
  std::size_t in_at = 0, out_at = 0;
};

/// Base of such experiments: the members that ExperimentType asks for, but for what a point means.
///
/// Inputs are lattice numbers (core/random.hpp), of another stream for each rank, so coarse that sums of all terms are
/// exact in the element type: the oracle is exact and the bound is 0. Every element of every rank's output is compared;
/// one that is dropped, stale, doubled or put elsewhere is wrong, and so is one that is written to and has no term.
///
/// Arrays are aligned to 256 bytes; the one of two that begins within the other, in place, to its elements.
class RankArrays {
 public:
  RankArrays(const RankArrays&) = delete;
  RankArrays& operator=(const RankArrays&) = delete;

  // Axes that such experiments share, and what points have on them.
  static Axis n_axis();
  static Axis ranks_axis();
  static Axis type_axis();
  static Axis place_axis(std::string_view meaning);
  static std::size_t ranks(const Point& point) { return static_cast<std::size_t>(point.integer("ranks")); }
  static bool is_in_place(const Point& point) { return point.word("place") == "in"; }
  static bool is_out_of_place(const Point& point) { return !is_in_place(point); }
  /// Bytes of n elements.
  static std::size_t bytes(const Point& point);

  /// In place, the part that is no input of the same rank, where the output is longer than the input.
  Memory outputs(std::size_t set, std::size_t rank) const;
  void refill(std::uint64_t generation);
  /// In place: writes the inputs again.
  void poison();
  Verdict check(ResultIn) const;
  void pipeline(const std::function<void(std::size_t)>& launch);

 protected:
  /// `type`: f32, f16 or bf16. `n`: RankSpans::n. `arrays`: by rank.
  RankArrays(Device& device, std::string_view type, std::size_t n, std::vector<RankArray> arrays, bool in_place,
             std::uint64_t seed, std::size_t sets);
  ~RankArrays() = default;

  RankArgs args(std::size_t set, std::size_t rank) const;

 private:
  /// Inputs and outputs of one element type, by set and rank; `out` is empty in place.
  template <class T>
  struct Sets {
    std::vector<std::vector<Buffer<T>>> in = {}, out = {};

    std::span<T> input(const RankArrays& of, std::size_t set, std::size_t rank) const;
    std::span<T> output(const RankArrays& of, std::size_t set, std::size_t rank) const;
  };
  using AnySets = std::variant<Sets<float>, Sets<Half>, Sets<Bfloat16>>;

  static AnySets empty_sets(std::string_view type);

  template <class T>
  Elements elements(std::size_t set, std::size_t rank) const;
  /// Elements first … first + expected.size() - 1 of a rank's output.
  template <class T>
  void add_terms(std::span<float> expected, std::size_t set, std::size_t rank, std::size_t first) const;
  void write_inputs();
  template <class T>
  Verdict check(const Sets<T>& s) const;
  template <class T>
  void pipeline(const Sets<T>& s, const std::function<void(std::size_t)>& launch);

  Device& device_;
  std::size_t n_;
  std::vector<RankArray> arrays_;
  std::size_t most_terms_;  // of one element
  std::uint64_t seed_, generation_seed_ = 0;
  bool in_place_;
  AnySets sets_;
};

}  // namespace crosswarp
