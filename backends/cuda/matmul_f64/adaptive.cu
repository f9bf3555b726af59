// Dispatch by shape and device, the library-style entry point: `mma_multistage` with the tile and the splits of k of
// fewest expected cycles. Bound by the matrix units; small shapes by launch and latency.
#include <limits>

#include "backends/cuda/matmul_f64/dispatch.hpp"
#include "backends/cuda/matmul_f64/mma_f64.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MMA_F64
using matmul_f64_mma_multistage::Config, matmul_f64_mma_multistage::tile_columns, matmul_f64_mma_multistage::tile_k;

/// Blocks of a multiprocessor take turns: two tiles at once take twice as long. A tile of 64 rows feeds each
/// instruction from a third more loads than one of 128.
double expected_cycles(const DeviceInfo& device, const MatmulF64::Args& args, const Config& config) {
  constexpr double tile_cycles = 2000, launch_cycles = 2500;  // latencies, as estimates
  constexpr double share_of_l2 = 0.375;                       // while all multiprocessors read, on an H200
  const double multiply_adds = device.peak_per_cycle("tensor_f64", 256) / 2 * (config.rows == 128 ? 0.95 : 0.85);
  const double k_tiles = blocks_for(blocks_for(args.k, tile_k), config.splits);
  const double tile = tile_cycles + k_tiles * tile_k * config.rows * tile_columns / multiply_adds;
  const unsigned tiles = blocks_for(args.m, config.rows) * blocks_for(args.n, tile_columns) * config.splits;
  const double added = config.splits == 1
                           ? 0
                           : launch_cycles + 2.0 * static_cast<double>(config.workspace_bytes(args)) /
                                                 (share_of_l2 * device.peak_per_cycle("l2", 64) * device.compute_units);
  return blocks_for(tiles, static_cast<unsigned>(device.compute_units)) * tile + added;
}

Config best_config(const Queue& queue, const MatmulF64::Args& args) {
  constexpr unsigned least_k_tiles = 8, most_splits = 64;  // of a split
  const unsigned k_tiles = blocks_for(args.k, tile_k);
  Config best;
  double fewest = std::numeric_limits<double>::infinity();
  for (const unsigned rows : {128u, 64u})
    for (unsigned splits = 1; splits == 1 || (splits <= most_splits && k_tiles / splits >= least_k_tiles);
         splits *= 2) {
      // None of them empty.
      const Config config{.rows = rows, .splits = k_tiles > 0 ? blocks_for(k_tiles, blocks_for(k_tiles, splits)) : 1};
      if (const double cycles = expected_cycles(queue.device, args, config); cycles < fewest)
        best = config, fewest = cycles;
    }
  return best;
}

std::size_t workspace(const Queue& queue, const MatmulF64::Args& args) {
  return best_config(queue, args).workspace_bytes(args);
}

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  matmul_f64_mma_multistage::gemm(queue, args, best_config(queue, args));
}
#endif

const Register<MatmulF64> variant{{
    .idea = "dispatch by shape: mma_multistage with the tile and split-K that a cost model picks",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "mma_multistage",
    .needs = needs_of_mma_f64,
#if CROSSWARP_HAS_MMA_F64
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
