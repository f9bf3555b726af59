// WMMA on 32 x 32 tiles in shared memory, one 16 x 16 tile per warp, a k-tile of 16, rows without padding: the lab
// notes' kernel. Bound by shared memory: two fragments are read for each multiply-add, and two thirds of the wavefronts
// are bank conflicts. The tuning `padding` removes the conflicts alone.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/wmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_WMMA
constexpr unsigned block = 128;  // four warps, two by two
constexpr unsigned rows = 32, columns = 32, tile_k = 16;
constexpr unsigned chunk = 8;                       // elements of a 16-byte copy
constexpr unsigned chunks = rows * tile_k / chunk;  // of a tile of either operand
static_assert(2 * chunks == block);                 // one chunk per thread

/// Rows of `tile_columns` elements and `padding` more. Eight rows of 16 bytes are in different banks with a padding of
/// 8; without it two rows of 32 bytes or four of 64 bytes share their banks.
template <bool bf16, bool b_transposed, unsigned padding>
__global__ void __launch_bounds__(block) gemm_wmma(Operand a, Operand b, Output c) {
  constexpr unsigned columns_b = b_transposed ? tile_k : columns;
  constexpr unsigned pitch_a = tile_k + padding, pitch_b = columns_b + padding;
  __shared__ alignas(32) std::uint16_t shared_a[rows * pitch_a];
  __shared__ alignas(32) std::uint16_t shared_b[columns * tile_k / columns_b * pitch_b];
  __shared__ alignas(32) float staging[block / 32][side * side];
  const unsigned row_tiles = (c.rows + rows - 1) / rows;
  const unsigned row = blockIdx.x % row_tiles * rows, column = blockIdx.x / row_tiles * columns;
  const unsigned warp = threadIdx.x / warp_size();
  const unsigned warp_row = warp / 2 * side, warp_column = warp % 2 * side;

  Accumulator accumulator;
  nvcuda::wmma::fill_fragment(accumulator, 0.0f);
  for (unsigned k = 0; k < a.columns; k += tile_k) {
    __syncthreads();
    if (const unsigned first = threadIdx.x % chunks * chunk; threadIdx.x < chunks) {
      const unsigned r = first / tile_k, s = first % tile_k;
      *reinterpret_cast<uint4*>(shared_a + r * pitch_a + s) = a.chunk(row + r, k + s);
    } else {
      const unsigned r = first / columns_b, s = first % columns_b;
      *reinterpret_cast<uint4*>(shared_b + r * pitch_b + s) =
          b.chunk((b_transposed ? column : k) + r, (b_transposed ? k : column) + s);
    }
    __syncthreads();
    FragmentA<bf16> fragment_a;
    FragmentB<bf16, b_transposed> fragment_b;
    load_fragment<bf16>(fragment_a, shared_a + warp_row * pitch_a, pitch_a);
    load_fragment<bf16>(fragment_b, shared_b + warp_column * (b_transposed ? pitch_b : 1), pitch_b);
    nvcuda::wmma::mma_sync(accumulator, fragment_a, fragment_b, accumulator);
  }
  store_accumulator(c, row + warp_row, column + warp_column, accumulator, staging[warp]);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, rows)} * blocks_for(args.n, columns);
  with_constant<0, 8>(queue.tuning["padding"], [&]<unsigned padding>() {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      launch(gemm_wmma<bf16, b_transposed, padding>, blocks_for(tiles, 1), block, 0, queue, operand_a(args),
             operand_b(args), Output(args));
    });
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "WMMA on 32 x 32 tiles in shared memory without padding, as in the lab notes",
    .bound_by = "shared memory: two fragments per multiply-add, two thirds of their wavefronts bank conflicts",
    .improves = "wmma_global",
    .needs = {"wmma", "mma_sync"},
    .tunings = {{{{"padding", 0}}}, {{{"padding", 8}}}},
#if CROSSWARP_HAS_WMMA
    .launch = gemm,
    .instructions = {{"HMMA.16816.F32", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
