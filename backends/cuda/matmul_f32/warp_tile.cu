// 32 threads have 64 × 32 elements of C, so near each other that a pass of shared memory serves half of them at once.
// Bound by the latency of the next tile, which nothing overlaps, and by issuing multiply-adds.
#include "backends/cuda/matmul_f32/transposed_tile.hpp"

namespace crosswarp::gpu {
namespace {

/// Of 32 threads, pairs have the same rows and the next four columns: 8 × 4 threads, of which each has four quarters of
/// 4 × 4, a half of the 64 × 32 apart. So what neighbours read is the same, or lies beside it, in no other's bank.
struct InWarp {
  unsigned first_row, first_column;

  __device__ explicit InWarp(unsigned thread)
      : first_row(thread / 32 / 4 * 64 + (thread >> 1 & 7) * 4),
        first_column(thread / 32 % 4 * 32 + ((thread >> 3 & 2) | (thread & 1)) * 4) {}
  __device__ unsigned row(unsigned half) const { return first_row + 32 * half; }
  __device__ unsigned column(unsigned half) const { return first_column + 16 * half; }
};

const Register<MatmulF32> variant{{
    .idea = "a tile of 64 x 32 a warp, whose loads have no bank conflicts: bound by the next tile's latency",
    .improves = "vectorized",
    .launch = launch_transposed<InWarp>,
    .instructions = {{"FFMA", 512}, {"LDS.128", 32}},
}};

}  // namespace
}  // namespace crosswarp::gpu
