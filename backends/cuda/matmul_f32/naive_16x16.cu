// One thread per element of C, blocks of 16 × 16: the lab notes' first kernel. A warp spans two rows of C: each load
// touches two rows of A and half cache lines of B. Bound by the load queue (LSU): two loads per multiply-add.
#include "backends/cuda/matmul_f32/naive.hpp"

namespace crosswarp::gpu {
namespace {

const Register<MatmulF32> variant{{
    .idea = "one thread per element of C, blocks of 16 x 16",
    .bound_by = "load queue: two global loads per multiply-add",
    .launch = launch_naive<16, 16>,
}};

}  // namespace
}  // namespace crosswarp::gpu
