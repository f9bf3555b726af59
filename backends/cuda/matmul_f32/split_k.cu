// Split-K: several blocks per tile, each with a share of k; a second pass adds their partial sums. Fills the device
// where C has fewer tiles than the device has room for, or where the last wave has fewer. Bound by the issue of
// multiply-adds, and by the traffic of partial sums.
#include "backends/cuda/matmul_f32/split_k.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_split_k {

/// Block (x, y): tile x of C, summed over range y of k.
template <class Tile, AlignedRows rows>
static __global__ void __launch_bounds__(Tile::threads, Tile::min_blocks) gemm_kernel(GemmProblem problem) {
  grid_dependency_wait();
  const TileCoord tile = rasterize(problem, blockIdx.x);
  const std::size_t k_begin = blockIdx.y * problem.k_per_split;
  const std::size_t k_end = k_begin + problem.k_per_split < problem.k ? k_begin + problem.k_per_split : problem.k;
  float acc[Tile::thread_m][Tile::thread_n] = {};
  multiply_accumulate<Tile, rows, false>(problem, tile, k_begin, k_end, acc);
  launch_dependents();
  store_tile<Tile, rows>(problem, tile, acc);
}

/// Block i: work tile i. The last tiles alone are split.
template <class Tile, AlignedRows rows>
static __global__ void __launch_bounds__(Tile::threads, Tile::min_blocks)
    gemm_split_k(GemmProblem problem, SplitTiles tiles) {
  __shared__ WorkTile work;  // multiply_accumulate() takes all registers
  if (threadIdx.x == 0) work = tiles.scheduler.work_tile(blockIdx.x);
  __syncthreads();
  grid_dependency_wait();
  const KInterval k = k_range<Tile>(problem, work);
  float acc[Tile::thread_m][Tile::thread_n] = {};
  multiply_accumulate<Tile, rows, false>(problem, work.tile, k.begin, k.end, acc);
  launch_dependents();
  if (tiles.scheduler.is_split(blockIdx.x))
    store_tile<Tile, rows>(partial_sums(problem, tiles, blockIdx.x), {0, 0}, acc);
  else
    store_tile<Tile, rows>(problem, work.tile, acc);
}

template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args, const Splits& splits) {
  dispatch_rows(args, [&]<AlignedRows rows>() {
    launch_splits<Tile>({gemm_kernel<Tile, rows>, gemm_split_k<Tile, rows>}, queue, args, splits);
  });
}

template void gemm<LargeTile>(const Queue&, const MatmulF32::Args&, const Splits&);

/// Calls `use` with the tile of the tuning: `[&]<class Tile>()`.
template <class Use>
auto with_tile(const Queue& queue, Use&& use) {
  return queue.tuning["rows"] == 64 ? use.template operator()<FlatTile>() : use.template operator()<MediumTile>();
}

/// All tiles by the tuning's `splits`; 0: those that do not fill a wave, by as many as do, of at least four k-tiles
/// each.
template <class Tile>
Splits splits_for(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["splits"]; given > 0) return {static_cast<unsigned>(given), 0};
  const unsigned tiles = blocks_for(args.n, Tile::n) * blocks_for(args.m, Tile::m);
  const unsigned resident = Tile::min_blocks * static_cast<unsigned>(queue.device.compute_units);
  const unsigned last = tiles % resident;
  if (last == 0) return {};
  return {std::clamp(resident / last, 1u, std::max(1u, static_cast<unsigned>(args.k / (4 * Tile::k)))), tiles - last};
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return with_tile(queue, [&]<class Tile>() { return split_k_workspace<Tile>(args, splits_for<Tile>(queue, args)); });
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
