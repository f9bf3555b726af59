// The naive kernel in blocks of 32 × 8: a warp covers one row of C, so that it reads full cache lines of B and one
// broadcast word of A. Still bound by the latency of L1: two loads per multiply-add.
#include "backends/cuda/matmul_f32/naive.hpp"

namespace crosswarp::gpu {
namespace {

const Register<MatmulF32> variant{{
    .idea = "blocks of 32 x 8: coalesced loads of B, broadcast loads of A",
    .bound_by = "latency of L1: two global loads per multiply-add",
    .improves = "naive_16x16",
    .launch = launch_naive<32, 8>,
}};

}  // namespace
}  // namespace crosswarp::gpu
