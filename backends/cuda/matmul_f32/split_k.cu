// Several blocks a tile, each with a part of the products; a second launch adds the partials. For matrices with fewer
// tiles than a device has places for blocks: bound by issuing multiply-adds, and by writing and reading the partials.
#include "backends/cuda/matmul_f32/ahead_tiles.hpp"

namespace crosswarp::gpu {
namespace {

/// Calls `with` for the tile that a tuning means: `[&]<class Tile>()`.
template <class With>
auto for_tile(const Queue& queue, With&& with) {
  return queue.tuning["rows"] == 64 ? with.template operator()<AheadFlatTile>()
                                    : with.template operator()<AheadMediumTile>();
}

/// As the tuning says; 0: as many as fill the device, each of at least four steps.
template <class Tile>
std::size_t parts(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["parts"]; given > 0) return static_cast<std::size_t>(given);
  const std::size_t tiles = std::size_t{blocks_for(args.n, Tile::columns)} * blocks_for(args.m, Tile::rows);
  const std::size_t places = Tile::blocks * static_cast<std::size_t>(queue.device.compute_units);
  return std::clamp<std::size_t>(places / tiles, 1, args.k / (4 * Tile::depth) + 1);
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return for_tile(queue, [&]<class Tile>() { return bytes_of_parts(args, parts<Tile>(queue, args)); });
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  for_tile(queue, [&]<class Tile>() {
    const std::size_t count = parts<Tile>(queue, args);
    by_rows(args, [&]<bool vectors>() { launch_ahead<Tile, vectors>(queue, args, count); });
    if (count > 1) launch_add_partials(queue, args, count);
  });
}

Tuning tuning(int rows, int parts) { return {{{"rows", rows}, {"parts", parts}}}; }

const Register<MatmulF32> variant{{
    .idea = "several blocks a tile, each with a part of the products: fills the device where tiles are too few",
    .improves = "load_ahead",
    .tunings = {tuning(128, 0), tuning(64, 0), tuning(128, 2), tuning(128, 4), tuning(64, 4), tuning(128, 16),
                tuning(64, 8), tuning(64, 16)},
    .workspace = workspace,
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
