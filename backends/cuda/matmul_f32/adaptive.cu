// What a user would call: the tile and the number of parts that a small model of the device expects to be fastest; a
// row times a matrix in a way of its own. Bound by issuing multiply-adds; by memory for a row and for few products.
#include "backends/cuda/device/ahead_tiles.hpp"
#include "backends/cuda/device/product_row.hpp"

namespace crosswarp::gpu {
namespace {

/// What the model knows of a tile.
struct TileModel {
  unsigned rows, columns, depth, blocks, threads;
  double rate;        ///< Share of the multiply-adds' peak that a multiprocessor reaches with `blocks` of them …
  double rate_alone;  ///< … and with one.
  double ragged;      ///< What is left of these where rows do not begin at multiples of 16 bytes.
  void (*launch)(const Queue&, const MatmulF32::Args&, std::size_t parts);
};

template <class Tile>
void launch_any(const Queue& queue, const MatmulF32::Args& args, std::size_t parts) {
  if (rows_are_vectors(args))
    launch_tiles<Tile, true>(queue, args, parts);
  else
    launch_tiles<Tile, false>(queue, args, parts);
}

template <class Tile>
void launch_any_ahead(const Queue& queue, const MatmulF32::Args& args, std::size_t parts) {
  if (rows_are_vectors(args))
    launch_ahead<Tile, true>(queue, args, parts);
  else
    launch_ahead<Tile, false>(queue, args, parts);
}

template <class Tile>
constexpr TileModel model_of(double rate, double rate_alone, double ragged) {
  return {Tile::rows, Tile::columns, Tile::depth, Tile::blocks,    Tile::threads,
          rate,       rate_alone,    ragged,      launch_any<Tile>};
}
template <class Tile>
constexpr TileModel model_ahead_of(double rate, double rate_alone, double ragged) {
  return {Tile::rows, Tile::columns, Tile::depth, Tile::blocks,          Tile::threads,
          rate,       rate_alone,    ragged,      launch_any_ahead<Tile>};
}

/// By what --tuning tile1 … tile6 are: what an H200 measured.
constexpr TileModel models[]{model_ahead_of<AheadLargeTile>(0.765, 0.35, 0.76),
                             model_ahead_of<AheadMediumTile>(0.75, 0.25, 0.96),
                             model_ahead_of<AheadWideTile>(0.735, 0.735, 0.68),
                             model_of<MediumTile>(0.55, 0.43, 0.72),
                             model_of<SmallTile>(0.51, 0.38, 0.72),
                             model_of<SmallestTile>(0.46, 0.33, 0.68)};

/// Cycles that the multiprocessor with most blocks takes: their multiply-adds, 128 a cycle at the tile's rate, what a
/// block takes to begin and to end; and for several parts a second launch and the partials' way to L2 and back.
double cycles(const TileModel& tile, const MatmulF32::Args& args, std::size_t parts, double units) {
  constexpr double per_cycle = 128, second_launch = 5000, bytes_per_cycle = 24;
  const double block_ends = 1.5e6 / (tile.blocks * tile.threads);  // others hide them, where there are any
  const double tiles =
      std::ceil(static_cast<double>(args.n) / tile.columns) * std::ceil(static_cast<double>(args.m) / tile.rows);
  const double blocks = std::ceil(tiles * static_cast<double>(parts) / units);
  const double full = std::floor(blocks / tile.blocks), left = blocks - full * tile.blocks;
  const double steps = std::ceil(static_cast<double>(args.k) / static_cast<double>(parts) / tile.depth);
  const double work = steps * tile.rows * tile.columns * tile.depth / per_cycle;
  const double shape = rows_are_vectors(args) ? 1 : tile.ragged, rate = shape * tile.rate;
  const double alone = shape * tile.rate_alone;
  const double rate_of_left = tile.blocks > 1 ? alone + (rate - alone) * (left - 1) / (tile.blocks - 1) : rate;
  double sum = full * (tile.blocks * work / rate + block_ends);
  if (left > 0) sum += left * work / rate_of_left + block_ends;
  if (parts > 1)
    sum += second_launch + 2 * static_cast<double>(bytes_of_parts(args, parts)) / (units * bytes_per_cycle);
  return sum;
}

struct Plan {
  std::size_t tile;  ///< Of `models`.
  std::size_t parts;
};

Plan plan(const Queue& queue, const MatmulF32::Args& args) {
  const auto given = static_cast<std::size_t>(queue.tuning["tile"]);
  const double units = queue.device.compute_units;
  constexpr std::size_t most_partials = std::size_t{32} << 20;  // what L2 keeps
  Plan best{0, 1};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t tile = 0; tile < std::size(models); ++tile) {
    if (given > 0 && tile + 1 != given) continue;
    for (const std::size_t parts : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 66, 132}) {
      if (parts > 1 && (parts * 4 * models[tile].depth > args.k || bytes_of_parts(args, parts) > most_partials)) break;
      if (const double expected = cycles(models[tile], args, parts, units); expected < least) {
        least = expected;
        best = {tile, parts};
      }
    }
  }
  return best;
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return bytes_of_parts(args, is_row(args) ? parts_of_row(args) : plan(queue, args).parts);
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (is_row(args)) return launch_row(queue, args);
  const auto [tile, parts] = plan(queue, args);
  models[tile].launch(queue, args, parts);
  if (parts > 1) launch_add_partials(queue, args, parts);
}

/// tile 0: the one that the model chooses. How many parts it chooses for any.
const Register<MatmulF32> variant{{
    .idea = "the tile and the number of parts that a model of the device expects to be fastest: bound by multiply-adds",
    .improves = "load_ahead",
    .tunings = {{{{"tile", 0}}},
                {{{"tile", 1}}},
                {{{"tile", 2}}},
                {{{"tile", 3}}},
                {{{"tile", 4}}},
                {{{"tile", 5}}},
                {{{"tile", 6}}}},
    .workspace = workspace,
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
