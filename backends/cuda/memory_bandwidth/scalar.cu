// One float per thread at a time, in a grid-stride loop. Bound by latency: 4 bytes in flight per thread do not cover
// it.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512, unroll = 1, tile = block * unroll;

template <StreamOp op>
__global__ void __launch_bounds__(block) stream_scalar(StreamArrays arrays) {
  Stream<op, PlainAccess<float>> stream(arrays);
  std::size_t first = std::size_t{blockIdx.x} * tile;
  for (; first + tile <= stream.vectors; first += std::size_t{gridDim.x} * tile) {
    float a[unroll] = {}, b[unroll] = {};
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) stream.load(a[u], b[u], first + u * block + threadIdx.x);
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) stream.use(a[u], b[u], first + u * block + threadIdx.x);
  }
  // The last tile is partial: it belongs to the one block that stopped before it.
  for (std::size_t i = first + threadIdx.x; i < std::min(first + tile, stream.vectors); i += block) {
    float a = {}, b = {};
    stream.load(a, b, i);
    stream.use(a, b, i);
  }
  stream.template finish<block>();
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  with_op(args.op, [&]<StreamOp op>() {
    launch(stream_scalar<op>, grid_for(queue, args, tile, 64), block, 0, queue, arrays_of(args));
  });
}

const Register<MemoryBandwidth> variant{{
    .idea = "4-byte accesses, one in flight per thread, grid-stride",
    .bound_by = "memory latency: too few bytes in flight",
    .applies = in_memory,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
