// Tiles of A and B in shared memory, widened to float once for all their multiply-adds; 4 x 4 elements of C a thread,
// in registers. Runs on any GPU. Bound by fp32 multiply-adds and the loads from shared memory that feed them.
#include "backends/cuda/matmul_f8/operands.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned side = 64, depth = 32;  // of a block's tile of C; of a k-tile
constexpr unsigned threads = 256, across = 16, per_thread = side / across;

/// Columns of a tile in shared memory, `depth` apart in k: one more than `side`, so that a warp, which stores elements
/// next to each other in k, writes to different banks.
using SharedTile = float[depth][side + 1];

/// Loads `side` rows from `first_row` on, `depth` elements each from `first` on; zeros outside.
template <class T>
__device__ void load(SharedTile& to, const Matrix8& from, unsigned first_row, unsigned first) {
#pragma unroll
  for (unsigned i = threadIdx.x; i < side * depth; i += threads)
    to[i % depth][i / depth] = to_float(T{from.element(first_row + i / depth, first + i % depth)});
}

template <class A>
__global__ void __launch_bounds__(threads) gemm_shared(Matrix8 a, Matrix8 b, ScaledOutput c) {
  __shared__ SharedTile a_tile, b_tile;
  const unsigned tiles_across = (c.columns + side - 1) / side;
  const unsigned row = blockIdx.x / tiles_across * side, column = blockIdx.x % tiles_across * side;
  const unsigned thread_row = threadIdx.x / across * per_thread, thread_column = threadIdx.x % across;
  float sums[per_thread][per_thread] = {};
  for (unsigned first = 0; first < a.columns; first += depth) {
    load<A>(a_tile, a, row, first);
    load<E4m3>(b_tile, b, column, first);
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < depth; ++l)
#pragma unroll
      for (unsigned i = 0; i < per_thread; ++i)
#pragma unroll
        for (unsigned j = 0; j < per_thread; ++j)
          sums[i][j] += a_tile[l][thread_row + i] * b_tile[l][thread_column + j * across];
    __syncthreads();
  }
  const float factor = c.scale.value();
#pragma unroll
  for (unsigned i = 0; i < per_thread; ++i)
#pragma unroll
    for (unsigned j = 0; j < per_thread; ++j)
      c.store(row + thread_row + i, column + thread_column + j * across, sums[i][j], factor);
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (finish_if_empty(queue, args)) return;
  with_type_of_a(args, [&]<class A>() {
    launch(gemm_shared<A>, blocks_for(args.m, side) * blocks_for(args.n, side), threads, 0, queue, matrix_a(args),
           matrix_b(args), scaled_output(args));
  });
}

const Register<MatmulF8> variant{{
    .idea = "tiles of 64 x 64 in shared memory, widened to float once, 4 x 4 elements a thread",
    .bound_by = "fp32 multiply-adds and loads from shared memory",
    .improves = "naive",
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
