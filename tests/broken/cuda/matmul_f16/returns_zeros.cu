// Returns zeros, which an absolute tolerance lets pass where the elements of C are small.
// at: --m 33 --n 65 --k 3
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
namespace {

void multiply(const Queue& queue, const MatmulF16::Args& args) { clear(queue, args.c); }

const Register<MatmulF16> variant{{.idea = "broken: returns zeros", .launch = multiply}};

}  // namespace
}  // namespace crosswarp::gpu
