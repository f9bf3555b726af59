// Dispatch by shape and device, the library-style entry point: `persistent` with the tile, cluster and split-K that a
// cost model expects to be fastest; `mma_multistage` where rows of A and B do not begin at multiples of 16 bytes, and
// where the device has no wgmma. Bound by the matrix units; small shapes by launch and latency.
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "backends/cuda/matmul_f8/dispatch.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
using matmul_f8_persistent::Config;

// Cycles from one k-tile, tile, launch to the next: those of the 16-bit product, measured on an H200.
constexpr double k_tile_cycles = 100, tile_cycles = 300, launch_cycles = 2500;
constexpr unsigned raster = 8;

/// Expected cycles. Shared memory bounds small tiles: TMA writes both operands of a k-tile there, and each warpgroup
/// reads its own rows of A and all of B. Promoted sums take an addition for each element and k-tile, which another
/// warpgroup's instructions hide, if there is one.
double expected_cycles(const Queue& queue, const MatmulF8::Args& args, const Config& config, unsigned resident) {
  const DeviceInfo& device = queue.device;
  const double operations = 2.0 * config.rows * config.columns * tile_k8;
  const double multiplied = operations / device.peak_per_cycle("tensor_fp8", 8192);
  const double shared =
      row_bytes * (2.0 * config.rows + (1 + config.rows / 64) * config.columns) / device.peak_per_cycle("shared", 128);
  const double added = args.promoted ? 2.0 * config.rows * config.columns / device.peak_per_cycle("f32", 256) : 0;
  const double k_tile = std::max(multiplied, shared) + (config.rows == 64 ? added : added / 4) + k_tile_cycles;
  const double l2_bytes = 0.58 * device.peak_per_cycle("l2", 64);  // that threads read and write, as on an H200
  const double element_bytes = args.f32_out || config.splits > 1 ? 4 : 2;
  const double stored = element_bytes * config.rows * config.columns / l2_bytes;
  const double tile = std::max(blocks_for(blocks_for(args.k, tile_k8), config.splits) * k_tile, stored) +
                      8.0 * config.columns + tile_cycles;
  const unsigned clusters = config.splits * blocks_for(args.m, config.rows * config.cluster_rows) *
                            blocks_for(args.n, config.columns * config.cluster_columns);
  const double units = device.compute_units;
  const double from_memory =
      static_cast<double>(args.a.size() + args.b.size()) / (device.peak_per_cycle("memory", 18) * units);
  const double add_partials =
      config.splits == 1 ? 0
                         : launch_cycles + 2.0 * static_cast<double>(config.workspace_bytes(args)) / (l2_bytes * units);
  const double all_tiles = blocks_for(clusters, resident) * tile;
  // The shorter of the two is not fully hidden.
  return std::max(all_tiles, from_memory) + std::min(all_tiles, from_memory) / 4 + add_partials;
}

/// The configuration of fewest expected cycles; among equals the first.
Config search(const Queue& queue, const MatmulF8::Args& args) {
  const unsigned k_tiles = blocks_for(args.k, tile_k8);
  Config best{};
  double least = std::numeric_limits<double>::infinity();
  constexpr std::pair<unsigned, unsigned> tiles[] = {{128, 256}, {128, 128}, {64, 128}};
  constexpr std::pair<unsigned, unsigned> clusters[] = {{2, 1}, {1, 2}, {1, 1}};
  for (const auto& [rows, columns] : tiles)
    for (const auto& [cluster_rows, cluster_columns] : clusters) {
      if (args.promoted && columns > 128) continue;
      if (cluster_rows > blocks_for(args.m, rows) || cluster_columns > blocks_for(args.n, columns)) continue;
      Config config{.rows = rows,
                    .columns = columns,
                    .cluster_rows = cluster_rows,
                    .cluster_columns = cluster_columns,
                    .raster = 16 / cluster_rows};
      const unsigned resident = resident_clusters(queue, args, config);
      for (unsigned splits = 1; resident > 0 && (splits == 1 || (splits <= 64 && k_tiles / splits >= 4)); splits *= 2) {
        config.splits = blocks_for(k_tiles, blocks_for(k_tiles, splits));  // none of them empty
        if (const double cycles = expected_cycles(queue, args, config, resident); cycles < least) {
          best = config;
          least = cycles;
        }
      }
    }
  return best;
}

/// Cached by shape: a search takes longer than a small product.
const Config& best_config(const Queue& queue, const MatmulF8::Args& args) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool>, Config> known;
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, args.m, args.n, args.k, args.promoted, args.f32_out});
  if (is_new) found->second = search(queue, args);
  return found->second;
}

bool is_for_persistent(const Queue& queue, const MatmulF8::Args& args) {
  return args.k % 16 == 0 && queue.device.has("wgmma") && queue.device.has("tma") && queue.device.has("cluster");
}

std::size_t workspace(const Queue& queue, const MatmulF8::Args& args) {
  return is_for_persistent(queue, args) ? best_config(queue, args).workspace_bytes(args) : 0;
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (is_for_persistent(queue, args))
    matmul_f8_persistent::gemm(pdl_by_tuning(queue), args, best_config(queue, args));
  else
    matmul_f8_mma_multistage::gemm(queue, args, raster);
}
#endif

const Register<MatmulF8> variant{{
    .idea = "dispatch by shape: persistent with the tile, cluster and split-K that a cost model picks",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
