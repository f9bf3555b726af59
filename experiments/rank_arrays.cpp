// Inputs, oracle and pipeline of arrays of ranks.
#include "experiments/rank_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <string>
#include <utility>

#include "core/verification.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t checked_at_once = std::size_t{1} << 20;      // elements
constexpr std::size_t added_by_one_thread = std::size_t{1} << 12;  // elements
constexpr std::size_t pipelined_sets = 2;
constexpr int pipelined_rounds = 3;  // buffers of two epochs in turn are used again in the third launch

/// Bits of T's significand.
template <class T>
constexpr int precision = std::same_as<T, float>  ? 24
                          : std::same_as<T, Half> ? 11
                                                  : 8;

/// Max terms of one element of any rank.
std::size_t most_terms(const std::vector<RankArray>& arrays) {
  int most = 1;
  for (const RankArray& array : arrays) {
    std::vector<std::pair<std::size_t, int>> steps;  // where the number of terms changes, and by what: ends first
    for (const Term& term : array.terms) {
      if (term.count == 0) continue;
      steps.emplace_back(term.to, 1);
      steps.emplace_back(term.to + term.count, -1);
    }
    std::ranges::sort(steps);
    int terms = 0;
    for (const auto& [at, change] : steps) most = std::max(most, terms += change);
  }
  return static_cast<std::size_t>(most);
}

/// The sum of no terms. Elements of a lattice are never 0, so that no sum of one or more is -0.
constexpr float no_term = -0.0f;
bool has_term(float expected) { return expected != 0 || !std::signbit(expected); }

/// Whether it holds the bytes that outputs are filled with before a launch.
template <class T>
bool is_as_filled(const T& element) {
  const auto is = [&](unsigned char byte) {
    T filled;
    std::memset(&filled, byte, sizeof filled);
    return std::memcmp(&element, &filled, sizeof filled) == 0;
  };
  return is(poison_byte) || is(number_byte);
}

}  // namespace

Axis RankArrays::n_axis() {
  return {.name = "n",
          .meaning = "elements of each rank",
          .bench = parse_values({.name = "n", .meaning = {}, .bench = {}}, "2^8:2^28:x16"),
          .most = std::int64_t{1} << 36,
          .random = RandomRange{.most = std::int64_t{1} << 26}};
}

Axis RankArrays::ranks_axis() {
  return {.name = "ranks",
          .meaning = "devices",
          .bench = {std::int64_t{2}},
          .least = 2,
          .most = static_cast<std::int64_t>(most_ranks)};
}

Axis RankArrays::type_axis() {
  return {.name = "type",
          .meaning = "element type",
          .bench = {"f32"},
          .allowed = {"f32", "f16", "bf16"},
          .random = RandomRange{}};
}

Axis RankArrays::place_axis(std::string_view meaning) {
  return {
      .name = "place", .meaning = std::string(meaning), .bench = {"out"}, .allowed = {"out", "in"}, .implied = "out"};
}

RankArrays::AnySets RankArrays::empty_sets(std::string_view type) {
  if (type == "f16") return Sets<Half>{};
  if (type == "bf16") return Sets<Bfloat16>{};
  return Sets<float>{};
}

std::size_t RankArrays::bytes(const Point& point) {
  const auto size = std::visit([]<class T>(const Sets<T>&) { return sizeof(T); }, empty_sets(point.word("type")));
  return static_cast<std::size_t>(point.integer("n")) * size;
}

RankArrays::RankArrays(Device& device, std::string_view type, std::size_t n, std::vector<RankArray> arrays,
                       bool in_place, std::uint64_t seed, std::size_t sets)
    : device_(device),
      n_(n),
      arrays_(std::move(arrays)),
      most_terms_(most_terms(arrays_)),
      seed_(seed),
      in_place_(in_place),
      sets_(empty_sets(type)) {
  std::visit(
      [&](auto& s) -> void {
        s.in.resize(sets);
        if (!in_place_) s.out.resize(sets);
        for (std::size_t set = 0; set < sets; ++set)
          for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
            const RankArray& a = arrays_[rank];
            const std::size_t in = in_place_ ? std::max(a.in_at + a.in, a.out_at + a.out) : a.in;
            s.in[set].emplace_back(device_.rank(rank), in);
            if (!in_place_) s.out[set].emplace_back(device_.rank(rank), a.out);
          }
      },
      sets_);
}

template <class T>
std::span<T> RankArrays::Sets<T>::input(const RankArrays& of, std::size_t set, std::size_t rank) const {
  const RankArray& a = of.arrays_[rank];
  return in[set][rank].span().subspan(of.in_place_ ? a.in_at : 0, a.in);
}

template <class T>
std::span<T> RankArrays::Sets<T>::output(const RankArrays& of, std::size_t set, std::size_t rank) const {
  const RankArray& a = of.arrays_[rank];
  return of.in_place_ ? in[set][rank].span().subspan(a.out_at, a.out) : out[set][rank].span();
}

RankArgs RankArrays::args(std::size_t set, std::size_t rank) const {
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> RankArgs {
        RankSpans<T> typed{.in = {}, .out = {}, .rank = rank, .ranks = device_.ranks(), .n = n_};
        for (std::size_t r = 0; r < typed.ranks; ++r) {
          typed.in[r] = s.input(*this, set, r);
          typed.out[r] = s.output(*this, set, r);
        }
        return {typed};
      },
      sets_);
}

Memory RankArrays::outputs(std::size_t set, std::size_t rank) const {
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> Memory {
        const RankArray& a = arrays_[rank];
        const std::span<T> out = s.output(*this, set, rank);
        const auto bytes = [](std::span<T> part) { return std::as_writable_bytes(part); };
        if (!in_place_ || a.in >= a.out) return {bytes(out)};
        return {bytes(out.first(a.in_at)), bytes(out.subspan(a.in_at + a.in))};
      },
      sets_);
}

/// As fine as sums of all terms are exact.
template <class T>
Elements RankArrays::elements(std::size_t set, std::size_t rank) const {
  const int bits = precision<T> - std::bit_width(most_terms_ - 1);
  return {{RandomStream(generation_seed_, set * most_ranks + rank), bits}, 0};
}

void RankArrays::write_inputs() {
  std::visit(
      [&]<class T>(const Sets<T>& s) -> void {
        for (std::size_t set = 0; set < s.in.size(); ++set)
          for (std::size_t rank = 0; rank < device_.ranks(); ++rank)
            device_.rank(rank).generate_elements(s.input(*this, set, rank), elements<T>(set, rank));
      },
      sets_);
}

void RankArrays::refill(std::uint64_t generation) {
  generation_seed_ = generation_seed(seed_, generation);
  write_inputs();
}

void RankArrays::poison() {
  std::visit(
      [&](auto& s) -> void {
        for (auto& of_set : in_place_ ? s.in : s.out)
          for (auto& buffer : of_set) buffer.poison();
      },
      sets_);
  if (in_place_) write_inputs();
}

template <class T>
void RankArrays::add_terms(std::span<float> expected, std::size_t set, std::size_t rank, std::size_t first) const {
  for (const Term& term : arrays_[rank].terms) {
    const std::size_t begin = std::max(term.to, first), end = std::min(term.to + term.count, first + expected.size());
    if (begin >= end) continue;
    const Lattice addend = elements<T>(set, term.rank).lattice;
#pragma omp parallel for schedule(static) if (begin + added_by_one_thread < end)
    for (std::size_t i = begin; i < end; ++i) expected[i - first] += addend(term.first + (i - term.to));
  }
}

template <class T>
Verdict RankArrays::check(const Sets<T>& s) const {
  for (const auto* buffers : {&s.in, &s.out})
    for (const auto& of_set : *buffers)
      for (std::size_t rank = 0; rank < of_set.size(); ++rank) {
        device_.rank(rank);
        if (!of_set[rank].guards_intact())
          return {.ok = false, .where = fmt::format("a guard band beside in or out of rank {} was written to", rank)};
      }
  std::size_t longest = 0;
  for (const RankArray& a : arrays_) longest = std::max(longest, a.out);
  std::vector<float> expected;
  for (std::size_t set = 0; set < s.in.size(); ++set)
    for (std::size_t first = 0; first < longest; first += checked_at_once)
      for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
        const RankArray& a = arrays_[rank];
        if (first >= a.out) continue;
        const std::size_t count = std::min(checked_at_once, a.out - first);
        const bool as_before = rank > 0 && a.out == arrays_[rank - 1].out && a.terms == arrays_[rank - 1].terms;
        if (!as_before) {
          expected.assign(count, no_term);
          add_terms<T>(expected, set, rank, first);
        }
        std::vector<T> read(count);
        std::vector<float> actual(count);
        device_.rank(rank).read(read.data(), s.output(*this, set, rank).data() + first, count * sizeof(T));
        std::size_t written = count;  // the first element without a term that was written to
#pragma omp parallel for schedule(static) reduction(min : written)
        for (std::size_t i = 0; i < count; ++i) {
          const bool is_result = has_term(expected[i]);
          actual[i] = is_result ? static_cast<float>(to_double(read[i])) : no_term;
          if (!is_result && !is_as_filled(read[i])) written = std::min(written, i);
        }
        if (written < count)
          return {.ok = false,
                  .where = fmt::format("element {} on rank {} of input {} was written to, and is no result",
                                       first + written, rank, set)};
        const Comparison found = compare_elements(std::span(actual), std::span(expected), {});
        if (found.worst.beyond == 0) continue;
        return {
            .ok = false,
            .error = found.worst.error,
            .bound = 0,
            .where = mismatch(fmt::format("element {} on rank {} of input {}", first + found.worst.index, rank, set),
                              found.is, found.should_be)};
      }
  return {.ok = true, .error = 0, .bound = 0, .where = {}};
}

Verdict RankArrays::check(ResultIn) const {
  device_.synchronize();
  return std::visit([&](const auto& s) -> Verdict { return check(s); }, sets_);
}

/// Behind each launch, on each rank: copies the result, then overwrites input and output.
template <class T>
void RankArrays::pipeline(const Sets<T>& s, const std::function<void(std::size_t)>& launch) {
  const std::size_t sets = std::min(pipelined_sets, s.in.size());
  std::vector<std::vector<Buffer<T>>> inputs(sets), results(sets);
  for (std::size_t set = 0; set < sets; ++set)
    for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
      results[set].emplace_back(device_.rank(rank), arrays_[rank].out);
      const auto to = inputs[set].emplace_back(device_.rank(rank), arrays_[rank].in).span();
      device_.rank(rank).generate_elements(to, elements<T>(set, rank));
    }
  device_.synchronize();
  const auto on_each_rank = [&](auto work) {
    for (std::size_t rank = 0; rank < device_.ranks(); ++rank) work(device_.rank(rank), rank);
  };
  const auto copy = [](Device& device, std::span<T> to, std::span<const T> from) {
    device.copy(to.data(), from.data(), from.size_bytes());
  };
  const auto poison = [](Device& device, std::span<T> array) {
    device.fill(array.data(), poison_byte, array.size_bytes());
  };
  for (int round = 0; round < pipelined_rounds; ++round)
    for (std::size_t set = 0; set < sets; ++set) {
      on_each_rank([&](Device& device, std::size_t r) { copy(device, s.input(*this, set, r), inputs[set][r].span()); });
      launch(set);
      on_each_rank([&](Device& device, std::size_t r) {
        copy(device, results[set][r].span(), s.output(*this, set, r));
        poison(device, s.input(*this, set, r));
        poison(device, s.output(*this, set, r));
      });
    }
  for (std::size_t set = 0; set < sets; ++set)
    on_each_rank([&](Device& device, std::size_t r) { copy(device, s.output(*this, set, r), results[set][r].span()); });
  device_.synchronize();
}

void RankArrays::pipeline(const std::function<void(std::size_t)>& launch) {
  std::visit([&](const auto& s) -> void { pipeline(s, launch); }, sets_);
}

}  // namespace crosswarp
