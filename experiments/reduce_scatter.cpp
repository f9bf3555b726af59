// Points and costs of reduce_scatter.
#include "experiments/reduce_scatter.hpp"

#include <string>
#include <utility>

#include "experiments/rank_spans.hpp"

namespace crosswarp {

std::vector<RankArray> ReduceScatter::arrays(const Point& point) {
  const auto n = static_cast<std::size_t>(point.integer("n"));
  const std::size_t count = ranks(point);
  std::vector<RankArray> arrays;
  for (std::size_t rank = 0; rank < count; ++rank) {
    RankArray& own = arrays.emplace_back(RankArray{.in = count * n, .out = n, .out_at = rank * n});
    for (std::size_t peer = 0; peer < count; ++peer)
      own.terms.push_back({.rank = peer, .first = rank * n, .to = 0, .count = n});
  }
  return arrays;
}

std::vector<Axis> ReduceScatter::axes() {
  return {n_axis(), ranks_axis(), type_axis(),
          place_axis("where the sum goes: into another array, or into its part of the input (verified, not timed)")};
}

/// Sizes around vectors and blocks, and parts that begin off 8 and off 16 bytes.
std::vector<TestPoint> ReduceScatter::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](std::int64_t n, std::int64_t ranks, std::string type, std::string place) {
    points.push_back({product(axes(), {{n}, {ranks}, {type}, {place}}).front()});
  };
  for (const std::int64_t ranks : {2, 3, 4, 8}) {
    for (const std::int64_t n : {0, 1, 64, 257}) add(n, ranks, "f32", "out");
    add(256, ranks, "f32", "in");
    for (const char* type : {"f16", "bf16"}) add(389, ranks, type, "out");
    for (const char* type : {"f16", "bf16"}) add(262, ranks, type, "in");
  }
  add(4099, 2, "f32", "out");
  add(4096, 3, "f32", "in");
  add(1'000'003, 2, "f32", "out");
  add(1'000'000, 2, "bf16", "in");
  return points;
}

Cost ReduceScatter::cost(const Point& point) {
  const auto r = static_cast<double>(ranks(point));
  return {.bytes_read = (r - 1) * static_cast<double>(bytes(point)),
          .flops = (r - 1) * r * static_cast<double>(point.integer("n")),
          .accesses = r * static_cast<double>(point.integer("n")),
          .message = static_cast<double>(ranks(point) * bytes(point)),
          .ceiling = {}};
}

std::size_t ReduceScatter::footprint(const Point& point) {
  return (ranks(point) + (is_in_place(point) ? 0 : 1)) * ranks(point) * bytes(point) + 1;
}

ReduceScatter::ReduceScatter(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : RankArrays(device, point.word("type"), static_cast<std::size_t>(point.integer("n")), arrays(point),
                 is_in_place(point), seed, sets) {}

template ExperimentEntry describe<ReduceScatter>();

}  // namespace crosswarp
