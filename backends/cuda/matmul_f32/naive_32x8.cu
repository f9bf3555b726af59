// The same in blocks of 32 × 8: a warp is in one row, reads whole lines of B and one word of A for all. Still two loads
// for each multiply-add, which bound it.
#include "backends/cuda/matmul_f32/naive_product.hpp"

namespace crosswarp::gpu {
namespace {

const Register<MatmulF32> variant{{
    .idea = "blocks of 32 x 8, so that a warp reads whole lines of B and one word of A: bound by the queue of loads",
    .improves = "naive_16x16",
    .launch = launch_naive<32, 8>,
}};

}  // namespace
}  // namespace crosswarp::gpu
