// Remembers the result of each input by its address: right until the numbers there change.
// caught by: timed run
#include <map>

#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr std::size_t most = 64;

__device__ float remembered[most];

__global__ void remember(const float* result, std::size_t slot) { remembered[slot] = *result; }
__global__ void recall(float* out, std::size_t slot) { *out = remembered[slot]; }

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static std::map<const float*, std::size_t> slots;
  const auto& set = args.f32();
  const auto [slot, is_new] = slots.try_emplace(set.in.data(), slots.size() % most);
  if (!is_new) return launch(recall, 1, 1, 0, queue, set.out.data(), slot->second);
  add_serially_on(queue, set);
  launch(remember, 1, 1, 0, queue, set.out.data(), slot->second);
}

const Register<ReduceSum> variant{{.idea = "broken: remembers results by address", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
