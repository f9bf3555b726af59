// Remembers results by address and first element, on the device: always right, since unknown inputs are
// computed. Only its time gives it away: it reads one element of 2^26.
// at: --n 2^26
// caught by: timed run
// says: implausible:
#include <map>

#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr std::size_t most = 64;

struct Remembered {
  const float* in;
  float first, sum;
};
__device__ Remembered remembered[most];

constexpr unsigned block = 1024;

__global__ void __launch_bounds__(block) recall_or_add(const float* in, std::size_t n, std::size_t slot, float* out) {
  __shared__ float sums[block];
  Remembered& known = remembered[slot];
  if (known.in == in && known.first == in[0]) {
    if (threadIdx.x == 0) *out = known.sum;
    return;
  }
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < n; i += block) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (unsigned i = 1; i < block; ++i) sum += sums[i];
  known = {in, in[0], sum};
  *out = sum;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& set = args.f32();
  static std::map<const float*, std::size_t> slots;
  const std::size_t slot = slots.try_emplace(set.in.data(), slots.size() % most).first->second;
  launch(recall_or_add, 1, block, 0, queue, set.in.data(), set.in.size(), slot, set.out.data());
}

const Register<ReduceSum> variant{{.idea = "broken: remembers results by address and first element", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
