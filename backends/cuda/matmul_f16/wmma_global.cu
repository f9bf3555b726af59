// A warp for each 16 x 16 tile of C, by matrix fragments (WMMA) that are loaded from memory for every 16 products of a
// sum. Bound by these loads, which L1 and L2 serve: 16 operations for each byte.
#include "backends/cuda/matmul_f16/wmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_WMMA
constexpr unsigned block = 256, warps = 8;  // whose tiles lie side by side

/// The 16 x 16 elements of `from` at a place: where it has them all and its rows are aligned, as they lie there; else
/// copied to `shared`, with zeros outside.
struct Patch {
  const std::uint16_t* at;
  unsigned pitch;

  __device__ Patch(const Factor& from, unsigned row, unsigned column, std::uint16_t* shared)
      : at(from.at + std::size_t{row} * from.columns + column), pitch(from.columns) {
    if (from.is_aligned() && row + side <= from.rows && column + side <= from.columns) return;
    sync_warp();  // the fragment that lay there before has been read
    for (unsigned i = threadIdx.x % warp_size(); i < side * side; i += warp_size())
      shared[i] = from.element(row + i / side, column + i % side);
    sync_warp();
    at = shared;
    pitch = side;
  }
};

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(block) multiply_fragments(Factor a, Factor b, Output c) {
  __shared__ alignas(32) std::uint16_t patches[warps][2][side * side];
  __shared__ alignas(32) float written[warps][side * side];
  const unsigned warp = threadIdx.x / warp_size(), row_tiles = (c.rows + side - 1) / side;
  const unsigned tile = blockIdx.x * warps + warp;
  const unsigned tile_row = tile % row_tiles, tile_column = tile / row_tiles;
  const unsigned row = tile_row * side, column = tile_column * side;
  if (column >= c.columns) return;
  Sums sums;
  nvcuda::wmma::fill_fragment(sums, 0.0f);
  for (unsigned depth = 0; depth < a.columns; depth += side) {
    const Patch patch_a(a, row, depth, patches[warp][0]);
    const Patch patch_b(b, b_transposed ? column : depth, b_transposed ? depth : column, patches[warp][1]);
    FragmentA<bf16> of_a;
    FragmentB<bf16, b_transposed> of_b;
    load_fragment<bf16>(of_a, patch_a.at, patch_a.pitch);
    load_fragment<bf16>(of_b, patch_b.at, patch_b.pitch);
    nvcuda::wmma::mma_sync(sums, of_a, of_b, sums);
  }
  store_sums(c, row, column, sums, written[warp]);
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (is_done_without_factors(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, side)} * blocks_for(args.n, side);
  with_factors(args, [&]<bool bf16, bool b_transposed>() {
    launch(multiply_fragments<bf16, b_transposed>, blocks_for(tiles, warps), block, 0, queue, factor_a(args),
           factor_b(args), Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "WMMA, a warp for each 16 x 16 tile, fragments straight from memory: bound by their loads",
    .improves = "naive",
    .needs = {"wmma", "mma_sync"},
#if CROSSWARP_HAS_WMMA
    .launch = multiply,
    .instructions = {{"HMMA.16816.F32", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
