// AMD's matrix instructions (MFMA, CDNA), the counterpart of WMMA, on tiles in shared memory with rows padded by 16
// bytes. Bound by the load of tiles, element by element, and the barriers around it.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MFMA
constexpr unsigned block = 256;
constexpr unsigned rows = 128, columns = 128, tile_k = 32;
constexpr unsigned pitch = tile_k + 8;

/// A by rows or B by columns: `count` lines along k.
struct Operand {
  const std::uint16_t* data;
  std::size_t count, k;
  std::size_t line_stride, k_stride;  ///< One of them is 1.

  __device__ std::uint16_t element(std::size_t line, std::size_t l) const {
    return line < count && l < k ? data[line * line_stride + l * k_stride] : std::uint16_t{0};
  }
};

/// Loads `lines` lines of a k-tile, from `first_line` and `first_k` on, zeros outside. Neighbouring threads read
/// neighbouring elements.
template <unsigned lines>
__device__ void load(std::uint16_t (&tile)[lines * pitch], const Operand& from, std::size_t first_line,
                     std::size_t first_k) {
  for (unsigned i = threadIdx.x; i < lines * tile_k; i += block) {
    const unsigned line = from.k_stride == 1 ? i / tile_k : i % lines;
    const unsigned l = from.k_stride == 1 ? i % tile_k : i / lines;
    tile[line * pitch + l] = from.element(first_line + line, first_k + l);
  }
}

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
#define CROSSWARP_HAS_MFMA_HERE 1
constexpr unsigned side = 32, mfma_k = 8;  // of one instruction: m and n, and k
constexpr unsigned wave_side = 64;         // of a wave's share of the tile; two by two waves

using Accumulators = float __attribute__((ext_vector_type(16)));
using Four = short __attribute__((ext_vector_type(4)));
using FourHalves = _Float16 __attribute__((ext_vector_type(4)));

/// Lane l holds elements 4·(l / 32) to + 3 along k of a's row and b's column l % 32; accumulator v is in that column,
/// in row 8·(v / 4) + 4·(l / 32) + v % 4.
template <bool bf16>
__device__ Accumulators mfma_32x32x8(Four a, Four b, Accumulators accumulators) {
  if constexpr (bf16)
    return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, accumulators, 0, 0, 0);
  else
    return __builtin_amdgcn_mfma_f32_32x32x8f16(__builtin_bit_cast(FourHalves, a), __builtin_bit_cast(FourHalves, b),
                                                accumulators, 0, 0, 0);
}
#else
#define CROSSWARP_HAS_MFMA_HERE 0
#endif

template <bool bf16>
__global__ void __launch_bounds__(block) gemm_mfma([[maybe_unused]] Operand a, [[maybe_unused]] Operand b,
                                                   [[maybe_unused]] std::byte* c, [[maybe_unused]] bool f32_out) {
#if CROSSWARP_HAS_MFMA_HERE
  alignas(16) __shared__ std::uint16_t tile_a[rows * pitch], tile_b[columns * pitch];
  const std::size_t tile_columns = (b.count + columns - 1) / columns;
  const std::size_t row = blockIdx.x / tile_columns * rows, column = blockIdx.x % tile_columns * columns;
  const unsigned wave = threadIdx.x / warp_size(), lane = threadIdx.x % warp_size();
  const unsigned wave_row = wave / 2 * wave_side, wave_column = wave % 2 * wave_side;
  const auto fragment = [&](const std::uint16_t* tile, unsigned line, unsigned l) {
    return *reinterpret_cast<const Four*>(tile + (line + lane % side) * pitch + l + lane / side * 4);
  };

  Accumulators accumulators[2][2] = {};
  for (std::size_t first_k = 0; first_k < a.k; first_k += tile_k) {
    __syncthreads();
    load<rows>(tile_a, a, row, first_k);
    load<columns>(tile_b, b, column, first_k);
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < tile_k; l += mfma_k)
#pragma unroll
      for (unsigned r = 0; r < 2; ++r)
#pragma unroll
        for (unsigned s = 0; s < 2; ++s)
          accumulators[r][s] = mfma_32x32x8<bf16>(fragment(tile_a, wave_row + r * side, l),
                                                  fragment(tile_b, wave_column + s * side, l), accumulators[r][s]);
  }
#pragma unroll
  for (unsigned r = 0; r < 2; ++r)
#pragma unroll
    for (unsigned s = 0; s < 2; ++s)
#pragma unroll
      for (unsigned v = 0; v < 16; ++v) {
        const std::size_t at_row = row + wave_row + r * side + 8 * (v / 4) + 4 * (lane / side) + v % 4;
        const std::size_t at_column = column + wave_column + s * side + lane % side;
        if (at_row >= a.count || at_column >= b.count) continue;
        const std::size_t i = at_row * b.count + at_column;
        const float sum = accumulators[r][s][v];
        if (f32_out)
          reinterpret_cast<float*>(c)[i] = sum;
        else
          reinterpret_cast<std::uint16_t*>(c)[i] = bf16 ? to_bfloat16(sum).bits : to_half(sum).bits;
      }
#endif
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (args.m == 0 || args.n == 0) return;
  const Operand a{args.a.data(), args.m, args.k, args.k, 1};
  const Operand b = args.b_transposed ? Operand{args.b.data(), args.n, args.k, args.k, 1}
                                      : Operand{args.b.data(), args.n, args.k, 1, args.n};
  launch(args.bf16 ? gemm_mfma<true> : gemm_mfma<false>, blocks_for(args.m, rows) * blocks_for(args.n, columns), block,
         0, queue, a, b, args.c.data(), args.f32_out);
}
#endif

const Register<MatmulF16> variant{{
    .idea = "MFMA (AMD's matrix instructions) on tiles in padded shared memory",
    .bound_by = "tile loads and the barriers around them",
    .improves = "naive",
    .counterparts = {"wmma_shared"},
    .needs = {"mfma"},
#if CROSSWARP_HAS_MFMA
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
