// What a user would call: the product by tensor copies and warpgroups where the GPU has them and the factors' rows are
// aligned, in tiles that fill the device at this shape; else by instructions of single warps, which take any shape.
// Bound by the matrix units; small shapes by launch and latency, and by L2, which feeds small tiles.
#include <array>
#include <limits>
#include <utility>

#include "backends/cuda/device/product_by_mma.hpp"
#include "backends/cuda/device/product_by_tma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX

/// About how many cycles the product takes by a choice. In one the matrix units of a multiprocessor do 4096 operations,
/// and L2 brings it 37 bytes, of which those count once that a block copies to all of its cluster. The last tile is
/// followed by writing it.
double cycles(const Queue& queue, const MatmulF16::Args& args, const TmaChoice& choice) {
  const double operations = 2.0 * choice.rows * choice.columns * row_elements;
  const double bytes = row_bytes * (choice.rows + 1.0 * choice.columns / choice.cluster);
  const double tile = blocks_for(args.k, row_elements) * std::max(operations / 4096, bytes / 37);
  const unsigned clusters = blocks_for(args.m, choice.rows * choice.cluster) * blocks_for(args.n, choice.columns);
  const unsigned at_once = static_cast<unsigned>(queue.device.compute_units) / choice.cluster;
  return blocks_for(clusters, at_once) * tile + 8.0 * choice.columns;
}

/// The choice that is expected to take least; among equals the first.
TmaChoice best_choice(const Queue& queue, const MatmulF16::Args& args) {
  TmaChoice best{};
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [rows, columns] : {std::pair{128u, 256u}, {128u, 128u}, {64u, 128u}})
    for (const unsigned cluster : {2u, 1u, 4u}) {
      const TmaChoice choice{.rows = rows,
                             .columns = columns,
                             .cluster = cluster,
                             .band = 16 / cluster,
                             .ahead = queue.tuning["ahead"] != 0};
      if (const double expected = cycles(queue, args, choice); expected < least) {
        least = expected;
        best = choice;
      }
    }
  return best;
}

bool has_warpgroups(const Queue& queue) {
  return std::ranges::all_of(std::array{"wgmma", "tma", "cluster"}, [&](std::string_view feature) {
    return std::ranges::find(queue.device.features, feature) != queue.device.features.end();
  });
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (has_warpgroups(queue) && has_aligned_factors(args))
    multiply_by_tma(queue, args, best_choice(queue, args));
  else
    multiply_by_mma(queue, args, 8);
}
#endif

const Register<MatmulF16> variant{{
    .idea =
        "tiles that fill the device at this shape, by warpgroups where these can, else by warps: bound by the units",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"ahead", 1}}}, {{{"ahead", 0}}}},
    .launch = multiply,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
