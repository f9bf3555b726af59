// Dispatch by shape and device, the library-style entry point: the tile of `mma_multistage`, or of `mma_tma` where n
// and k are even and the device has TMA, and the splits of k of fewest expected cycles. Bound by the matrix units;
// small shapes by launch and latency.
#include <limits>

#include "backends/cuda/matmul_f64/mma_f64.hpp"
#include "backends/cuda/matmul_f64/tile_model.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MMA_F64
using matmul_f64::Config, matmul_f64::TileModel;

struct Plan {
  void (*gemm)(const Queue&, const MatmulF64::Args&, const Config&) = nullptr;
  Config config{};
  double cycles = std::numeric_limits<double>::infinity();
};

Plan best_plan(const Queue& queue, const MatmulF64::Args& args) {
  constexpr unsigned least_k_tiles = 2;  // of a split
  constexpr unsigned splits_tried[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64};
  const unsigned k_tiles = blocks_for(args.k, matmul_f64::tile_k);
  const auto units = static_cast<std::size_t>(std::max(1, queue.device.compute_units));
  Plan best;
  const auto consider = [&](auto* gemm, std::span<const TileModel> tiles) {
    for (const TileModel& tile : tiles)
      for (const unsigned tried : splits_tried) {
        if (tried > 1 && k_tiles / tried < least_k_tiles) break;
        Config config{.rows = tile.rows,
                      .columns = tile.columns,
                      .splits = blocks_for(k_tiles, blocks_for(k_tiles, tried))};  // none of them empty
        const std::size_t count = config.tiles(args.m, args.n), wave = units * tile.resident;
        // All tiles are split, or those alone that do not fill a wave.
        for (const std::size_t whole : {std::size_t{0}, count / wave * wave}) {
          if (whole > 0 && (config.splits == 1 || whole == count)) continue;
          config.whole = static_cast<unsigned>(whole);
          const double cycles = expected_cycles(tile, {args.m, args.n, args.k}, config, queue.device);
          if (cycles < best.cycles) best = {gemm, config, cycles};
        }
      }
  };
#if CROSSWARP_HAS_PTX
  if (queue.device.has("tma") && matmul_f64_mma_tma::is_for(args.n, args.k) && args.k > 0)
    consider(matmul_f64_mma_tma::gemm, matmul_f64_mma_tma::tiles);
#endif
  consider(matmul_f64_mma_multistage::gemm, matmul_f64_mma_multistage::tiles);
  return best;
}

std::size_t workspace(const Queue& queue, const MatmulF64::Args& args) {
  return best_plan(queue, args).config.workspace_bytes(args.m, args.n);
}

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  const Plan plan = best_plan(queue, args);
  plan.gemm(pdl_by_tuning(queue), args, plan.config);
}
#endif

const Register<MatmulF64> variant{{
    .idea = "dispatch by shape: mma_tma, or mma_multistage, with the tile and split-K that a cost model picks",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "mma_tma",
    .needs = needs_of_mma_f64,
#if CROSSWARP_HAS_MMA_F64
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
