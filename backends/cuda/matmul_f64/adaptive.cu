// Dispatch by shape and device, the library-style entry point: `mma_multistage` with the tile and the splits of k of
// fewest expected cycles. Bound by the matrix units; small shapes by launch and latency.
#include <limits>

#include "backends/cuda/matmul_f64/dispatch.hpp"
#include "backends/cuda/matmul_f64/mma_f64.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MMA_F64
using matmul_f64::Config, matmul_f64::TileShape, matmul_f64::tile_k;

struct Plan {
  bool by_tma = false;
  Config config{};
  double cycles = std::numeric_limits<double>::infinity();
};

/// Blocks of a multiprocessor take turns: two tiles at once take twice as long.
double expected_cycles(const DeviceInfo& device, const MatmulF64::Args& args, const TileShape& tile, bool by_tma,
                       unsigned splits) {
  constexpr double tile_cycles = 2000, launch_cycles = 2500;  // latencies, as estimates
  constexpr double share_of_l2 = 0.375;                       // while all multiprocessors read, on an H200
  const double multiply_adds = device.peak_per_cycle("tensor_f64", 256) / 2 * (by_tma ? 0.95 : 0.85);
  const double k_tiles = blocks_for(blocks_for(args.k, tile_k), splits);
  const double cycles = tile_cycles + k_tiles * tile_k * tile.rows * tile.columns / multiply_adds;
  const unsigned tiles = blocks_for(args.m, tile.rows) * blocks_for(args.n, tile.columns) * splits;
  const double added = splits == 1
                           ? 0
                           : launch_cycles + 2.0 * static_cast<double>(splits * args.c.size_bytes()) /
                                                 (share_of_l2 * device.peak_per_cycle("l2", 64) * device.compute_units);
  return blocks_for(tiles, static_cast<unsigned>(device.compute_units)) * cycles + added;
}

Plan best_plan(const Queue& queue, const MatmulF64::Args& args) {
  constexpr unsigned least_k_tiles = 8, most_splits = 64;  // of a split
  const unsigned k_tiles = blocks_for(args.k, tile_k);
  Plan best;
  const auto consider = [&](bool by_tma, std::span<const TileShape> tiles) {
    for (const TileShape& tile : tiles)
      for (unsigned splits = 1; splits == 1 || (splits <= most_splits && k_tiles / splits >= least_k_tiles); ++splits) {
        const unsigned not_empty = blocks_for(k_tiles, blocks_for(k_tiles, splits));
        if (const double cycles = expected_cycles(queue.device, args, tile, by_tma, not_empty); cycles < best.cycles)
          best = {by_tma, {tile.rows, tile.columns, not_empty}, cycles};
      }
  };
#if CROSSWARP_HAS_PTX
  if (queue.device.has("tma") && matmul_f64_mma_tma::is_for(args.n, args.k) && args.k > 0)
    consider(true, matmul_f64_mma_tma::tiles);
#endif
  consider(false, matmul_f64_mma_multistage::tiles);
  return best;
}

std::size_t workspace(const Queue& queue, const MatmulF64::Args& args) {
  return best_plan(queue, args).config.workspace_bytes(args);
}

void gemm(const Queue& given, const MatmulF64::Args& args) {
  const Queue queue = pdl_by_tuning(given);
  const Plan plan = best_plan(queue, args);
#if CROSSWARP_HAS_PTX
  if (plan.by_tma) return matmul_f64_mma_tma::gemm(queue, args, plan.config);
#endif
  matmul_f64_mma_multistage::gemm(queue, args, plan.config);
}
#endif

const Register<MatmulF64> variant{{
    .idea = "dispatch by shape: mma_multistage with the tile and split-K that a cost model picks",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "mma_multistage",
    .needs = needs_of_mma_f64,
#if CROSSWARP_HAS_MMA_F64
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
