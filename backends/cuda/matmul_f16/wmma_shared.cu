// WMMA on tiles that the block shares: each element is read from memory once for 128 of the other factor. Rows in
// shared memory are padded by 16 bytes, without which most of its wavefronts are conflicts. Bound by the barriers
// between the copy of a tile and its use.
#include "backends/cuda/matmul_f16/wmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_WMMA
constexpr unsigned block = 256;
constexpr unsigned rows = 128, columns = 128, depth = 32;
constexpr unsigned warp_rows = 64, warp_columns = 32;  // of a warp's share: two of them above, four beside each other
constexpr unsigned padding = 8;                        // elements: then eight rows of 16 bytes are in different banks

/// A tile of a factor in shared memory.
template <unsigned tile_rows, unsigned tile_columns>
struct Padded {
  static constexpr unsigned pitch = tile_columns + padding;
  alignas(32) std::uint16_t at[tile_rows * pitch];

  __device__ void fill(const Factor& from, unsigned row, unsigned column) {
    constexpr unsigned pieces = tile_columns / 8;
#pragma unroll
    for (unsigned i = threadIdx.x; i < tile_rows * pieces; i += block)
      *reinterpret_cast<uint4*>(at + i / pieces * pitch + i % pieces * 8) =
          from.piece(row + i / pieces, column + i % pieces * 8);
  }
};

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(block) multiply_shared(Factor a, Factor b, Output c) {
  __shared__ Padded<rows, depth> of_a;
  __shared__ Padded<b_transposed ? columns : depth, b_transposed ? depth : columns> of_b;
  __shared__ alignas(32) float written[block / 32][side * side];
  const unsigned row_tiles = (c.rows + rows - 1) / rows;
  const unsigned row = blockIdx.x % row_tiles * rows, column = blockIdx.x / row_tiles * columns;
  const unsigned warp = threadIdx.x / warp_size();
  const unsigned warp_row = warp / 4 * warp_rows, warp_column = warp % 4 * warp_columns;

  Sums sums[warp_rows / side][warp_columns / side];
#pragma unroll
  for (auto& of_row : sums)
#pragma unroll
    for (Sums& sum : of_row) nvcuda::wmma::fill_fragment(sum, 0.0f);
  for (unsigned first = 0; first < a.columns; first += depth) {
    __syncthreads();
    of_a.fill(a, row, first);
    of_b.fill(b, b_transposed ? column : first, b_transposed ? first : column);
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < depth; step += side) {
      FragmentA<bf16> fragments_a[warp_rows / side];
      FragmentB<bf16, b_transposed> fragment_b;
#pragma unroll
      for (unsigned r = 0; r < warp_rows / side; ++r)
        load_fragment<bf16>(fragments_a[r], of_a.at + (warp_row + r * side) * of_a.pitch + step, of_a.pitch);
#pragma unroll
      for (unsigned s = 0; s < warp_columns / side; ++s) {
        const unsigned at = warp_column + s * side;
        load_fragment<bf16>(fragment_b, of_b.at + (b_transposed ? at * of_b.pitch + step : step * of_b.pitch + at),
                            of_b.pitch);
#pragma unroll
        for (unsigned r = 0; r < warp_rows / side; ++r)
          nvcuda::wmma::mma_sync(sums[r][s], fragments_a[r], fragment_b, sums[r][s]);
      }
    }
  }
#pragma unroll
  for (unsigned r = 0; r < warp_rows / side; ++r)
#pragma unroll
    for (unsigned s = 0; s < warp_columns / side; ++s)
      store_sums(c, row + warp_row + r * side, column + warp_column + s * side, sums[r][s], written[warp]);
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (is_done_without_factors(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, rows)} * blocks_for(args.n, columns);
  with_factors(args, [&]<bool bf16, bool b_transposed>() {
    launch(multiply_shared<bf16, b_transposed>, blocks_for(tiles, 1), block, 0, queue, factor_a(args), factor_b(args),
           Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "WMMA on tiles in padded shared memory, each read once by a block: bound by the barriers around a copy",
    .improves = "wmma_global",
    .needs = {"wmma", "mma_sync"},
#if CROSSWARP_HAS_WMMA
    .launch = multiply,
    .instructions = {{"HMMA.16816.F32", 32}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
