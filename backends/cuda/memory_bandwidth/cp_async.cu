// cp.async of 16 bytes into shared memory, eight in flight per thread without holding registers. Bound by memory
// bandwidth.
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 256, stages = 8, unroll = 4;

/// A thread's k-th vector lies in its block's tile k / unroll. Each thread reads only its own copies, so no barrier is
/// needed.
template <StreamOp op>
__global__ void __launch_bounds__(block) stream_async(StreamArrays arrays) {
  __shared__ float4 ring[stages][block];
  const auto* const a = reinterpret_cast<const float4*>(arrays.a);
  const std::size_t vectors = arrays.n / 4;
  const auto index = [&](std::size_t k) {
    return ((k / unroll) * gridDim.x + blockIdx.x) * (block * unroll) + k % unroll * block + threadIdx.x;
  };
  const auto fetch = [&](std::size_t k) {
    if (const std::size_t i = index(k); i < vectors)
      cp_async<16>(shared_address(&ring[k % stages][threadIdx.x]), a + i, true);
    cp_async_commit_group();  // an empty group keeps the count
  };
  unsigned sum = 0;
#pragma unroll
  for (unsigned k = 0; k < stages; ++k) fetch(k);
  for (std::size_t k = 0;; ++k) {
    const std::size_t i = index(k);
    if (i >= vectors) break;
    cp_async_wait_group<stages - 1>();
    const float4 v = ring[k % stages][threadIdx.x];
    if constexpr (writes(op)) reinterpret_cast<float4*>(arrays.out)[i] = apply<op>(v, v, arrays.scalar);
    if constexpr (op == StreamOp::read) sum += bits_of(v);
    fetch(k + stages);
  }
  if (const std::size_t i = vectors * 4 + std::size_t{blockIdx.x} * block + threadIdx.x; i < arrays.n) {
    if constexpr (writes(op)) arrays.out[i] = apply<op>(arrays.a[i], 0, arrays.scalar);
    if constexpr (op == StreamOp::read) sum += bits_of(arrays.a[i]);
  }
  if constexpr (op == StreamOp::read) add_block_sum<block>(sum, arrays.sum);
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  const unsigned grid = grid_for(queue, args, 4 * block * unroll, queue.tuning["per_unit"]);
  const auto with = [&](auto kernel) { launch(kernel, grid, block, 0, queue, arrays_of(args)); };
  switch (args.op) {
    case StreamOp::read:
      return with(stream_async<StreamOp::read>);
    case StreamOp::scale:
      return with(stream_async<StreamOp::scale>);
    default:
      return with(stream_async<StreamOp::copy>);
  }
}
#endif

const Register<MemoryBandwidth> variant{{
    .idea = "cp.async of 16 bytes into shared memory, eight in flight per thread, no registers held",
    .bound_by = "memory bandwidth",
    .improves = "vector16",
    .needs = {"ptx"},
    .tunings = {{{{"per_unit", 24}}}, {{{"per_unit", 6}}}, {{{"per_unit", 96}}}},
    .applies =
        [](const Point& point) {
          const std::string& op = point.word("op");
          return in_memory(point) && (op == "read" || op == "copy" || op == "scale");
        },
#if CROSSWARP_HAS_PTX
    .launch = run,
    .instructions = {{"LDGSTS", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
