// What a user would call: the tile, and the way to share tiles out, that a small model of the device expects to be
// fastest; a row times a matrix in a way of its own. Bound by issuing multiply-adds; by memory for a row and for few
// products.
#include "backends/cuda/matmul_f32/product_row.hpp"
#include "backends/cuda/matmul_f32/stream_k.hpp"

namespace crosswarp::gpu {
namespace {

/// How a tile is launched: in parts, and shared out by steps.
struct Launchers {
  void (*by_parts)(const Queue&, const MatmulF32::Args&, std::size_t parts);
  void (*by_steps)(const Queue&, const MatmulF32::Args&) = nullptr;  ///< Null: there is no such kernel.
};

/// What the model knows of a tile.
struct TileModel {
  unsigned rows, columns, depth, blocks, threads;
  double rate;           ///< Share of the multiply-adds' peak that a multiprocessor reaches with `blocks` of them …
  double rate_alone;     ///< … and with one.
  double rate_of_steps;  ///< The same where tiles are shared out by steps.
  double ragged;         ///< What is left of these where rows do not begin at multiples of 16 bytes.
  Launchers vectors, others;  ///< For matrices whose rows begin at multiples of 16 bytes, and for others.
  std::size_t (*workspace_by_steps)(const Queue&, const MatmulF32::Args&) = nullptr;
};

template <class Tile>
constexpr TileModel model_by(Launchers vectors, Launchers others, double rate, double rate_alone, double ragged) {
  return {Tile::rows, Tile::columns, Tile::depth, Tile::blocks, Tile::threads, rate, rate_alone,
          0,          ragged,        vectors,     others};
}
template <class Tile>
constexpr TileModel model_of(double rate, double rate_alone, double ragged) {
  return model_by<Tile>({launch_tiles<Tile, true>}, {launch_tiles<Tile, false>}, rate, rate_alone, ragged);
}
template <class Tile>
constexpr TileModel model_ahead_of(double rate, double rate_alone, double ragged) {
  return model_by<Tile>({launch_ahead<Tile, true>}, {launch_ahead<Tile, false>}, rate, rate_alone, ragged);
}
template <class Tile>
constexpr TileModel model_stream_of(double rate, double rate_alone, double rate_of_steps, double ragged) {
  TileModel model = model_ahead_of<Tile>(rate, rate_alone, ragged);
  model.rate_of_steps = rate_of_steps;
  model.vectors.by_steps = launch_stream<Tile, true>;
  model.others.by_steps = launch_stream<Tile, false>;
  model.workspace_by_steps = stream_workspace<Tile>;
  return model;
}

/// By what --tuning tile1 … tile6 are: what an H200 measured.
constexpr TileModel models[]{model_ahead_of<AheadLargeTile>(0.785, 0.38, 0.83),
                             model_ahead_of<AheadMediumTile>(0.745, 0.25, 1.03),
                             model_ahead_of<AheadFlatTile>(0.755, 0.25, 0.99),
                             model_stream_of<AheadWideTile>(0.755, 0.755, 0.755, 0.62),
                             model_of<SmallTile>(0.51, 0.38, 0.72),
                             model_of<SmallestTile>(0.46, 0.33, 0.68)};

/// The model's terms, in cycles of a multiprocessor. Multiply-adds are at the tile's rate of 128 a cycle.
struct Estimate {
  static constexpr double per_cycle = 128, second_launch = 5000, tickets = 8000;
  static constexpr double bytes_per_cycle = 24, bytes_per_cycle_alone = 64;  // of L2: by all at once, by a few

  const TileModel& tile;
  double units, tiles, steps_of_tile;
  double cycles_of_step;  ///< At the full rate.
  double block_ends;      ///< What a block takes to begin and to end; others hide them, where there are any.
  double shape;           ///< What is left of the rates.

  Estimate(const TileModel& of, const MatmulF32::Args& args, double on_units)
      : tile(of),
        units(on_units),
        tiles(std::ceil(static_cast<double>(args.n) / of.columns) * std::ceil(static_cast<double>(args.m) / of.rows)),
        steps_of_tile(std::ceil(static_cast<double>(args.k) / of.depth)),
        cycles_of_step(of.rows * of.columns * of.depth / per_cycle),
        block_ends(4e6 / (of.blocks * of.threads)),
        shape(rows_are_vectors(args) ? 1 : of.ragged) {}

  /// By a block for each tile's part: of the multiprocessor that has most of them. Several parts take a second launch,
  /// and their partials go to L2 and back.
  double by_parts(std::size_t parts, std::size_t partials) const {
    const double blocks = std::ceil(tiles * static_cast<double>(parts) / units);
    const double full = std::floor(blocks / tile.blocks), left = blocks - full * tile.blocks;
    const double work = std::ceil(steps_of_tile / static_cast<double>(parts)) * cycles_of_step;
    const double rate = shape * tile.rate, alone = shape * tile.rate_alone;
    const double rate_of_left = tile.blocks > 1 ? alone + (rate - alone) * (left - 1) / (tile.blocks - 1) : rate;
    double sum = full * (tile.blocks * work / rate + block_ends);
    if (left > 0) sum += left * work / rate_of_left + block_ends;
    if (parts > 1) sum += second_launch + 2 * static_cast<double>(partials) / (units * bytes_per_cycle);
    return sum;
  }

  /// By steps: all multiprocessors have the same, a share's partial goes to L2, and one block reads all of a tile.
  double by_steps() const {
    const double blocks = std::min(units * tile.blocks, tiles * steps_of_tile), rounds = tiles / blocks;
    const double bytes_of_tile = sizeof(float) * tile.rows * tile.columns, of_tile = 1 + std::ceil(1 / rounds);
    return rounds * steps_of_tile * tile.blocks * cycles_of_step / (shape * tile.rate_of_steps) +
           std::max(1.0, rounds) * block_ends + tickets + tile.blocks * bytes_of_tile / bytes_per_cycle +
           of_tile * bytes_of_tile / bytes_per_cycle_alone;
  }
};

struct Plan {
  const TileModel* tile;
  std::size_t parts;  ///< 0: tiles are shared out by steps.
};

Plan plan(const Queue& queue, const MatmulF32::Args& args) {
  const auto given = static_cast<std::size_t>(queue.tuning["tile"]);
  const auto units = static_cast<std::size_t>(queue.device.compute_units);
  constexpr std::size_t most_partials = std::size_t{32} << 20;  // what L2 keeps
  Plan best{models, 1};
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const TileModel& tile, std::size_t parts, double expected) {
    if (expected < least) least = expected, best = {&tile, parts};
  };
  for (const TileModel& tile : models) {
    if (given > 0 && &tile != &models[given - 1]) continue;
    const Estimate estimate(tile, args, static_cast<double>(units));
    if (tile.workspace_by_steps) consider(tile, 0, estimate.by_steps());
    // As many parts as give each multiprocessor so many blocks; of less than four steps none is worth a launch.
    for (std::size_t of_unit = 0; of_unit <= 2 * tile.blocks; ++of_unit) {
      const std::size_t parts = std::max<std::size_t>(1, of_unit * units / static_cast<std::size_t>(estimate.tiles));
      if (parts > 1 && (parts * 4 * tile.depth > args.k || bytes_of_parts(args, parts) > most_partials)) break;
      consider(tile, parts, estimate.by_parts(parts, bytes_of_parts(args, parts)));
    }
  }
  return best;
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return 0;
  if (is_row(args)) return row_workspace(args);
  const auto [tile, parts] = plan(queue, args);
  return parts == 0 ? tile->workspace_by_steps(queue, args) : bytes_of_parts(args, parts);
}

void multiply(const Queue& given, const MatmulF32::Args& args) {
  const Queue queue = pdl_by_tuning(given);
  if (args.c.empty()) return;
  if (is_row(args)) return launch_row(queue, args);
  const Plan best = plan(queue, args);
  const auto launch_by = [&](const Launchers& launchers) {
    return best.parts == 0 ? launchers.by_steps(queue, args) : launchers.by_parts(queue, args, best.parts);
  };
  rows_are_vectors(args) ? launch_by(best.tile->vectors) : launch_by(best.tile->others);
  if (best.parts > 1) launch_add_partials(queue, args, best.parts);
}

Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }

/// tile 0: the one that the model chooses. How it is shared out it chooses for any. pdl: launches begin while those
/// before them end.
const Register<MatmulF32> variant{{
    .idea = "the tile and the way to share tiles out that a model of the device expects to be fastest: bound by "
            "multiply-adds",
    .improves = "stream_k",
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6)},
    .workspace = workspace,
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
