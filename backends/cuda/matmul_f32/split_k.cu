// Several blocks a tile, each with a part of the products; a second launch adds the partials. For matrices with fewer
// tiles than a device has places for blocks: bound by issuing multiply-adds, and by writing and reading the partials.
#include "backends/cuda/device/product_tiles.hpp"

namespace crosswarp::gpu {
namespace {

/// As the tuning says; 0: as many as fill the device, each of at least four steps.
std::size_t parts(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["parts"]; given > 0) return static_cast<std::size_t>(given);
  const std::size_t tiles = std::size_t{blocks_for(args.n, LargeTile::columns)} * blocks_for(args.m, LargeTile::rows);
  const std::size_t places = LargeTile::blocks * static_cast<std::size_t>(queue.device.compute_units);
  return std::clamp<std::size_t>(places / tiles, 1, args.k / (4 * LargeTile::depth) + 1);
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return bytes_of_parts(args, parts(queue, args));
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const std::size_t count = parts(queue, args);
  if (rows_are_vectors(args))
    launch_tiles<LargeTile, true>(queue, args, count);
  else
    launch_tiles<LargeTile, false>(queue, args, count);
  if (count > 1) launch_add_partials(queue, args, count);
}

const Register<MatmulF32> variant{{
    .idea = "several blocks a tile, each with a part of the products: fills the device where tiles are too few",
    .improves = "double_buffer",
    .tunings = {{{{"parts", 0}}}, {{{"parts", 2}}}, {{{"parts", 4}}}, {{{"parts", 16}}}},
    .workspace = workspace,
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
