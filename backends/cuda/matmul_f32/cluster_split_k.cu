// Split-K within clusters: the blocks that share a tile of C are a cluster, and add their partial sums by way of
// distributed shared memory. No second launch, and no partial sums in memory. The mainloop is that of multistage. Bound
// by the issue of multiply-adds; small products by latency.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/multistage.hpp"
#include "backends/cuda/resident_clusters.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_cluster_split_k {

#if CROSSWARP_HAS_PTX
/// Of the pipeline's stages or, once these have been read, the block's partial sums, whichever is larger.
template <class Tile>
constexpr std::size_t shared_bytes = std::max(Tile::shared_bytes, sizeof(float) * Tile::m * Tile::n);

/// Loads from another block's shared memory, by its shared::cluster address.
__device__ inline float4 load_from_cluster([[maybe_unused]] unsigned address) {
  float4 v{};
  CROSSWARP_SM90_ASM("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "r"(address)
                     : "memory");
  return v;
}

/// Adds the accumulators of the cluster's blocks, each block those of its share of all vectors, and stores them to
/// `tile` of C. `width`: 4 where rows of C start on 16-byte boundaries, else 1.
template <class Tile, unsigned width>
__device__ void store_sums_of_cluster(const GemmProblem& gemm, const TileCoord& tile,
                                      const float (&acc)[Tile::thread_m][Tile::thread_n]) {
  constexpr unsigned across = Tile::thread_n / 4, vectors = Tile::thread_m * across;  // of four columns, of a thread
  const unsigned splits = cluster_size(), rank = cluster_rank();
  float4* const own = reinterpret_cast<float4*>(dynamic_shared<float>()) + threadIdx.x;
  __syncthreads();  // the last k-tile has been read
#pragma unroll
  for (unsigned v = 0; v < vectors; ++v) own[v * Tile::threads] = to_fresh_registers(&acc[v / across][v % across * 4]);
  cluster_sync();  // all sums are in shared memory

  const ThreadCoord thread = thread_coord<Tile>();
  const std::size_t first_row = std::size_t{tile.row} * Tile::m + thread.row;
  const std::size_t first_column = std::size_t{tile.column} * Tile::n + thread.column;
#pragma unroll 1
  for (unsigned v = rank; v < vectors; v += splits) {
    const unsigned address = shared_address(own + v * Tile::threads);
    float4 of_block[max_splits];  // loads first: none waits for another
#pragma unroll
    for (unsigned s = 0; s < max_splits; ++s)
      of_block[s] = s < splits ? load_from_cluster(mapa(address, s)) : make_float4(0, 0, 0, 0);
    float sums[4]{};
#pragma unroll
    for (unsigned s = 0; s < max_splits; ++s) {
      sums[0] += of_block[s].x;
      sums[1] += of_block[s].y;
      sums[2] += of_block[s].z;
      sums[3] += of_block[s].w;
    }
    const unsigned i = v / across, j = v % across;
    const std::size_t row = first_row + i / 4 * 32 + i % 4;
    if (row < gemm.m) store_clipped<width == 4>(gemm.c + row * gemm.n, first_column + 16 * j, gemm.n, sums);
  }
  cluster_sync();  // a block stays while its sums are read
}

/// Cluster x: tile x of C. Each of its blocks sums a range of k.
template <class Tile, unsigned width>
static __global__ void __launch_bounds__(Tile::threads, Tile::launch_bound) gemm_cluster_split_k(GemmProblem gemm) {
  grid_dependency_wait();
  const TileCoord tile = rasterize(gemm, blockIdx.x / cluster_size());
  const std::size_t k_begin = cluster_rank() * gemm.k_per_split, k_end = k_begin + gemm.k_per_split;
  float acc[Tile::thread_m][Tile::thread_n] = {};
  multiply_multistage<Tile, width>(gemm, tile, k_begin, k_end < gemm.k ? k_end : gemm.k, acc);
  launch_dependents();
  store_sums_of_cluster<Tile, width>(gemm, tile, acc);
}

using Kernel = void (*)(GemmProblem);

/// Clusters are scheduled by the policy that balances load. By the default one some multiprocessors get two blocks of
/// clusters while others have none: 1024³ by 128 x 128 and four splits took 79 us, 50 by this one (H100).
template <class Tile>
Kernel kernel_for(const MatmulF32::Args& args) {
  const Kernel kernel = args.n % 4 == 0 ? gemm_cluster_split_k<Tile, 4> : gemm_cluster_split_k<Tile, 1>;
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeClusterSchedulingPolicyPreference,
                             cudaClusterSchedulingPolicyLoadBalancing),
        "scheduling of clusters");
  return kernel;
}

/// Of the current device, by the driver.
template <class Tile>
unsigned active_clusters(const MatmulF32::Args& args, unsigned splits) {
  return resident_clusters(kernel_for<Tile>(args), splits, Tile::threads, shared_bytes<Tile>);
}

template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args, unsigned splits) {
  GemmProblem problem = gemm_problem<Tile>(args);
  problem.k_per_split = std::size_t{blocks_for(blocks_for(args.k, Tile::k), splits)} * Tile::k;
  launch_clusters(splits, kernel_for<Tile>(args), problem.tiles_n * problem.tiles_m * splits, Tile::threads,
                  shared_bytes<Tile>, queue, problem);
}

template <class Tile>
ClusterGemm entry_of() {
  return {active_clusters<Tile>, gemm<Tile>};
}

using namespace matmul_f32_multistage;

template ClusterGemm entry_of<Tile128x128>();
template ClusterGemm entry_of<Tile64x128>();
template ClusterGemm entry_of<Tile128x64>();
template ClusterGemm entry_of<Tile64x64>();
template ClusterGemm entry_of<Tile64x32>();
template ClusterGemm entry_of<Tile32x64>();
template ClusterGemm entry_of<Tile32x32>();

/// Calls `use` with the tile of the tuning: `[&]<class Tile>()`.
template <class Use>
void with_tile(const Queue& queue, Use&& use) {
  const auto rows = queue.tuning["rows"], columns = queue.tuning["columns"];
  if (rows == 32) return columns == 32 ? use.template operator()<Tile32x32>() : use.template operator()<Tile32x64>();
  if (rows == 128)
    return columns == 128 ? use.template operator()<Tile128x128>() : use.template operator()<Tile128x64>();
  if (columns == 32) return use.template operator()<Tile64x32>();
  return columns == 128 ? use.template operator()<Tile64x128>() : use.template operator()<Tile64x64>();
}

/// The tuning's `splits`; 0: as many as have room on the device at once, of at least four k-tiles each.
template <class Tile>
unsigned splits_for(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["splits"]; given > 0) return static_cast<unsigned>(given);
  const unsigned tiles = blocks_for(args.n, Tile::n) * blocks_for(args.m, Tile::m);
  unsigned splits = std::clamp(static_cast<unsigned>(args.k / (4 * Tile::k)), 1u, max_splits);
  while (splits > 1 && active_clusters<Tile>(args, splits) < tiles) --splits;
  return splits;
}

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  with_tile(queue, [&]<class Tile>() { gemm<Tile>(queue, args, splits_for<Tile>(queue, args)); });
}

/// splits 0: as many as have room.
Tuning tuning(int rows, int columns, int splits) {
  return {{{"rows", rows}, {"columns", columns}, {"splits", splits}}};
}
#endif

const Register<MatmulF32> variant{{
    .idea = "split-K within a cluster: its blocks share a tile of C and add their sums by distributed shared memory",
    .bound_by = "issue of multiply-adds; small products by latency",
    .improves = "multistage",
    .needs = {"ptx", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(64, 128, 0), tuning(128, 128, 0), tuning(128, 64, 0), tuning(64, 64, 0), tuning(64, 32, 0),
                tuning(32, 64, 0), tuning(32, 32, 0), tuning(64, 128, 2), tuning(64, 128, 8), tuning(32, 64, 5),
                tuning(32, 32, 7)},
    .launch = launch_tuned,
    .instructions = {{"FFMA", 256}, {"LDGSTS", 2}},
#endif
}};

}  // namespace matmul_f32_cluster_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
