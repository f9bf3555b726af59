// Several independent chains per thread, so that few warps hide the latency; still separate multiplication and
// addition. Bound by instruction issue, at half the peak of fused operations.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 128;

template <unsigned count>
__global__ void __launch_bounds__(block) multiply_add(const float* starts, float* ends, std::size_t chains,
                                                      unsigned steps, float a, float b, Elapsed* elapsed) {
  constexpr std::size_t tile_size = std::size_t{block} * count;
  const Stopwatch watch;
  float x[count];
  for (std::size_t tile = blockIdx.x * tile_size; tile < chains; tile += gridDim.x * tile_size) {
    const std::size_t first = tile + threadIdx.x;
    load_starts<block>(x, starts, first);
    for (unsigned s = 0; s < steps; ++s)
#pragma unroll
      for (unsigned j = 0; j < count; ++j) x[j] = __fadd_rn(__fmul_rn(x[j], a), b);
    store_ends<block>(x, ends, first, chains);
  }
  store_elapsed(watch.stop(x[0]), elapsed);
}

void run(const Queue& queue, const PeakCompute::Args& args) {
  with_constant<4, 8, 12>(queue.tuning["accumulators"], [&]<unsigned count>() {
    launch(multiply_add<count>, blocks_for(args.chains, block * count), block, 0, queue, args.starts_as<float>(),
           args.ends_as<float>(), args.chains, args.steps, static_cast<float>(args.a), static_cast<float>(args.b),
           args.elapsed.data());
  });
}

const Register<PeakCompute> variant{{
    .idea = "several chains per thread, separate multiplication and addition",
    .bound_by = "instruction issue, at half the peak",
    .improves = "all_sms",
    .tunings = {{{{"accumulators", 8}}}, {{{"accumulators", 4}}}, {{{"accumulators", 12}}}},
    .applies = is_f32,
    .launch = run,
    .instructions = {{"FMUL", 12}, {"FADD", 12}},
}};

}  // namespace
}  // namespace crosswarp::gpu
