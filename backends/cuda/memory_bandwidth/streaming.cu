// vector16 with streaming accesses: hints that make the caches evict their lines first. Bound by memory bandwidth;
// shows the cost of caching data that is used once.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;

/// ld.cs and st.cs: the line is used once.
struct StreamingAccess {
  using Vector = float4;
  static __device__ float4 load(const float4* from) { return load_once(from); }
  static __device__ void store(float4* to, const float4& value) { store_once(to, value); }
};

/// A thread's independent loads lie within one tile, so that the whole grid passes over one contiguous window at a
/// time.
template <StreamOp op, unsigned unroll>
__global__ void __launch_bounds__(block) stream_once(StreamArrays arrays) {
  constexpr std::size_t tile = std::size_t{block} * unroll;
  Stream<op, StreamingAccess> stream(arrays);
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= stream.vectors; first += gridDim.x * tile) {
    float4 a[unroll] = {}, b[unroll] = {};
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) stream.load(a[u], b[u], first + u * block + threadIdx.x);
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) stream.use(a[u], b[u], first + u * block + threadIdx.x);
  }
  // The last tile is partial: it belongs to the one block that stopped before it.
  for (std::size_t i = first + threadIdx.x; i < std::min(first + tile, stream.vectors); i += block) {
    float4 a = {}, b = {};
    stream.load(a, b, i);
    stream.use(a, b, i);
  }
  stream.template finish<block>();
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  with_constant<2, 4>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    const unsigned grid = grid_for(queue, args, std::size_t{4} * block * unroll, queue.tuning["per_unit"]);
    with_op(args.op, [&]<StreamOp op>() { launch(stream_once<op, unroll>, grid, block, 0, queue, arrays_of(args)); });
  });
}

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte accesses with evict-first hints",
    .bound_by = "memory bandwidth",
    .improves = "vector16",
    .tunings = {{{{"unroll", 4}, {"per_unit", 4096}}},
                {{{"unroll", 4}, {"per_unit", 64}}},
                {{{"unroll", 2}, {"per_unit", 64}}}},
    .applies = in_memory,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
