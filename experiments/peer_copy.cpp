// Points and costs of peer_copy.
#include "experiments/peer_copy.hpp"

#include <algorithm>

#include "experiments/rank_spans.hpp"

namespace crosswarp {

std::vector<std::size_t> PeerCopy::targets(const Point& point) {
  const std::size_t count = ranks(point);
  const bool both = point.word("ways") == "both";
  std::vector<std::size_t> all;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const bool sends = both || (rank % 2 == 0 && rank + 1 < count);
    all.push_back(sends ? (rank + 1) % count : nobody);
  }
  return all;
}

std::size_t PeerCopy::size(const Point& point) {
  return static_cast<std::size_t>(point.integer("bytes")) / sizeof(float);
}

std::vector<RankArray> PeerCopy::arrays(const Point& point) {
  const std::vector<std::size_t> to = targets(point);
  std::vector<RankArray> each(to.size());
  for (std::size_t rank = 0; rank < to.size(); ++rank) {
    if (to[rank] == nobody) continue;
    RankArray& target = each[to[rank]];
    each[rank].in = target.out = size(point);
    target.terms = {{.rank = rank, .first = 0, .to = 0, .count = target.out}};
  }
  return each;
}

std::vector<Axis> PeerCopy::axes() {
  return {{.name = "bytes",
           .meaning = "bytes from a rank to the next",
           .bench = parse_values({.name = "bytes", .meaning = {}, .bench = {}}, "2^12:2^30:x8"),
           .most = std::int64_t{1} << 38,
           .random = RandomRange{.most = std::int64_t{1} << 28, .multiple = 4}},
          ranks_axis(),
          {.name = "ways",
           .meaning = "one: even ranks send to the next one; both: every rank does, in a ring",
           .bench = {"one", "both"},
           .allowed = {"one", "both"}}};
}

/// Sizes around vectors, blocks and grids.
std::vector<TestPoint> PeerCopy::test_points() {
  std::vector<TestPoint> points;
  for (const std::int64_t ranks : {2, 3, 4, 8})
    for (const char* ways : {"one", "both"})
      for (const std::int64_t bytes : {0, 28, 1040})
        points.push_back({product(axes(), {{bytes}, {ranks}, {ways}}).front()});
  for (const char* ways : {"one", "both"})
    for (const std::int64_t bytes : {4, 16'420, 100'000, 4'000'012})
      points.push_back({product(axes(), {{bytes}, {std::int64_t{2}}, {ways}}).front()});
  return points;
}

Cost PeerCopy::cost(const Point& point) {
  const auto bytes = static_cast<double>(point.integer("bytes"));
  return {.bytes_read = bytes, .accesses = bytes / sizeof(float), .message = bytes, .ceiling = {}};
}

std::size_t PeerCopy::footprint(const Point& point) {
  return 2 * ranks(point) * static_cast<std::size_t>(point.integer("bytes")) + 1;
}

PeerCopy::PeerCopy(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : RankArrays(device, "f32", size(point), arrays(point), false, seed, sets), targets_(targets(point)) {}

PeerCopy::Args PeerCopy::args(std::size_t set, std::size_t rank) const {
  const auto from = static_cast<std::size_t>(std::ranges::find(targets_, rank) - targets_.begin());
  return {RankArrays::args(set, rank), from < targets_.size() ? from : nobody, targets_[rank]};
}

template ExperimentEntry describe<PeerCopy>();

}  // namespace crosswarp
