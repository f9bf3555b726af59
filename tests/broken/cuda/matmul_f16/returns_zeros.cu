// Returns zeros: within an absolute tolerance where elements of C are small.
// at: --m 33 --n 65 --k 3
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
namespace {

void gemm(const Queue& queue, const MatmulF16::Args& args) { clear(queue, args.c); }

const Register<MatmulF16> variant{{.idea = "broken: returns zeros", .launch = gemm}};

}  // namespace
}  // namespace crosswarp::gpu
