// Points, costs, inputs and oracle of all_reduce.
#include "experiments/all_reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <string>
#include <utility>

namespace crosswarp {
namespace {

constexpr std::size_t checked_at_once = std::size_t{1} << 20;  // elements
constexpr std::size_t pipelined_sets = 2;
constexpr int pipelined_rounds = 3;  // buffers of two epochs in turn are used again in the third launch

/// Bits of T's significand.
template <class T>
constexpr int precision = std::same_as<T, float>  ? 24
                          : std::same_as<T, Half> ? 11
                                                  : 8;

}  // namespace

std::vector<Axis> AllReduce::axes() {
  return {{.name = "n",
           .meaning = "elements of each rank",
           .bench = parse_values({.name = "n", .meaning = {}, .bench = {}}, "2^8:2^28:x16"),
           .most = std::int64_t{1} << 36,
           .random = RandomRange{.most = std::int64_t{1} << 26}},
          {.name = "ranks",
           .meaning = "devices",
           .bench = {std::int64_t{2}},
           .least = 2,
           .most = static_cast<std::int64_t>(most_ranks)},
          {.name = "type",
           .meaning = "element type",
           .bench = {"f32"},
           .allowed = {"f32", "f16", "bf16"},
           .random = RandomRange{}},
          {.name = "place",
           .meaning = "where the sum goes: into another array, or into the input (verified, not timed)",
           .bench = {"out"},
           .allowed = {"out", "in"},
           .implied = "out"}};
}

/// Sizes around vectors, blocks, and shares of n by rank.
std::vector<TestPoint> AllReduce::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](std::int64_t n, std::int64_t ranks, std::string type, std::string place) {
    points.push_back({product(axes(), {{n}, {ranks}, {type}, {place}}).front()});
  };
  for (const std::int64_t ranks : {2, 3, 4, 8}) {
    for (const std::int64_t n : {0, 1, 7, 64, 257}) add(n, ranks, "f32", "out");
    for (const char* type : {"f16", "bf16"}) add(389, ranks, type, "out");
    for (const char* type : {"f32", "f16", "bf16"}) add(263, ranks, type, "in");
  }
  add(4099, 2, "f32", "out");
  add(4096, 3, "f32", "in");
  add(1'000'003, 2, "f32", "out");
  add(1'000'003, 2, "bf16", "in");
  return points;
}

AllReduce::AnySets AllReduce::empty_sets(const Point& point) {
  const std::string& type = point.word("type");
  if (type == "f16") return Sets<Half>{};
  if (type == "bf16") return Sets<Bfloat16>{};
  return Sets<float>{};
}

std::size_t AllReduce::bytes(const Point& point) {
  const auto size = std::visit([]<class T>(const Sets<T>&) { return sizeof(T); }, empty_sets(point));
  return static_cast<std::size_t>(point.integer("n")) * size;
}

Cost AllReduce::cost(const Point& point) {
  const auto n = static_cast<double>(point.integer("n")), r = static_cast<double>(ranks(point));
  return {.bytes_read = 2 * (r - 1) / r * static_cast<double>(bytes(point)),
          .flops = n * (r - 1),
          .accesses = n,
          .message = static_cast<double>(bytes(point)),
          .ceiling = {}};
}

std::size_t AllReduce::footprint(const Point& point) {
  return (is_in_place(point) ? 1 : 2) * ranks(point) * bytes(point) + 1;
}

AllReduce::AllReduce(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      n_(static_cast<std::uint64_t>(point.integer("n"))),
      seed_(seed),
      in_place_(is_in_place(point)),
      sets_(empty_sets(point)) {
  std::visit(
      [&](auto& s) -> void {
        s.in.resize(sets);
        if (!in_place_) s.out.resize(sets);
        for (std::size_t set = 0; set < sets; ++set)
          for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
            s.in[set].emplace_back(device_.rank(rank), n_);
            if (!in_place_) s.out[set].emplace_back(device_.rank(rank), n_);
          }
      },
      sets_);
}

AllReduce::Args AllReduce::args(std::size_t set, std::size_t rank) const {
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> Args {
        Typed<T> typed{.in = {}, .out = {}, .rank = rank, .ranks = device_.ranks()};
        for (std::size_t r = 0; r < typed.ranks; ++r) {
          typed.in[r] = s.in[set][r].span();
          typed.out[r] = s.results()[set][r].span();
        }
        return {typed};
      },
      sets_);
}

Memory AllReduce::outputs(std::size_t set, std::size_t rank) const {
  return std::visit([&](const auto& s) -> Memory { return {s.results()[set][rank].bytes()}; }, sets_);
}

/// As fine as sums of all ranks' elements are exact.
template <class T>
Elements AllReduce::elements(std::size_t set, std::size_t rank) const {
  const int bits = precision<T> - std::bit_width(device_.ranks() - 1);
  return {{RandomStream(generation_seed_, set * most_ranks + rank), bits}, 0};
}

void AllReduce::write_inputs() {
  std::visit(
      [&]<class T>(const Sets<T>& s) -> void {
        for (std::size_t set = 0; set < s.in.size(); ++set)
          for (std::size_t rank = 0; rank < device_.ranks(); ++rank)
            device_.rank(rank).generate_elements(s.in[set][rank].span(), elements<T>(set, rank));
      },
      sets_);
}

void AllReduce::refill(std::uint64_t generation) {
  generation_seed_ = generation_seed(seed_, generation);
  write_inputs();
}

void AllReduce::poison() {
  if (in_place_) return write_inputs();
  std::visit(
      [](auto& s) -> void {
        for (auto& of_set : s.out)
          for (auto& out : of_set) out.poison();
      },
      sets_);
}

template <class T>
Verdict AllReduce::check(const Sets<T>& s) const {
  for (std::size_t set = 0; set < s.in.size(); ++set)
    for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
      device_.rank(rank);
      if (!s.in[set][rank].guards_intact() || !s.results()[set][rank].guards_intact())
        return {.ok = false, .where = fmt::format("a guard band beside in or out of rank {} was written to", rank)};
    }
  for (std::size_t set = 0; set < s.in.size(); ++set)
    for (std::size_t first = 0; first < n_; first += checked_at_once) {
      const std::size_t count = std::min<std::size_t>(checked_at_once, n_ - first);
      std::vector<float> expected(count), actual(count);
      for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
        const Lattice addend = elements<T>(set, rank).lattice;
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i) expected[i] += addend(first + i);
      }
      for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
        std::vector<T> read(count);
        device_.rank(rank).read(read.data(), s.results()[set][rank].span().data() + first, count * sizeof(T));
        std::ranges::transform(read, actual.begin(), [](T element) { return static_cast<float>(to_double(element)); });
        const Comparison found = compare_elements(std::span(actual), std::span(expected), {});
        if (found.worst.beyond == 0) continue;
        return {
            .ok = false,
            .error = found.worst.error,
            .bound = 0,
            .where = mismatch(fmt::format("element {} on rank {} of input {}", first + found.worst.index, rank, set),
                              found.is, found.should_be)};
      }
    }
  return {.ok = true, .error = 0, .bound = 0, .where = {}};
}

Verdict AllReduce::check(ResultIn) const {
  device_.synchronize();
  return std::visit([&](const auto& s) -> Verdict { return check(s); }, sets_);
}

/// Behind each launch, on each rank: copies the result, then overwrites input and output.
template <class T>
void AllReduce::pipeline(const Sets<T>& s, const std::function<void(std::size_t)>& launch) {
  const std::size_t sets = std::min(pipelined_sets, s.in.size());
  std::vector<std::vector<Buffer<T>>> inputs(sets), results(sets);
  for (std::size_t set = 0; set < sets; ++set)
    for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
      results[set].emplace_back(device_.rank(rank), n_);
      const auto to = inputs[set].emplace_back(device_.rank(rank), n_).span();
      device_.rank(rank).generate_elements(to, elements<T>(set, rank));
    }
  device_.synchronize();
  const auto on_each_rank = [&](auto work) {
    for (std::size_t rank = 0; rank < device_.ranks(); ++rank) work(device_.rank(rank), rank);
  };
  const auto copy = [](Device& device, const Buffer<T>& to, const Buffer<T>& from) {
    device.copy(to.bytes().data(), from.bytes().data(), from.bytes().size());
  };
  const auto poison = [](Device& device, const Buffer<T>& buffer) {
    device.fill(buffer.bytes().data(), poison_byte, buffer.bytes().size());
  };
  const auto& out = s.results();
  for (int round = 0; round < pipelined_rounds; ++round)
    for (std::size_t set = 0; set < sets; ++set) {
      on_each_rank([&](Device& device, std::size_t rank) { copy(device, s.in[set][rank], inputs[set][rank]); });
      launch(set);
      on_each_rank([&](Device& device, std::size_t rank) {
        copy(device, results[set][rank], out[set][rank]);
        poison(device, s.in[set][rank]);
        poison(device, out[set][rank]);
      });
    }
  for (std::size_t set = 0; set < sets; ++set)
    on_each_rank([&](Device& device, std::size_t rank) { copy(device, out[set][rank], results[set][rank]); });
  device_.synchronize();
}

void AllReduce::pipeline(const std::function<void(std::size_t)>& launch) {
  std::visit([&](const auto& s) { pipeline(s, launch); }, sets_);
}

template ExperimentEntry describe<AllReduce>();

}  // namespace crosswarp
