// Split-K: several blocks per tile, each with a range of k; a second pass adds their partial sums. Fills the device
// where C has fewer tiles than the device has room for. Bound by the issue of multiply-adds, and by the traffic of
// partial sums.
#include "backends/cuda/matmul_f32/split_k.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_split_k {

/// Block (x, y): tile x of C, summed over range y of k.
template <class Tile, AlignedRows rows>
static __global__ void __launch_bounds__(Tile::threads, Tile::min_blocks) gemm_kernel(GemmProblem problem) {
  grid_dependency_sync();
  const TileCoord tile = rasterize(problem, blockIdx.x);
  const std::size_t k_begin = blockIdx.y * problem.k_per_split;
  const std::size_t k_end = k_begin + problem.k_per_split < problem.k ? k_begin + problem.k_per_split : problem.k;
  float acc[Tile::thread_m][Tile::thread_n] = {};
  multiply_accumulate<Tile, rows, false>(problem, tile, k_begin, k_end, acc);
  store_tile<Tile, rows>(problem, tile, acc);
}

template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args, std::size_t splits) {
  dispatch_rows(args, [&]<AlignedRows rows>() { launch_splits<Tile>(gemm_kernel<Tile, rows>, queue, args, splits); });
}

template void gemm<FlatTile>(const Queue&, const MatmulF32::Args&, std::size_t);
template void gemm<MediumTile>(const Queue&, const MatmulF32::Args&, std::size_t);
template void gemm<LargeTile>(const Queue&, const MatmulF32::Args&, std::size_t);
template void gemm<CompactTile>(const Queue&, const MatmulF32::Args&, std::size_t);
template void gemm<ThinTile>(const Queue&, const MatmulF32::Args&, std::size_t);
template void gemm<WideTile>(const Queue&, const MatmulF32::Args&, std::size_t);

/// Calls `use` with the tile of the tuning: `[&]<class Tile>()`.
template <class Use>
auto with_tile(const Queue& queue, Use&& use) {
  return queue.tuning["rows"] == 64 ? use.template operator()<FlatTile>() : use.template operator()<MediumTile>();
}

/// The tuning's `splits`; 0: as many as fill the device, of at least four k-tiles each.
template <class Tile>
std::size_t splits_for(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["splits"]; given > 0) return static_cast<std::size_t>(given);
  const std::size_t tiles = std::size_t{blocks_for(args.n, Tile::n)} * blocks_for(args.m, Tile::m);
  const std::size_t resident = Tile::min_blocks * static_cast<std::size_t>(queue.device.compute_units);
  return std::clamp<std::size_t>(resident / tiles, 1, args.k / (4 * Tile::k) + 1);
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return with_tile(queue, [&]<class Tile>() { return split_k_workspace(args, splits_for<Tile>(queue, args)); });
}

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  with_tile(queue, [&]<class Tile>() { gemm<Tile>(queue, args, splits_for<Tile>(queue, args)); });
}

Tuning tuning(int rows, int splits) { return {{{"rows", rows}, {"splits", splits}}}; }

const Register<MatmulF32> variant{{
    .idea = "several blocks per tile, each with a range of k; a second pass adds the partial sums",
    .bound_by = "issue of multiply-adds; traffic of partial sums",
    .improves = "register_prefetch",
    .tunings = {tuning(128, 0), tuning(64, 0), tuning(128, 2), tuning(128, 4), tuning(64, 4), tuning(128, 16),
                tuning(64, 8), tuning(64, 16)},
    .workspace = workspace,
    .launch = launch_tuned,
}};

}  // namespace matmul_f32_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
