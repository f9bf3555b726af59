// Vectors of 8 bytes, four in flight per thread. Bound by memory bandwidth, or by instruction issue.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512, unroll = 4, tile = block * unroll;

/// A thread's independent loads lie within one tile, so that the whole grid passes over one contiguous window at a
/// time.
template <StreamOp op>
__global__ void __launch_bounds__(block) stream_vector8(StreamArrays arrays) {
  Stream<op, PlainAccess<float2>> stream(arrays);
  std::size_t first = std::size_t{blockIdx.x} * tile;
  for (; first + tile <= stream.vectors; first += std::size_t{gridDim.x} * tile) {
    float2 a[unroll] = {}, b[unroll] = {};
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) stream.load(a[u], b[u], first + u * block + threadIdx.x);
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) stream.use(a[u], b[u], first + u * block + threadIdx.x);
  }
  // The last tile is partial: it belongs to the one block that stopped before it.
  for (std::size_t i = first + threadIdx.x; i < std::min(first + tile, stream.vectors); i += block) {
    float2 a = {}, b = {};
    stream.load(a, b, i);
    stream.use(a, b, i);
  }
  stream.template finish<block>();
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  with_op(args.op, [&]<StreamOp op>() {
    launch(stream_vector8<op>, grid_for(queue, args, 2 * tile, 64), block, 0, queue, arrays_of(args));
  });
}

const Register<MemoryBandwidth> variant{{
    .idea = "8-byte accesses, four in flight per thread",
    .bound_by = "memory bandwidth",
    .improves = "scalar",
    .applies = in_memory,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
