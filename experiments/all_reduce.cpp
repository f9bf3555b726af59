// Points and costs of all_reduce.
#include "experiments/all_reduce.hpp"

#include <string>
#include <utility>

#include "experiments/rank_spans.hpp"

namespace crosswarp {

std::vector<RankArray> AllReduce::arrays(const Point& point) {
  const auto n = static_cast<std::size_t>(point.integer("n"));
  RankArray each{.in = n, .out = n};
  for (std::size_t rank = 0; rank < ranks(point); ++rank)
    each.terms.push_back({.rank = rank, .first = 0, .to = 0, .count = n});
  return std::vector<RankArray>(ranks(point), each);
}

std::vector<Axis> AllReduce::axes() {
  return {n_axis(), ranks_axis(), type_axis(),
          place_axis("where the sum goes: into another array, or into the input (verified, not timed)")};
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
    : RankArrays(device, point.word("type"), static_cast<std::size_t>(point.integer("n")), arrays(point),
                 is_in_place(point), seed, sets) {}

template ExperimentEntry describe<AllReduce>();

}  // namespace crosswarp
