// Launches overlap by programmatic dependent launch, never wait for the one before, and share their accumulator.
// at: --n 2^20
// caught by: timed run
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256, blocks = 1024;

struct Shared {
  float sum;
  unsigned arrived;
};

__global__ void __launch_bounds__(block) add_ahead(const float* in, std::size_t n, Shared* shared, float* out) {
#if CROSSWARP_TARGET_FROM_SM90
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  float sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x; i < n; i += std::size_t{blocks} * block)
    sum += in[i];
  atomicAdd(&shared->sum, sum);
  __threadfence();
  if (atomicInc(&shared->arrived, block * blocks - 1) == block * blocks - 1) *out = atomicExch(&shared->sum, 0.0f);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  Queue overlapping = queue;
  overlapping.pdl = true;
  launch(add_ahead, blocks, block, 0, overlapping, args.f32().in.data(), args.f32().in.size(),
         reinterpret_cast<Shared*>(queue.workspace.data()), args.f32().out.data());
}

const Register<ReduceSum> variant{{
    .idea = "broken: overlaps launches that share an accumulator",
    .needs = {"pdl"},
    .workspace = [](const Queue&, const ReduceSum::Args&) { return sizeof(Shared); },
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
