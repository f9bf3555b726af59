// Each thread adds every so many elements, each warp its threads' sums by shuffles; one atomic for each warp. Bound by
// 4-byte loads in flight, and when small by the atomics.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void __launch_bounds__(block) add_all(const float* in, std::size_t n, float* out) {
  float sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x; i < n; i += std::size_t{gridDim.x} * block)
    sum += in[i];
  for (unsigned lanes = warp_size() / 2; lanes > 0; lanes /= 2) sum += shuffle_down(sum, lanes);
  if (threadIdx.x % warp_size() == 0) atomicAdd(out, sum);
}

void launch_sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& [in, out, host_out] = args.f32();
  const auto waves = static_cast<unsigned>(queue.tuning["blocks_per_unit"]);
  const unsigned grid =
      std::min(blocks_for(in.size(), block), waves * static_cast<unsigned>(queue.device.compute_units));
  clear(queue, out);
  launch(add_all, grid, block, 0, queue, in.data(), in.size(), out.data());
}

const Register<ReduceSum> variant{{
    .idea = "a stride of the grid for each thread, shuffles, an atomic for each warp: bound by loads in flight",
    .tunings = {{{{"blocks_per_unit", 8}}}, {{{"blocks_per_unit", 32}}}},
    .applies = ReduceSum::is_f32_sum,
    .launch = launch_sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
