// All loads of 16 bytes, from global memory and, with A transposed on its way, from shared memory: four for 64
// multiply-adds. Bound by shared memory: neighbours' columns are eight floats apart, which takes twice the passes.
#include "backends/cuda/matmul_f32/transposed_tile.hpp"

namespace crosswarp::gpu {
namespace {

/// Threads lie in rows of 16, each with a square of 8 × 8.
struct Square {
  unsigned first_row, first_column;

  __device__ explicit Square(unsigned thread) : first_row(thread / 16 * 8), first_column(thread % 16 * 8) {}
  __device__ unsigned row(unsigned half) const { return first_row + 4 * half; }
  __device__ unsigned column(unsigned half) const { return first_column + 4 * half; }
};

const Register<MatmulF32> variant{{
    .idea = "16-byte loads everywhere, A transposed into shared memory: bound by shared memory's bank conflicts",
    .improves = "register_tile_2d",
    .launch = launch_transposed<Square>,
    .instructions = {{"FFMA", 512}, {"LDS.128", 32}},
}};

}  // namespace
}  // namespace crosswarp::gpu
