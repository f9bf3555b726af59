// Each thread adds every so many elements, several loads in flight, each warp its threads' sums by shuffles; one atomic
// for each warp. Block size, loads in flight and blocks are tunings. Bound by memory bandwidth, and when small by the
// atomics.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block, unsigned loads>
__global__ void __launch_bounds__(block) add_all(const float* in, std::size_t n, float* out) {
  float sums[loads] = {};
  const std::size_t step = std::size_t{gridDim.x} * block;
  std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  for (; i + (loads - 1) * step < n; i += loads * step)
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) sums[j] += in[i + j * step];
  for (; i < n; i += step) sums[0] += in[i];
  float sum = 0;
#pragma unroll
  for (unsigned j = 0; j < loads; ++j) sum += sums[j];
  for (unsigned lanes = warp_size() / 2; lanes > 0; lanes /= 2) sum += shuffle_down(sum, lanes);
  if (threadIdx.x % warp_size() == 0) atomicAdd(out, sum);
}

/// Calls `use` with the one of `values` that a tuning has, as its template argument.
template <unsigned... values, class Use>
void with(int value, Use use) {
  ((static_cast<int>(values) == value && (use.template operator()<values>(), true)) || ...);
}

void launch_sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& [in, out, host_out] = args.f32();
  clear(queue, out);
  with<128, 256, 512, 1024>(queue.tuning["block"], [&]<unsigned block>() {
    with<1, 2, 4, 8>(queue.tuning["loads"], [&]<unsigned loads>() {
      const auto most = static_cast<unsigned>(queue.tuning["blocks_per_unit"] * queue.device.compute_units);
      launch(add_all<block, loads>, std::min(blocks_for(in.size(), block), most), block, 0, queue, in.data(), in.size(),
             out.data());
    });
  });
}

/// The first is the default.
std::vector<Tuning> tunings() {
  std::vector<Tuning> all;
  for (const int block : {256, 128, 512, 1024})
    for (const int loads : {4, 1, 2, 8})
      for (const int blocks : {8, 1, 2, 4, 16})
        all.push_back({{{"block", block}, {"loads", loads}, {"blocks_per_unit", blocks}}});
  return all;
}

const Register<ReduceSum> variant{{
    .idea = "a stride of the grid for each thread, several loads in flight, shuffles, an atomic for each warp",
    .bound_by = "memory bandwidth; when small, atomics",
    .tunings = tunings(),
    .tuned_by_table = true,
    .applies = ReduceSum::is_f32_sum,
    .launch = launch_sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
