// Candidates of the fp64 GEMM dispatchers: tiles of `mma_multistage`, and of `mma_tma` where n and k are even and the
// device has TMA, each with the splits of k of fewest expected cycles, and `gemv` and `cluster_gemv`. `adaptive`
// takes the least expected, `autotuned` the fastest of the first ones by measurement.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "backends/cuda/matmul_f64/mma_f64.hpp"
#include "backends/cuda/matmul_f64/tile_model.hpp"
#include "backends/gpu/candidate.hpp"

#if CROSSWARP_HAS_MMA_F64

namespace crosswarp::gpu {
namespace {

/// Candidates by expected cycles, ascending; never empty.
inline std::vector<Choice<MatmulF64>> choices(const Queue& queue, const MatmulF64::Args& args) {
  using matmul_f64::Config, matmul_f64::TileModel;
  constexpr unsigned least_k_tiles = 2;  // of a split
  constexpr unsigned splits_tried[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64};
  const unsigned k_tiles = blocks_for(args.k, matmul_f64::tile_k);
  const auto units = static_cast<std::size_t>(std::max(1, queue.device.compute_units));
  std::vector<Choice<MatmulF64>> all;
  const auto consider = [&](auto* gemm, std::span<const TileModel> tiles) {
    for (const TileModel& tile : tiles) {
      Config best{};
      double least = std::numeric_limits<double>::infinity();
      for (const unsigned tried : splits_tried) {
        if (tried > 1 && k_tiles / tried < least_k_tiles) break;
        Config config{.rows = tile.rows,
                      .columns = tile.columns,
                      .warps = tile.warps,
                      .splits = blocks_for(k_tiles, blocks_for(k_tiles, tried))};  // none of them empty
        const std::size_t count = config.tiles(args.m, args.n), wave = units * tile.resident;
        // All tiles are split, or those alone that do not fill a wave.
        for (const std::size_t whole : {std::size_t{0}, count / wave * wave}) {
          if (whole > 0 && (config.splits == 1 || whole == count)) continue;
          config.whole = static_cast<unsigned>(whole);
          const double cycles = expected_cycles(tile, {args.m, args.n, args.k}, config, queue.device);
          if (cycles < least) {
            least = cycles;
            best = config;
          }
        }
      }
      all.push_back({least,
                     {[gemm, best](const Queue& on, const MatmulF64::Args& of) { gemm(on, of, best); },
                      best.workspace_bytes(args.m, args.n)}});
    }
  };
#if CROSSWARP_HAS_PTX
  if (queue.device.has("tma") && matmul_f64_mma_tma::is_for(args.n, args.k) && args.k > 0)
    consider(matmul_f64_mma_tma::gemm, matmul_f64_mma_tma::tiles);
#endif
  consider(matmul_f64_mma_multistage::gemm, matmul_f64_mma_multistage::tiles);
  if (const auto choice = matmul_f64_gemv::choice(queue, args)) all.push_back(*choice);
#if CROSSWARP_HAS_PTX
  if (const auto choice = matmul_f64_cluster_gemv::choice(queue, args)) all.push_back(*choice);
#endif
  std::ranges::stable_sort(all, {}, &Choice<MatmulF64>::cycles);
  return all;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
