// 3xTF32 without a pass that splits operands: wgmma with its A in registers. The operand with more rows is wgmma's A:
// warps load it from shared memory and subtract its high parts. The other one stays in shared memory, where warps of
// their own write its low parts beside it. Each k-tile is loaded once for three products: a third of the
// traffic of operands of three times the depth. Blocks share k where tiles are few (split-K). Bound by the matrix
// units; with up to about 64 rows or columns by memory bandwidth.
#include <algorithm>
#include <cmath>

#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_tf32/dispatch.hpp"
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"
#include "backends/cuda/tensor_gemm/work_tiles.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_wgmma_registers {

#if CROSSWARP_HAS_PTX
constexpr unsigned consumers = 2, splitters = 4;  // warpgroups that multiply; warps that write low parts
constexpr unsigned first_splitter = consumers * warpgroup_size / 32, producer = first_splitter + splitters;  // warps
constexpr unsigned threads = (producer + 1) * 32;
constexpr unsigned tile_rows = 64 * consumers;                 // of the larger operand
constexpr unsigned k_tile_floats = row_bytes / sizeof(float);  // tile_k counts words of 16 bits, as tensor maps do

/// `columns`: rows of the smaller operand.
template <unsigned tile_columns>
struct Tile {
  static constexpr unsigned columns = tile_columns;
  static constexpr unsigned large_bytes = tile_rows * row_bytes, small_bytes = columns * row_bytes;
  static constexpr unsigned stage_bytes = large_bytes + 2 * small_bytes;  ///< With the low parts.
  static constexpr unsigned stages = std::min(8u, 226 * 1024 / stage_bytes);
  static constexpr unsigned shared_bytes = stages * stage_bytes;
};

#if CROSSWARP_TARGET_HAS_WGMMA
// Operands after the accumulators: four registers of A, B's descriptor.
#define CROSSWARP_WGMMA_FROM_REGISTERS(columns, count, a0, a1, a2, a3, b_at)                                         \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k8.f32.tf32.tf32 {" CROSSWARP_WGMMA_##count##_REGISTERS \
               "}, {%" #a0 ",%" #a1 ",%" #a2 ",%" #a3                                                                \
               "}"                                                                                                   \
               ", %" #b_at ", 1, 1, 1;"                                                                              \
               : CROSSWARP_WGMMA_##count##_ACC("+f", d)                                                              \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

/// d += a·b, of 64 x 8 and 8 x 2·`count` floats as TF32. Lane 4g + t of warp w holds rows 16·w + g and 8 further of
/// `a`, in column t, then t + 4; `b` and d as of wgmma_k_major().
template <unsigned count>
__device__ void wgmma_from_registers(float (&d)[count], const std::uint32_t (&a)[4], std::uint64_t b) {
  static_assert(count == 32 || count == 64);
  if constexpr (count == 32) CROSSWARP_WGMMA_FROM_REGISTERS(64, 32, 32, 33, 34, 35, 36);
  if constexpr (count == 64) CROSSWARP_WGMMA_FROM_REGISTERS(128, 64, 64, 65, 66, 67, 68);
}
#undef CROSSWARP_WGMMA_FROM_REGISTERS

/// The 13 bits that TF32 drops.
__device__ inline float low_part(float x) { return x - cut_to_tf32(x); }

/// A warp's 16 rows of a k-tile, as wgmma_from_registers() takes them. The number itself is its high part.
struct Fragments {
  static constexpr unsigned steps = row_bytes / 32;
  std::uint32_t high[steps][4], low[steps][4];

  /// `from`: the shared address of the warp's first row.
  __device__ void load(unsigned from) {
    const unsigned g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (unsigned step = 0; step < steps; ++step)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        high[step][i] = load_shared<std::uint32_t>(from + swizzled(g + i % 2 * 8, 2 * step + i / 2) + 4 * t);
        low[step][i] = __float_as_uint(low_part(__uint_as_float(high[step][i])));
      }
  }
  /// Fence of the register operands: keeps the compiler from moving their writes past it. Call before the first wgmma
  /// that reads them, and after the wait for the last.
  __device__ void keep() {
#pragma unroll
    for (unsigned step = 0; step < steps; ++step)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) asm volatile("" : "+r"(high[step][i]), "+r"(low[step][i]));
  }
};
#endif

template <class T>
__global__ void __launch_bounds__(threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap large,
                [[maybe_unused]] const __grid_constant__ CUtensorMap small, [[maybe_unused]] const SplitTiles tiles,
                [[maybe_unused]] const Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  __shared__ Pipeline<T::stages> pipeline;
  __shared__ Mbarrier split[T::stages];  // the low parts of the stage are there
  std::byte* const ring = swizzle_aligned_shared();
  const unsigned first_stage = warp_uniform(shared_address(ring));
  if (threadIdx.x == 0) {
    prefetch_tensor_map(large);
    prefetch_tensor_map(small);
    for (Mbarrier& barrier : split) barrier.init(splitters);
    pipeline.init(consumers * warpgroup_size / 32);
  }
  __syncthreads();
  grid_dependency_sync();

  const WorkTile work = tiles.scheduler.work_tile(blockIdx.x);
  const unsigned row = work.tile.row * tile_rows, column = work.tile.column * T::columns;
  const unsigned warp = warp_uniform(threadIdx.x / 32), lane = threadIdx.x % 32;
  PipelineState state;
  if (warp == producer) {
    if (lane > 0) return;
    for (unsigned i = 0; i < work.k_tiles; ++i, state.advance(T::stages)) {
      Mbarrier* const full = pipeline.producer_acquire(state, T::large_bytes + T::small_bytes);
      const unsigned stage = first_stage + state.index * T::stage_bytes, k = (work.first_k_tile + i) * tile_k;
      tma_load(stage, large, row, k, full);
      tma_load(stage + T::large_bytes, small, column, k, full);
    }
    return;
  }
  if (warp >= first_splitter) {
    const unsigned thread = threadIdx.x - first_splitter * 32;
    for (unsigned i = 0; i < work.k_tiles; ++i, state.advance(T::stages)) {
      pipeline.consumer_wait(state);
      std::byte* const small_rows = ring + state.index * T::stage_bytes + T::large_bytes;
      const auto* const from = reinterpret_cast<const float4*>(small_rows);
      auto* const to = reinterpret_cast<float4*>(small_rows + T::small_bytes);
#pragma unroll
      for (unsigned j = thread; j < T::small_bytes / sizeof(float4); j += splitters * 32)
        to[j] = {low_part(from[j].x), low_part(from[j].y), low_part(from[j].z), low_part(from[j].w)};
      fence_proxy_async();
      __syncwarp();
      if (lane == 0) split[state.index].arrive();
    }
    return;
  }

  constexpr std::uint64_t layout = wgmma_layout(16, 8 * row_bytes, WgmmaSwizzle::bytes_128);
  float sums[T::columns / 2] = {};
  for (unsigned i = 0; i < work.k_tiles; ++i) {
    const unsigned stage = first_stage + state.index * T::stage_bytes;
    const std::uint64_t high = wgmma_descriptor(stage + T::large_bytes, layout),
                        low = wgmma_descriptor(stage + T::large_bytes + T::small_bytes, layout);
    Fragments fragments;
    pipeline.consumer_wait(state);
    fragments.load(stage + warp * 16 * row_bytes);
    split[state.index].wait(state.phase);
    fragments.keep();
    wgmma_fence();
#pragma unroll
    for (unsigned step = 0; step < Fragments::steps; ++step) {
      wgmma_from_registers(sums, fragments.low[step], high + 2 * step);
      wgmma_from_registers(sums, fragments.high[step], low + 2 * step);
      wgmma_from_registers(sums, fragments.high[step], high + 2 * step);
    }
    wgmma_commit_group();
    // The other warpgroup multiplies while this one loads its next fragments. A second set of them, loaded ahead, made
    // products a tenth slower (1024³ and 4096³, H100).
    wgmma_wait_group<0>();
    fragments.keep();
    if (lane == 0) pipeline.consumer_release(state.index);
    state.advance(T::stages);
  }
  wgmma_fence_operands(sums);

  const bool is_split = tiles.scheduler.is_split(blockIdx.x);
  const unsigned first_row = (is_split ? 0 : row) + 16 * warp, first_column = is_split ? 0 : column;
  const Output out = is_split ? tiles.sums(c, blockIdx.x, 0) : c;
  if (tiles.swapped)
    store_swapped_sums<T::columns>(out, first_column, first_row, [&sums](unsigned i) { return sums[i]; });
  else
    out.store_fragment<true>(first_row, first_column, sums);
#endif
}

/// Copies of operands whose rows do not begin at multiples of 16 bytes.
OperandRepacking repacking_of(const MatmulTf32::Args& args, std::span<std::byte> workspace) {
  return {{in_words(args.a.data(), args.m, args.k, args.k), in_words(args.b.data(), args.n, args.k, args.k)},
          workspace};
}

/// The larger operand is on wgmma's M side: of two equal ones A.
PersistentConfig config_of(const MatmulTf32::Args& args, unsigned columns, unsigned splits, unsigned whole) {
  return {.rows = tile_rows,
          .columns = columns,
          .cluster = {1, 1},
          .raster = 16,
          .splits = splits,
          .whole = whole,
          .swapped = args.n > args.m};
}

std::size_t workspace_bytes(const MatmulTf32::Args& args, const PersistentConfig& config) {
  return repacking_of(args, {}).bytes() + config.workspace_bytes(args.m, args.n);
}

void gemm(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const OperandRepacking repacking = repacking_of(args, queue.workspace);
  launch_repacking(queue, repacking);
  Queue after = queue;
  after.workspace = queue.workspace.subspan(repacking.bytes());
  const auto [a, b] = repacking.result();
  const Output out = output(args);
  const SplitTiles tiles = work_tiles(config, args.m, args.n, blocks_for(args.k, k_tile_floats),
                                      reinterpret_cast<float*>(after.workspace.data()));
  with_constant<64, 128>(config.columns, [&]<unsigned columns>() {
    launch(gemm_kernel<Tile<columns>>, tiles.scheduler.count(), threads, Tile<columns>::shared_bytes, after,
           tensor_map(config.swapped ? b : a, tile_rows), tensor_map(config.swapped ? a : b, columns), tiles, out);
  });
  launch_add_split_tiles(after, tiles, out);
}

/// Launch included. Peaks are the device's; shares of them and latencies are fitted to 672 launches of an H100 at 76
/// products, 64 of them random: 10 % off (root mean square), and of the configurations tried the choice takes 0.7 %
/// longer than the fastest. What is multiplied and what comes from memory overlap, stores follow. Power takes some of
/// the clock from large products. Splits, and copies of operands, take a launch more.
double expected_cycles(const DeviceInfo& device, const MatmulTf32::Args& args, const PersistentConfig& config) {
  constexpr double fixed = 5500, second_launch = 3050, exposed = 0.094;
  constexpr double share_of_memory = 0.556, share_copied = 0.72, share_stored = 0.45, share_of_l2 = 0.23;
  constexpr double cycles_of_sum = 0.047;  // stored by a block
  constexpr double throttled = 0.18, half_throttled_at = 550e3;
  const double of_k_tile = config.columns == 64 ? 105 : 0;  // beyond its products
  const double units = std::max(1, device.compute_units), memory = device.peak_per_cycle("memory", 18) * units;
  const double m = static_cast<double>(args.m), n = static_cast<double>(args.n), k = static_cast<double>(args.k);
  const unsigned tiles = config.tiles(args.m, args.n), whole = config.splits == 1 ? tiles : config.whole;
  const unsigned k_tiles = blocks_for(args.k, k_tile_floats);
  const double whole_waves = std::ceil(whole / units), split_waves = std::ceil((tiles - whole) * config.splits / units);
  const double own_k_tiles = whole_waves * k_tiles + split_waves * blocks_for(k_tiles, config.splits);
  const double multiplied =
      own_k_tiles * 3 * 2.0 * tile_rows * config.columns * k_tile_floats / device.peak_per_cycle("tensor_tf32", 2048);
  const double computed =
      multiplied * (1 + throttled * multiplied / (multiplied + half_throttled_at)) + own_k_tiles * of_k_tile;
  const double bytes = sizeof(float) * (m + n) * k, moved = bytes / (share_of_memory * memory);
  const double sums_of_block = 1.0 * config.stored_rows(args.m) * config.stored_columns(args.n);
  const auto bytes_of_sums = static_cast<double>(config.workspace_bytes(args.m, args.n));
  double cycles = fixed + std::max(computed, moved) + exposed * std::min(computed, moved) +
                  (whole_waves + split_waves) * cycles_of_sum * sums_of_block +
                  (sizeof(float) * m * n + bytes_of_sums) / (share_stored * memory);
  if (args.k % 4 != 0) cycles += second_launch + 2 * bytes / (share_copied * memory);
  if (config.splits > 1)
    cycles += second_launch + bytes_of_sums / (share_of_l2 * device.peak_per_cycle("l2", 64) * units);
  return cycles;
}

std::vector<Choice<MatmulTf32>> choices(const Queue& queue, const MatmulTf32::Args& args) {
  std::vector<Choice<MatmulTf32>> all;
  if (!args.split || args.c.empty() || args.k == 0) return all;
  constexpr unsigned most_splits = 64;
  const unsigned k_tiles = blocks_for(args.k, k_tile_floats);
  const auto units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
  for (const unsigned columns : {64, 128}) {
    const unsigned tiles = config_of(args, columns, 1, 0).tiles(args.m, args.n), waves = tiles / units * units;
    for (unsigned splits = 1; splits <= std::min(most_splits, k_tiles); ++splits) {
      if (blocks_for(k_tiles, blocks_for(k_tiles, splits)) != splits) continue;  // some would be empty
      const auto add = [&](unsigned whole) {
        const PersistentConfig config = config_of(args, columns, splits, whole);
        all.push_back({expected_cycles(queue.device, args, config),
                       {[config](const Queue& on, const MatmulTf32::Args& of) { gemm(on, of, config); },
                        workspace_bytes(args, config)}});
      };
      add(0);
      if (splits > 1 && waves > 0 && waves < tiles) add(waves);  // those tiles alone that do not fill a wave
    }
  }
  return all;
}

PersistentConfig config_of_tuning(const Queue& queue, const MatmulTf32::Args& args) {
  return config_of(args, static_cast<unsigned>(queue.tuning["columns"]), static_cast<unsigned>(queue.tuning["splits"]),
                   0);
}

/// columns: of a tile. splits: of k, at most. pdl: programmatic dependent launch.
Tuning tuning(int columns, int splits, int pdl = 1) {
  return {{{"columns", columns}, {"splits", splits}, {"pdl", pdl}}};
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "3xTF32 without a pass before: wgmma with its A in registers, low parts of both operands computed in the "
            "kernel",
    .bound_by = "the matrix units; with up to about 64 rows or columns memory bandwidth",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(128, 1), tuning(128, 1, 0), tuning(128, 2), tuning(128, 4), tuning(128, 16), tuning(64, 1),
                tuning(64, 2), tuning(64, 4), tuning(64, 8), tuning(64, 64)},
    .applies = [](const Point& point) { return point.word("precision") == "3xtf32"; },
    .workspace = [](const Queue& queue,
                    const MatmulTf32::Args& args) { return workspace_bytes(args, config_of_tuning(queue, args)); },
    .launch = [](const Queue& queue,
                 const MatmulTf32::Args& args) { gemm(pdl_by_tuning(queue), args, config_of_tuning(queue, args)); },
    .instructions = {{"HGMMA.64x128x8.F32.TF32", 12}, {"UTMALDG.2D", 2}},
#endif
}};

}  // namespace matmul_tf32_wgmma_registers
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
