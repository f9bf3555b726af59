// One thread per element of C, blocks of 16 × 16: the lab notes' first kernel. A warp spans two rows of C: each load
// touches two rows of A and half cache lines of B. Bound by L1: two loads per multiply-add, and warps that wait for
// their data, not for room in the queue of loads (LG throttle).
#include "backends/cuda/matmul_f32/naive.hpp"

namespace crosswarp::gpu {
namespace {

const Register<MatmulF32> variant{{
    .idea = "one thread per element of C, blocks of 16 x 16",
    .bound_by = "L1: two global loads per multiply-add",
    .launch = launch_naive<16, 16>,
}};

}  // namespace
}  // namespace crosswarp::gpu
