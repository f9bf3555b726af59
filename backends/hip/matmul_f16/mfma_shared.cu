// The matrix instructions of AMD's CDNA (MFMA), in place of what WMMA is on NVIDIA's GPUs, on tiles in shared memory
// whose rows are padded by 16 bytes. Bound by the copy of tiles, element by element, and the barriers around it.
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MFMA
constexpr unsigned block = 256;
constexpr unsigned rows = 128, columns = 128, depth = 32;
constexpr unsigned pitch = depth + 8;

/// A or B, as lines along the depth: rows of A, columns of B.
struct Lines {
  const std::uint16_t* at;
  std::size_t count, depth;
  std::size_t line_pitch, depth_pitch;  ///< One of them is 1.

  __device__ std::uint16_t element(std::size_t line, std::size_t place) const {
    return line < count && place < depth ? at[line * line_pitch + place * depth_pitch] : std::uint16_t{0};
  }
};

/// Copies `lines` lines, from `line` on, with zeros outside. Neighbouring threads read neighbouring elements.
template <unsigned lines>
__device__ void fill(std::uint16_t (&tile)[lines * pitch], const Lines& from, std::size_t line, std::size_t place) {
  for (unsigned i = threadIdx.x; i < lines * depth; i += block) {
    const unsigned l = from.depth_pitch == 1 ? i / depth : i % lines;
    const unsigned p = from.depth_pitch == 1 ? i % depth : i / lines;
    tile[l * pitch + p] = from.element(line + l, place + p);
  }
}

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
#define CROSSWARP_HAS_MFMA_HERE 1
constexpr unsigned side = 32, step = 8;  // of the sums of one instruction, and of the products that it adds to each
constexpr unsigned share = 64;           // a wave has as many rows and columns: two by two waves, two by two sides

using Sums = float __attribute__((ext_vector_type(16)));
using Four = short __attribute__((ext_vector_type(4)));
using FourHalves = _Float16 __attribute__((ext_vector_type(4)));

/// Lane l has of a the elements 4·(l / 32) to + 3 along the depth of row l % 32, of b the same of column l % 32; and
/// sum v of row 8·(v / 4) + 4·(l / 32) + v % 4 in that column.
template <bool bf16>
__device__ Sums multiply_add(Four a, Four b, Sums sums) {
  if constexpr (bf16)
    return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, sums, 0, 0, 0);
  else
    return __builtin_amdgcn_mfma_f32_32x32x8f16(__builtin_bit_cast(FourHalves, a), __builtin_bit_cast(FourHalves, b),
                                                sums, 0, 0, 0);
}
#else
#define CROSSWARP_HAS_MFMA_HERE 0
#endif

template <bool bf16>
__global__ void __launch_bounds__(block)
    multiply_by_mfma([[maybe_unused]] Lines a, [[maybe_unused]] Lines b, [[maybe_unused]] std::byte* c,
                     [[maybe_unused]] bool f32_out) {
#if CROSSWARP_HAS_MFMA_HERE
  alignas(16) __shared__ std::uint16_t of_a[rows * pitch], of_b[columns * pitch];
  const std::size_t tile_columns = (b.count + columns - 1) / columns;
  const std::size_t row = blockIdx.x / tile_columns * rows, column = blockIdx.x % tile_columns * columns;
  const unsigned wave = threadIdx.x / warp_size(), lane = threadIdx.x % warp_size();
  const unsigned wave_row = wave / 2 * share, wave_column = wave % 2 * share;
  const auto four = [&](const std::uint16_t* tile, unsigned line, unsigned place) {
    return *reinterpret_cast<const Four*>(tile + (line + lane % side) * pitch + place + lane / side * 4);
  };

  Sums sums[2][2] = {};
  for (std::size_t place = 0; place < a.depth; place += depth) {
    __syncthreads();
    fill<rows>(of_a, a, row, place);
    fill<columns>(of_b, b, column, place);
    __syncthreads();
#pragma unroll
    for (unsigned p = 0; p < depth; p += step)
#pragma unroll
      for (unsigned r = 0; r < 2; ++r)
#pragma unroll
        for (unsigned s = 0; s < 2; ++s)
          sums[r][s] =
              multiply_add<bf16>(four(of_a, wave_row + r * side, p), four(of_b, wave_column + s * side, p), sums[r][s]);
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
        const float sum = sums[r][s][v];
        if (f32_out)
          reinterpret_cast<float*>(c)[i] = sum;
        else
          reinterpret_cast<std::uint16_t*>(c)[i] = bf16 ? to_bfloat16(sum).bits : to_half(sum).bits;
      }
#endif
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (args.m == 0 || args.n == 0) return;
  const Lines a{args.a.data(), args.m, args.k, args.k, 1};
  const Lines b = args.b_transposed ? Lines{args.b.data(), args.n, args.k, args.k, 1}
                                    : Lines{args.b.data(), args.n, args.k, 1, args.n};
  launch(args.bf16 ? multiply_by_mfma<true> : multiply_by_mfma<false>,
         blocks_for(args.m, rows) * blocks_for(args.n, columns), block, 0, queue, a, b, args.c.data(), args.f32_out);
}
#endif

const Register<MatmulF16> variant{{
    .idea =
        "AMD's matrix instructions on tiles in padded shared memory: bound by the copies and the barriers around them",
    .improves = "naive",
    .needs = {"mfma"},
#if CROSSWARP_HAS_MFMA
    .launch = multiply,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
