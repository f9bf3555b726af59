// Points, grids of ranks and costs of halo_exchange.
#include "experiments/halo_exchange.hpp"
#include "experiments/rank_spans.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t most_elements = std::size_t{1} << 34;  // of a block with its halo
constexpr std::int64_t most_width = 16;

}  // namespace

HaloExchange::Extents HaloExchange::grid(std::size_t ranks, std::size_t dims) {
  const auto count = static_cast<unsigned>(ranks);
  Extents best{count, 1, 1};
  for (unsigned z = 1; z <= (dims == 3 ? count : 1); ++z)
    for (unsigned y = z; y * z <= count; ++y) {
      const unsigned x = count / (y * z);
      if (x * y * z == count && x >= y && x + y + z < best[0] + best[1] + best[2]) best = {x, y, z};
    }
  return best;
}

/// With the halo.
std::size_t HaloExchange::elements(const Point& point) {
  const auto side = static_cast<std::size_t>(point.integer("n") + 2 * point.integer("width"));
  return side * side * (point.integer("dims") == 3 ? side : 1);
}

std::vector<HaloExchange::Block> HaloExchange::blocks(const Point& point) {
  Block block{.n = static_cast<unsigned>(point.integer("n")),
              .width = static_cast<unsigned>(point.integer("width")),
              .dims = static_cast<unsigned>(point.integer("dims")),
              .neighbours = {}};
  const Extents ranks = grid(RankArrays::ranks(point), block.dims);
  std::vector<Block> all;
  for (unsigned z = 0; z < ranks[2]; ++z)
    for (unsigned y = 0; y < ranks[1]; ++y)
      for (unsigned x = 0; x < ranks[0]; ++x) {
        for (unsigned face = 0; face < block.faces(); ++face) {
          Extents at{x, y, z};
          const unsigned axis = face / 2, extent = ranks[axis];
          at[axis] = (at[axis] + (face % 2 == 0 ? extent - 1 : 1)) % extent;
          block.neighbours[face] = at[0] + ranks[0] * (at[1] + ranks[1] * at[2]);
        }
        all.push_back(block);
      }
  return all;
}

/// A term for each row of each face.
std::vector<RankArray> HaloExchange::arrays(const Point& point) {
  std::vector<RankArray> arrays;
  for (const Block& block : blocks(point)) {
    RankArray& own = arrays.emplace_back(RankArray{.in = elements(point), .out = elements(point)});
    for (unsigned face = 0; face < block.faces(); ++face) {
      const unsigned columns = block.columns(face);
      for (unsigned i = 0; i < block.face_size(); i += columns)
        own.terms.push_back({.rank = block.neighbours[face],
                             .first = block.inside(face ^ 1, i),
                             .to = block.beyond(face, i),
                             .count = columns});
    }
  }
  return arrays;
}

std::vector<Axis> HaloExchange::axes() {
  return {{.name = "n",
           .meaning = "elements along each side of a block, without its halo",
           .bench = parse_values({.name = "n", .meaning = {}, .bench = {}}, "2^6:2^14:x4"),
           .least = 1,
           .most = std::int64_t{1} << 17,
           .random = RandomRange{.most = std::int64_t{1} << 13}},
          {.name = "dims",
           .meaning = "dimensions of a block and of the ranks' grid",
           .bench = {std::int64_t{2}, std::int64_t{3}},
           .least = 2,
           .most = 3,
           .random = RandomRange{.least = 2, .most = 3}},
          ranks_axis(),
          {.name = "width",
           .meaning = "layers of the halo",
           .bench = {std::int64_t{1}},
           .least = 1,
           .most = most_width,
           .random = RandomRange{.most = 4}}};
}

bool HaloExchange::exists(const Point& point) {
  return point.integer("width") <= point.integer("n") && elements(point) <= most_elements;
}

/// Every grid of ranks; faces of one element, of several layers, of more than a block of threads.
std::vector<TestPoint> HaloExchange::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](std::int64_t n, std::int64_t dims, std::int64_t ranks, std::int64_t width) {
    points.push_back({product(axes(), {{n}, {dims}, {ranks}, {width}}).front()});
  };
  for (const std::int64_t dims : {2, 3}) {
    for (const std::int64_t ranks : {2, 3, 4, 5, 6, 7, 8}) add(1, dims, ranks, 1);
    for (const std::int64_t ranks : {2, 3, 4, 6, 8}) {
      add(3, dims, ranks, 2);
      add(4, dims, ranks, 1);
    }
  }
  add(41, 2, 4, 1);
  add(70, 2, 2, 3);
  add(17, 3, 2, 1);
  add(1000, 2, 2, 1);
  add(101, 3, 2, 2);
  add(64, 3, 8, 1);
  return points;
}

Cost HaloExchange::cost(const Point& point) {
  const Block block = blocks(point).front();
  const Extents ranks = grid(RankArrays::ranks(point), block.dims);
  double linked = 0;  // faces
  for (const unsigned extent : ranks) linked += extent > 1 ? 2 : 0;
  const double face = block.face_size(), bytes = linked * face * sizeof(float);
  return {.bytes_read = bytes, .accesses = block.faces() * face, .message = bytes, .ceiling = {}};
}

std::size_t HaloExchange::footprint(const Point& point) {
  return 2 * RankArrays::ranks(point) * elements(point) * sizeof(float);
}

HaloExchange::HaloExchange(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : RankArrays(device, "f32", static_cast<std::size_t>(point.integer("n")), arrays(point), false, seed, sets),
      blocks_(blocks(point)) {}

template ExperimentEntry describe<HaloExchange>();

}  // namespace crosswarp
