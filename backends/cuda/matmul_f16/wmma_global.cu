// WMMA: one warp for each 16 x 16 tile of C, fragments loaded from global memory for every 16 of k. Bound by these
// loads, which L1 and L2 serve: 16 operations for each byte.
#include "backends/cuda/matmul_f16/wmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_WMMA
constexpr unsigned block = 256, warps = 8;  // their tiles are neighbours

/// 16 x 16 elements of an operand: in place where it has them all and its rows are aligned, else copied to `shared`,
/// with zeros outside.
struct Patch {
  const std::uint16_t* data;
  unsigned pitch;

  __device__ Patch(const Operand& from, unsigned row, unsigned column, std::uint16_t* shared)
      : data(from.data + std::size_t{row} * from.pitch + column), pitch(from.pitch) {
    if (from.is_aligned() && row + side <= from.rows && column + side <= from.columns) return;
    sync_warp();  // the previous fragment has been read
    for (unsigned i = threadIdx.x % warp_size(); i < side * side; i += warp_size())
      shared[i] = from.element(row + i / side, column + i % side);
    sync_warp();
    data = shared;
    pitch = side;
  }
};

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(block) gemm_wmma(Operand a, Operand b, Output c) {
  __shared__ alignas(32) std::uint16_t patches[warps][2][side * side];
  __shared__ alignas(32) float staging[warps][side * side];
  const unsigned warp = threadIdx.x / warp_size(), row_tiles = (c.rows + side - 1) / side;
  const unsigned tile = blockIdx.x * warps + warp;
  const unsigned tile_row = tile % row_tiles, tile_column = tile / row_tiles;
  const unsigned row = tile_row * side, column = tile_column * side;
  if (column >= c.columns) return;
  Accumulator accumulator;
  nvcuda::wmma::fill_fragment(accumulator, 0.0f);
  for (unsigned k = 0; k < a.columns; k += side) {
    const Patch patch_a(a, row, k, patches[warp][0]);
    const Patch patch_b(b, b_transposed ? column : k, b_transposed ? k : column, patches[warp][1]);
    FragmentA<bf16> fragment_a;
    FragmentB<bf16, b_transposed> fragment_b;
    load_fragment<bf16>(fragment_a, patch_a.data, patch_a.pitch);
    load_fragment<bf16>(fragment_b, patch_b.data, patch_b.pitch);
    nvcuda::wmma::mma_sync(accumulator, fragment_a, fragment_b, accumulator);
  }
  store_accumulator(c, row, column, accumulator, staging[warp]);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, side)} * blocks_for(args.n, side);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_wmma<bf16, b_transposed>, blocks_for(tiles, warps), block, 0, queue, operand_a(args), operand_b(args),
           Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "WMMA, one warp for each 16 x 16 tile, fragments straight from memory",
    .bound_by = "fragment loads from L1 and L2",
    .improves = "naive",
    .needs = {"wmma", "mma_sync"},
#if CROSSWARP_HAS_WMMA
    .launch = gemm,
    .instructions = {{"HMMA.16816.F32", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
