// Split-K by a pipeline of several k-tiles: tiles of 32 x 32 to 128 x 256 whose copies need no registers and no aligned
// rows. Bound by the issue of multiply-adds; small products by latency. The mainloop, multiply_multistage(), stands in
// the header.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f32/multistage.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_multistage {

/// B and C have the same rows.
template <unsigned width>
constexpr AlignedRows rows_of = width == 4 ? AlignedRows::of_b_and_c : AlignedRows::none;

/// Block (x, y): tile x of C, summed over range y of k.
template <class Tile, unsigned width>
static __global__ void __launch_bounds__(Tile::threads, Tile::launch_bound) gemm_multistage(GemmProblem gemm) {
  grid_dependency_wait();
  const TileCoord tile = rasterize(gemm, blockIdx.x);
  const std::size_t k_begin = blockIdx.y * gemm.k_per_split, k_end = k_begin + gemm.k_per_split;
  float acc[Tile::thread_m][Tile::thread_n] = {};
  multiply_multistage<Tile, width>(gemm, tile, k_begin, k_end < gemm.k ? k_end : gemm.k, acc);
  launch_dependents();
  store_tile<Tile, rows_of<width>>(gemm, tile, acc);
}

/// Block i: work tile i. The last tiles alone are split.
template <class Tile, unsigned width>
static __global__ void __launch_bounds__(Tile::threads, Tile::launch_bound)
    gemm_split_multistage(GemmProblem gemm, SplitTiles tiles) {
  __shared__ WorkTile work;  // accumulators and addresses take most registers
  if (threadIdx.x == 0) work = tiles.scheduler.work_tile(blockIdx.x);
  __syncthreads();
  grid_dependency_wait();
  const KInterval k = k_range<Tile>(gemm, work);
  float acc[Tile::thread_m][Tile::thread_n] = {};
  multiply_multistage<Tile, width>(gemm, work.tile, k.begin, k.end, acc);
  launch_dependents();
  const bool is_split = tiles.scheduler.is_split(blockIdx.x);
  store_tile<Tile, rows_of<width>>(is_split ? partial_sums(gemm, tiles, blockIdx.x) : gemm,
                                   is_split ? TileCoord{0, 0} : work.tile, acc);
}

template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args, const Splits& splits) {
  with_constant<1, 4>(args.n % 4 == 0 ? 4 : 1, [&]<unsigned width>() {
    launch_splits<Tile>({gemm_multistage<Tile, width>, gemm_split_multistage<Tile, width>}, queue, args, splits);
  });
}

template void gemm<Tile128x256>(const Queue&, const MatmulF32::Args&, const Splits&);
template void gemm<Tile128x128>(const Queue&, const MatmulF32::Args&, const Splits&);
template void gemm<Tile64x64>(const Queue&, const MatmulF32::Args&, const Splits&);
template void gemm<Tile64x32>(const Queue&, const MatmulF32::Args&, const Splits&);
template void gemm<Tile32x64>(const Queue&, const MatmulF32::Args&, const Splits&);
template void gemm<Tile64x128>(const Queue&, const MatmulF32::Args&, const Splits&);
template void gemm<Tile128x64>(const Queue&, const MatmulF32::Args&, const Splits&);
template void gemm<Tile32x32>(const Queue&, const MatmulF32::Args&, const Splits&);

/// Calls `use` with the tile of the tuning: `[&]<class Tile>()`.
template <class Use>
auto with_tile(const Queue& queue, Use&& use) {
  const auto rows = queue.tuning["rows"], columns = queue.tuning["columns"];
  if (rows == 32) {
    if (columns == 32) return use.template operator()<Tile32x32>();
    return use.template operator()<Tile32x64>();
  }
  if (rows == 128) {
    if (columns == 256) return use.template operator()<Tile128x256>();
    if (columns == 128) return use.template operator()<Tile128x128>();
    return use.template operator()<Tile128x64>();
  }
  if (columns == 32) return use.template operator()<Tile64x32>();
  if (columns == 128) return use.template operator()<Tile64x128>();
  return use.template operator()<Tile64x64>();
}

/// All tiles by the tuning's `splits`; 0: by as many as fill the device, of at least four k-tiles each.
template <class Tile>
Splits splits_for(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["splits"]; given > 0) return {static_cast<unsigned>(given), 0};
  const unsigned tiles = blocks_for(args.n, Tile::n) * blocks_for(args.m, Tile::m);
  const unsigned resident = Tile::min_blocks * static_cast<unsigned>(queue.device.compute_units);
  return {std::clamp(resident / tiles, 1u, std::max(1u, static_cast<unsigned>(args.k / (4 * Tile::k))))};
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return 0;
  return with_tile(queue, [&]<class Tile>() { return split_k_workspace<Tile>(args, splits_for<Tile>(queue, args)); });
}

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  with_tile(queue, [&]<class Tile>() { gemm<Tile>(queue, args, splits_for<Tile>(queue, args)); });
}

/// splits 0: as many as fill the device.
Tuning tuning(int rows, int columns, int splits) {
  return {{{"rows", rows}, {"columns", columns}, {"splits", splits}}};
}

const Register<MatmulF32> variant{{
    .idea = "a pipeline of several k-tiles by cp.async, element by element: A transposed on its way, rows of any "
            "alignment, small tiles",
    .bound_by = "issue of multiply-adds; small products by latency",
    .improves = "split_k",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
    .tunings = {tuning(64, 64, 0), tuning(64, 128, 0), tuning(128, 64, 0), tuning(64, 32, 0), tuning(32, 64, 0),
                tuning(32, 32, 0), tuning(128, 128, 0), tuning(128, 256, 0), tuning(64, 64, 1), tuning(64, 128, 1),
                tuning(64, 128, 4), tuning(128, 256, 1)},
    .workspace = workspace,
    .launch = launch_tuned,
#if CROSSWARP_HAS_PTX
    .instructions = {{"FFMA", 256}, {"LDGSTS", 2}},
#endif
}};

}  // namespace matmul_f32_multistage
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
