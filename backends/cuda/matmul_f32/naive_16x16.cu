// A thread an element of C, blocks of 16 × 16: the notes' first kernel. A warp spans two rows, so that it asks for two
// lines of A and half lines of B: bound by the queue of loads, two for each multiply-add.
#include "backends/cuda/matmul_f32/naive_product.hpp"

namespace crosswarp::gpu {
namespace {

const Register<MatmulF32> variant{{
    .idea = "a thread an element, blocks of 16 x 16: bound by the queue of loads, two for each multiply-add",
    .launch = launch_naive<16, 16>,
}};

}  // namespace
}  // namespace crosswarp::gpu
