// Matrix instructions of single warps on doubles (mma.sync, DMMA), fed by TMA: one lane of a multiplying warp loads
// each k-tile into a ring, full and empty mbarriers hand it to the warps, and no barrier of the block is left in the
// loop. Requires rows at multiples of 16 bytes: even n and k. Bound by the matrix instructions, and for large products
// by power.
//
// k may be permuted if both operands agree, rows and columns if C agrees. Here each load brings two neighbours, 16
// bytes, from TMA's swizzled rows without bank conflicts, and they fill registers in the order that the instruction
// takes.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/matmul_f64/mma_f64.hpp"
#include "backends/cuda/matmul_f64/split_tiles.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f64_mma_tma {

#if CROSSWARP_HAS_PTX
using matmul_f64::Config, matmul_f64::SplitTiles, matmul_f64::Target, matmul_f64::tile_k;

constexpr unsigned row_doubles = row_bytes / sizeof(double);  // of a row in shared memory
static_assert(tile_k == row_doubles);
constexpr unsigned panel_bytes = tile_k * row_bytes;  // of B: 16 columns of a k-tile

/// Which warps issue TMA loads. The five or so copies of a k-tile cost the issuing warp some 60 instructions, during
/// which its scheduler's tensor core idles unless another warp keeps it busy, and the block waits for its slowest warp.
/// Taking turns spreads this evenly. Two resident blocks of 128 x 64 keep the units busy either way, and are 3 % faster
/// with one loading warp (4096 cubed, H100).
enum class Loaders { first_warp, all_warps };

/// A block's tile of C, and those of its warps. `resident` blocks fit on a multiprocessor.
template <unsigned tile_rows, unsigned tile_columns, unsigned rows_of_warp, unsigned columns_of_warp,
          unsigned resident_blocks, Loaders loaders_of_block = Loaders::all_warps>
struct Tile {
  static constexpr Loaders loaders = loaders_of_block;
  static constexpr unsigned rows = tile_rows, columns = tile_columns, resident = resident_blocks;
  static constexpr unsigned warp_rows = rows_of_warp, warp_columns = columns_of_warp;
  static constexpr unsigned warps_across = columns / warp_columns, warps = rows / warp_rows * warps_across;
  static constexpr unsigned threads = warps * mma_lanes;
  static constexpr unsigned panels = warp_columns / row_doubles, strips = warp_rows / 8;  // of a warp
  static constexpr unsigned a_bytes = rows * row_bytes, stage_bytes = a_bytes + columns * row_bytes;
  static constexpr unsigned available_bytes = 226 * 1024 / resident - 1024;  // of a block; one kB for its barriers
  static constexpr unsigned stages = std::min(8u, available_bytes / stage_bytes);
  static constexpr unsigned shared_bytes = stages * stage_bytes;
  static_assert(stages >= 3);
};

#if CROSSWARP_TARGET_FROM_SM90
/// A lane's part of the operands' fragments, of eight steps of k. The instruction multiplies a panel (16 columns of B)
/// by a strip (eight rows of A), both transposed, so that two neighbours in memory go to neighbouring registers. Lane
/// 4g + t holds k = 2t and 2t + 1, columns 2g and 2g + 1 of a panel, and row g / 2 + g % 2 · 4 of a strip: in this
/// order the eight lanes that load at once hit all banks.
template <class T>
struct Fragments {
  double panels[T::panels][4], strips[T::strips][2];

  /// Where the lane's fragments are in the ring's first stage.
  struct Source {
    unsigned a[2];  ///< Shared addresses for either half of a k-tile.
    unsigned b[2];  ///< For even and odd k.

    __device__ Source(unsigned ring, unsigned warp_row, unsigned warp_column) {
      const unsigned lane = threadIdx.x % mma_lanes, g = lane / 4, t = lane % 4, row = g / 2 + g % 2 * 4;
      for (unsigned half = 0; half < 2; ++half) a[half] = ring + warp_row * row_bytes + swizzled(row, t + 4 * half);
      for (unsigned odd = 0; odd < 2; ++odd)
        b[odd] = ring + T::a_bytes + warp_column / row_doubles * panel_bytes + swizzled(2 * t + odd, g);
    }
  };

  /// `half`: of a k-tile.
  __device__ void load(const Source& from, unsigned stage, unsigned half) {
    const unsigned offset = stage * T::stage_bytes;
#pragma unroll
    for (unsigned p = 0; p < T::panels; ++p)
#pragma unroll
      for (unsigned odd = 0; odd < 2; ++odd)
        load_pair(&panels[p][2 * odd], from.b[odd] + offset + p * panel_bytes + half * 8 * row_bytes);
#pragma unroll
    for (unsigned s = 0; s < T::strips; ++s) load_pair(strips[s], from.a[half] + offset + s * 8 * row_bytes);
  }
  /// Orders this lane's loads before TMA's next writes to the stage: mbarrier arrivals do not order across proxies.
  __device__ static void finish_reads() { fence_proxy_async(); }

 private:
  __device__ static void load_pair(double* to, unsigned from) {
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(to[0]), "=d"(to[1]) : "r"(from) : "memory");
  }
};
#endif

template <class T>
__global__ void __launch_bounds__(T::threads, T::resident)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] const SplitTiles tiles) {
#if CROSSWARP_TARGET_FROM_SM90
  constexpr unsigned stages = T::stages;
  __shared__ Pipeline<stages> pipeline;
  std::byte* const ring = swizzle_aligned_shared();
  const unsigned warp = warp_uniform(threadIdx.x / mma_lanes), lane = threadIdx.x % mma_lanes;
  const WorkTile work = tiles.scheduler.work_tile(blockIdx.x);
  const unsigned row = work.tile.row * T::rows, column = work.tile.column * T::columns, k_tiles = work.k_tiles;
  if (threadIdx.x == 0) {
    prefetch_tensor_map(a);
    prefetch_tensor_map(b);
    pipeline.init(T::warps);
  }
  __syncthreads();
  grid_dependency_wait();

  // Refills the stage of the k-tile before the previous one: all warps have mostly released it, so that the wait is
  // short.
  PipelineState loading;
  unsigned loaded = 0;
  const auto load_next = [&] {
    if (loaded == k_tiles) return;
    const unsigned loader = T::loaders == Loaders::all_warps ? loaded % T::warps : 0;
    if (warp == loader && lane == 0) {
      const unsigned k = (work.first_k_tile + loaded) * tile_k;
      Mbarrier* const full = pipeline.producer_acquire(loading, T::stage_bytes);
      const unsigned stage = shared_address(ring) + loading.index * T::stage_bytes;
      tma_load(stage, a, row, k, full);
#pragma unroll
      for (unsigned panel = 0; panel < T::columns / row_doubles; ++panel)
        tma_load(stage + T::a_bytes + panel * panel_bytes, b, k, column + panel * row_doubles, full);
    }
    ++loaded;
    loading.advance(stages);
  };
#pragma unroll 1
  for (unsigned i = 0; i + 2 < stages; ++i) load_next();
  __syncwarp();

  const unsigned warp_row = warp / T::warps_across * T::warp_rows,
                 warp_column = warp % T::warps_across * T::warp_columns;
  const typename Fragments<T>::Source source(shared_address(ring), warp_row, warp_column);
  double sums[T::panels][T::strips][4] = {};
  // One set of fragments is loaded while the other one is multiplied: a load into registers that an instruction has yet
  // to read would stall the warp.
  Fragments<T> fragments[2];
  const auto multiply = [&](unsigned half, const auto& load_others) {
#pragma unroll
    for (unsigned p = 0; p < T::panels; ++p)
#pragma unroll
      for (unsigned s = 0; s < T::strips; ++s) {
        mma_m16n8k8(sums[p][s], fragments[half].panels[p], fragments[half].strips[s]);
        if (p == 0 && s == 0) load_others();
      }
  };
  PipelineState state;
  pipeline.consumer_wait(state);
  fragments[0].load(source, state.index, 0);
#pragma unroll 1
  for (unsigned left = k_tiles; left > 0; --left) {
    load_next();
    __syncwarp();  // mma.sync takes whole warps
    multiply(0, [&] { fragments[1].load(source, state.index, 1); });
    Fragments<T>::finish_reads();
    __syncwarp();  // all lanes have read the stage
    if (lane == 0) pipeline.consumer_release(state.index);
    state.advance(stages);
    if (left > 1) pipeline.consumer_wait(state);
    multiply(1, [&] {
      if (left > 1) fragments[0].load(source, state.index, 0);
    });
  }

  launch_dependents();

  // Elements of C as the instruction leaves them: columns 2g and 2g + 1, rows t and t + 4 of eight.
  const Target c = tiles.target(blockIdx.x, work.tile);
#pragma unroll
  for (unsigned panel = 0; panel < T::panels; ++panel) {
    const std::size_t c_column = c.column + warp_column + panel * row_doubles + lane / 4 * 2;
#pragma unroll
    for (unsigned strip = 0; strip < T::strips; ++strip)
#pragma unroll
      for (unsigned h = 0; h < 2; ++h) {
        const std::size_t c_row = c.row + warp_row + 8 * strip + lane % 4 + 4 * h;
        if (c_row < c.rows && c_column < c.columns)
          *reinterpret_cast<DoublePair*>(c.data + c_row * c.columns + c_column) = {sums[panel][strip][h],
                                                                                   sums[panel][strip][2 + h]};
      }
  }
#endif
}

/// Calls `use` with the configuration's tile: `[&]<class T>()`.
template <class Use>
void with_tile(const Config& config, Use&& use) {
  matmul_f64::choose_tile<Tile<128, 64, 32, 64, 2, Loaders::first_warp>, Tile<128, 64, 32, 32, 1>,
                          Tile<64, 64, 16, 32, 2>, Tile<64, 32, 16, 32, 4>, Tile<32, 64, 16, 32, 4>,
                          Tile<32, 32, 16, 16, 4>, Tile<16, 32, 8, 16, 4>>(config, use);
}

void gemm(const Queue& queue, const MatmulF64::Args& args, const Config& config) {
  if (args.k == 0) clear(queue, args.c);
  if (args.c.empty() || args.k == 0) return;
  const auto m = static_cast<unsigned>(args.m), n = static_cast<unsigned>(args.n), k = static_cast<unsigned>(args.k);
  const SplitTiles tiles = matmul_f64::split_tiles(queue, args, config, std::max(1u, 1024 / config.rows));
  with_tile(config, [&]<class T>() {
    launch_spread(gemm_kernel<T>, tiles.scheduler.count(), T::threads, T::shared_bytes, queue,
                  tensor_map(args.a.data(), m, k, k, T::rows, sizeof(double)),
                  tensor_map(args.b.data(), k, n, n, tile_k, sizeof(double)), tiles);
  });
  matmul_f64::launch_add_split_tiles(queue, tiles);
}

Config config_of_tuning(const Queue& queue) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(queue.tuning[name]); };
  return {.rows = number("rows"), .columns = number("columns"), .warps = number("warps")};
}

/// A block's tile of C, and its warps. pdl: programmatic dependent launch.
Tuning tuning(int rows, int columns, int warps = 4, int pdl = 1) {
  return {{{"rows", rows}, {"columns", columns}, {"warps", warps}, {"pdl", pdl}}};
}

#endif

const Register<MatmulF64> variant{{
    .idea = "mma.sync on doubles, fed by TMA and mbarriers; fragments are loaded one step ahead",
    .bound_by = "the matrix units; large products by power",
    .improves = "mma_multistage",
    .needs = {"ptx", "mma_sync", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(128, 64), tuning(128, 64, 4, 0), tuning(128, 64, 8), tuning(64, 64, 8), tuning(64, 32),
                tuning(32, 64), tuning(32, 32), tuning(16, 32)},
    .applies = [](const Point& point) { return is_for(point.integer("n"), point.integer("k")); },
    .launch = [](const Queue& queue,
                 const MatmulF64::Args& args) { gemm(pdl_by_tuning(queue), args, config_of_tuning(queue)); },
    .instructions = {{"DMMA.16x8x8", 32}, {"LDS.128", 24}, {"UTMALDG.2D", 5}},
#endif
}};

}  // namespace matmul_f64_mma_tma
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
