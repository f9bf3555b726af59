// WMMA on shared-memory tiles: each element is read from memory once for 128 of the other operand. Rows are padded by
// 16 bytes, without which most wavefronts are bank conflicts. Bound by the barriers between the load of a tile and its
// use.
#include "backends/cuda/matmul_f16/wmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_WMMA
constexpr unsigned block = 256;
constexpr unsigned rows = 128, columns = 128, tile_k = 32;
constexpr unsigned warp_rows = 64, warp_columns = 32;  // two by four warps
constexpr unsigned padding = 8;                        // elements: eight rows of 16 bytes are in different banks

/// A tile of an operand in shared memory.
template <unsigned tile_rows, unsigned tile_columns>
struct Padded {
  static constexpr unsigned pitch = tile_columns + padding;
  alignas(32) std::uint16_t data[tile_rows * pitch];

  __device__ void load(const Operand& from, unsigned row, unsigned column) {
    constexpr unsigned chunks = tile_columns / 8;
#pragma unroll
    for (unsigned i = threadIdx.x; i < tile_rows * chunks; i += block)
      *reinterpret_cast<uint4*>(data + i / chunks * pitch + i % chunks * 8) =
          from.chunk(row + i / chunks, column + i % chunks * 8);
  }
};

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(block) gemm_wmma(Operand a, Operand b, Output c) {
  __shared__ Padded<rows, tile_k> shared_a;
  __shared__ Padded<b_transposed ? columns : tile_k, b_transposed ? tile_k : columns> shared_b;
  __shared__ alignas(32) float staging[block / 32][side * side];
  const unsigned row_tiles = (c.rows + rows - 1) / rows;
  const unsigned row = blockIdx.x % row_tiles * rows, column = blockIdx.x / row_tiles * columns;
  const unsigned warp = threadIdx.x / warp_size();
  const unsigned warp_row = warp / 4 * warp_rows, warp_column = warp % 4 * warp_columns;

  Accumulator accumulators[warp_rows / side][warp_columns / side];
#pragma unroll
  for (auto& row_accumulators : accumulators)
#pragma unroll
    for (Accumulator& accumulator : row_accumulators) nvcuda::wmma::fill_fragment(accumulator, 0.0f);
  for (unsigned k = 0; k < a.columns; k += tile_k) {
    __syncthreads();
    shared_a.load(a, row, k);
    shared_b.load(b, b_transposed ? column : k, b_transposed ? k : column);
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < tile_k; step += side) {
      FragmentA<bf16> fragments_a[warp_rows / side];
      FragmentB<bf16, b_transposed> fragment_b;
#pragma unroll
      for (unsigned r = 0; r < warp_rows / side; ++r)
        load_fragment<bf16>(fragments_a[r], shared_a.data + (warp_row + r * side) * shared_a.pitch + step,
                            shared_a.pitch);
#pragma unroll
      for (unsigned s = 0; s < warp_columns / side; ++s) {
        const unsigned at = warp_column + s * side;
        load_fragment<bf16>(fragment_b,
                            shared_b.data + (b_transposed ? at * shared_b.pitch + step : step * shared_b.pitch + at),
                            shared_b.pitch);
#pragma unroll
        for (unsigned r = 0; r < warp_rows / side; ++r)
          nvcuda::wmma::mma_sync(accumulators[r][s], fragments_a[r], fragment_b, accumulators[r][s]);
      }
    }
  }
#pragma unroll
  for (unsigned r = 0; r < warp_rows / side; ++r)
#pragma unroll
    for (unsigned s = 0; s < warp_columns / side; ++s)
      store_accumulator(c, row + warp_row + r * side, column + warp_column + s * side, accumulators[r][s],
                        staging[warp]);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, rows)} * blocks_for(args.n, columns);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_wmma<bf16, b_transposed>, blocks_for(tiles, 1), block, 0, queue, operand_a(args), operand_b(args),
           Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "WMMA on tiles in padded shared memory, each loaded once by a block",
    .bound_by = "the barriers around each tile's load",
    .improves = "wmma_shared_small",
    .needs = {"wmma", "mma_sync"},
#if CROSSWARP_HAS_WMMA
    .launch = gemm,
    .instructions = {{"HMMA.16816.F32", 32}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
