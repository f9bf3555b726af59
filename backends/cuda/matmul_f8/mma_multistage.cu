// Matrix instructions of single warps (mma.sync), fed by ldmatrix from swizzled tiles in shared memory; a ring of
// stages that cp.async fills two k-tiles ahead. Any shape. Bound by these instructions: for Hopper the assembler widens
// 8-bit fragments to binary16 (F2FP), and multiplies those at the rate of 16 bits (HMMA).
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/matmul_f8/dispatch.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_mma_multistage {

#if CROSSWARP_HAS_PTX
constexpr unsigned rows = 128, columns = 128, warp_rows = 64;  // of a block; of a warp
constexpr unsigned stages = 3;
using Ring = OperandRing<rows, columns, stages>;

/// Sums are in 14 bits where mma.sync on 8 bits is an instruction (QMMA, Ada). Promoted ones take as many registers
/// again: half the columns for a warp, twice the warps.
template <bool promoted>
struct Warps {
  static constexpr unsigned columns_each = promoted ? 32 : 64;
  static constexpr unsigned across = columns / columns_each, threads = rows / warp_rows * across * warp_size();
};

/// d += a·b, of 16 x 32 and 32 x 8 elements. Fragments are those of 16-bit pairs. From sm_89 on.
template <class A>
__device__ void mma_m16n8k32([[maybe_unused]] float (&d)[4], [[maybe_unused]] const std::uint32_t (&a)[4],
                             [[maybe_unused]] std::uint32_t b0, [[maybe_unused]] std::uint32_t b1) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
  if constexpr (std::is_same_v<A, E5m2>)
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/// Multiplies a warp's 64 rows and 16·`pairs_of_columns` columns of a k-tile; accumulators of m16n8. One ldmatrix loads
/// 16 rows and 32 elements along k of A (both halves of the rows, then of k) or of B (both halves of k, then of the
/// columns).
template <class A, unsigned pairs_of_columns>
__device__ void mma_k_tile(float (&accumulators)[4][2 * pairs_of_columns][4], unsigned a, unsigned b, unsigned warp_row,
                           unsigned warp_column) {
  const unsigned lane = threadIdx.x % warp_size(), matrix = lane / 8, i = lane % 8;
#pragma unroll
  for (unsigned step = 0; step < tile_k8 / 32; ++step) {
    std::uint32_t fragments_a[4][4], fragments_b[pairs_of_columns][4];
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)
      ldmatrix_x4<false>(fragments_a[r], a + swizzled(warp_row + 16 * r + 8 * (matrix % 2) + i, 2 * step + matrix / 2));
#pragma unroll
    for (unsigned c = 0; c < pairs_of_columns; ++c)
      ldmatrix_x4<false>(fragments_b[c],
                         b + swizzled(warp_column + 16 * c + 8 * (matrix / 2) + i, 2 * step + matrix % 2));
#pragma unroll
    for (unsigned r = 0; r < 4; ++r)
#pragma unroll
      for (unsigned c = 0; c < 2 * pairs_of_columns; ++c)
        mma_m16n8k32<A>(accumulators[r][c], fragments_a[r], fragments_b[c / 2][c % 2 * 2],
                        fragments_b[c / 2][c % 2 * 2 + 1]);
  }
}

/// Loads 128 rows of 128 elements, from (`row`, `column`) on; zeros outside. By cp.async where rows begin at multiples
/// of 16 bytes: the caller commits and waits. Else byte by byte.
template <unsigned threads>
__device__ void load(unsigned to_shared, const Matrix8& from, unsigned row, unsigned column) {
  if (from.is_aligned()) return load_tile<rows, threads>(to_shared, pairs(from), row, column / 2);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < rows * 8; i += threads) {
    const unsigned r = row + i / 8, first = column + i % 8 * 16;
    const auto word = [&](unsigned at) {
      std::uint32_t bytes = 0;
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) bytes |= std::uint32_t{from.element(r, at + j)} << 8 * j;
      return bytes;
    };
    store_shared(to_shared + swizzled(i / 8, i % 8),
                 uint4{word(first), word(first + 4), word(first + 8), word(first + 12)});
  }
}

template <class A, bool promoted>
__global__ void __launch_bounds__(Warps<promoted>::threads, promoted ? 1 : 2)
    gemm_kernel(Matrix8 a, Matrix8 b, Raster raster, Output c, Scale scale) {
  constexpr unsigned threads = Warps<promoted>::threads, warp_columns = Warps<promoted>::columns_each;
  const Ring ring{shared_address(dynamic_shared<std::byte>())};
  const TileCoord tile = raster.tile(blockIdx.x);
  const unsigned row = tile.row * rows, column = tile.column * columns;
  const unsigned k_tiles = (a.columns + tile_k8 - 1) / tile_k8;
  const auto load_stage = [&](unsigned k_tile, unsigned stage) {
    if (k_tile < k_tiles) {
      load<threads>(ring.a(stage), a, row, k_tile * tile_k8);
      load<threads>(ring.b(stage), b, column, k_tile * tile_k8);
    }
    cp_async_commit_group();  // an empty group keeps the count
  };
#pragma unroll
  for (unsigned stage = 0; stage + 1 < stages; ++stage) load_stage(stage, stage);

  const unsigned warp = threadIdx.x / warp_size();
  const unsigned warp_row = warp / Warps<promoted>::across * warp_rows,
                 warp_column = warp % Warps<promoted>::across * warp_columns;
  float accumulators[4][warp_columns / 8][4] = {}, sums[promoted ? 4 : 1][warp_columns / 8][4] = {};
  PipelineState state;
  unsigned previous = stages - 1;  // stage
  for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile) {
    cp_async_wait_group<stages - 2>();
    __syncthreads();  // all threads have loaded this stage, all warps have read the previous one
    load_stage(k_tile + stages - 1, previous);
    mma_k_tile<A, warp_columns / 16>(accumulators, ring.a(state.index), ring.b(state.index), warp_row, warp_column);
    if constexpr (promoted)
#pragma unroll
      for (unsigned r = 0; r < 4; ++r)
#pragma unroll
        for (unsigned j = 0; j < warp_columns / 8; ++j)
#pragma unroll
          for (unsigned i = 0; i < 4; ++i) {
            sums[r][j][i] += accumulators[r][j][i];
            accumulators[r][j][i] = 0;
          }
    previous = state.index;
    state.advance(stages);
  }
  const float factor = scale.value();
#pragma unroll
  for (unsigned r = 0; r < 4; ++r) {
    auto& all = reinterpret_cast<float(&)[warp_columns / 2]>(promoted ? sums[promoted ? r : 0] : accumulators[r]);
#pragma unroll
    for (float& sum : all) sum *= factor;
    c.store_fragment<true>(row + warp_row + 16 * r, column + warp_column, all);
  }
}

void gemm(const Queue& queue, const MatmulF8::Args& args, unsigned raster_width) {
  if (finish_if_empty(queue, args)) return;
  const Raster raster{blocks_for(args.m, rows), blocks_for(args.n, columns), raster_width};
  const auto multiply = [&]<class A, bool promoted>() {
    launch(gemm_kernel<A, promoted>, raster.count(), Warps<promoted>::threads, Ring::bytes, queue, matrix_a(args),
           matrix_b(args), raster, unscaled_output(args), scale_of(args));
  };
  with_type_of_a(args, [&]<class A>() {
    args.promoted ? multiply.template operator()<A, true>() : multiply.template operator()<A, false>();
  });
}

void launch_tuned(const Queue& queue, const MatmulF8::Args& args) {
  gemm(queue, args, static_cast<unsigned>(queue.tuning["raster"]));
}
#endif

// `tma` stands for the 8-bit mma.sync of sm_89 and later: no feature has that name, and Ada is left out.
const Register<MatmulF8> variant{{
    .idea = "mma.sync fed by ldmatrix from a swizzled cp.async ring",
    .bound_by = "a warp's matrix instructions, on Hopper those of 16 bits",
    .improves = "shared_tile",
    .needs = {"ptx", "mma_sync", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 8}}}, {{{"raster", 1}}}, {{{"raster", 16}}}},
    .launch = launch_tuned,
    .instructions = {{"HMMA.16816.F32", 256}, {"F2FP.F16.E4M3.UNPACK_B", 64}, {"LDSM.16.M88.4", 32}, {"LDGSTS", 16}},
#endif
}};

}  // namespace matmul_f8_mma_multistage
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
