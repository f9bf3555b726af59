// Points and costs of all_gather.
#include "experiments/all_gather.hpp"

#include <string>
#include <utility>

#include "experiments/rank_spans.hpp"

namespace crosswarp {

std::vector<RankArray> AllGather::arrays(const Point& point) {
  const auto n = static_cast<std::size_t>(point.integer("n"));
  const std::size_t count = ranks(point);
  RankArray each{.in = n, .out = count * n};
  for (std::size_t rank = 0; rank < count; ++rank)
    each.terms.push_back({.rank = rank, .first = 0, .to = rank * n, .count = n});
  std::vector<RankArray> arrays(count, each);
  for (std::size_t rank = 0; rank < count; ++rank) arrays[rank].in_at = rank * n;
  return arrays;
}

std::vector<Axis> AllGather::axes() {
  return {n_axis(), ranks_axis(), type_axis(),
          place_axis("where the input lies: in another array, or in its part of the output")};
}

/// Sizes around vectors and blocks, and parts that begin off 8 and off 16 bytes.
std::vector<TestPoint> AllGather::test_points() {
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

Cost AllGather::cost(const Point& point) {
  const auto r = static_cast<double>(ranks(point));
  return {.bytes_read = (r - 1) * static_cast<double>(bytes(point)),
          .accesses = r * static_cast<double>(point.integer("n")),
          .message = static_cast<double>(ranks(point) * bytes(point)),
          .ceiling = {}};
}

std::size_t AllGather::footprint(const Point& point) {
  return (ranks(point) + (is_in_place(point) ? 0 : 1)) * ranks(point) * bytes(point) + 1;
}

AllGather::AllGather(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : RankArrays(device, point.word("type"), static_cast<std::size_t>(point.integer("n")), arrays(point),
                 is_in_place(point), seed, sets) {}

template ExperimentEntry describe<AllGather>();

}  // namespace crosswarp
