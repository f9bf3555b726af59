// Vectors of 16 bytes, several in flight per thread. Bound by memory bandwidth; tunings with few blocks show how many
// bytes in flight that takes (Little's law). Over the link it accesses host memory in place (zero-copy).
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

/// A thread's independent loads lie within one tile, so that the whole grid passes over one contiguous window at a
/// time.
template <StreamOp op, unsigned block, unsigned unroll>
__global__ void __launch_bounds__(block) stream_vector16(StreamArrays arrays) {
  constexpr std::size_t tile = std::size_t{block} * unroll;
  Stream<op, PlainAccess<float4>> stream(arrays);
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

template <unsigned block, unsigned unroll>
void launch_vector16(const Queue& queue, const MemoryBandwidth::Args& args, int per_unit) {
  const unsigned grid = grid_for(queue, args, std::size_t{4} * block * unroll, per_unit);
  with_op(args.op,
          [&]<StreamOp op>() { launch(stream_vector16<op, block, unroll>, grid, block, 0, queue, arrays_of(args)); });
}

Tuning tuning(int block, int unroll, int per_unit) {
  return {{{"block", block}, {"unroll", unroll}, {"per_unit", per_unit}}};
}

/// On an H200 reads need many loads in flight and few partial sums. Writes are fastest with one vector per thread and
/// as many blocks as it takes.
Tuning best_tuning(StreamOp op) { return writes(op) ? tuning(256, 1, 1 << 20) : tuning(512, 4, 64); }

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  const Tuning with = queue.tuning["block"] > 0 ? queue.tuning : best_tuning(args.op);
  if (with["block"] == 128) return launch_vector16<128, 1>(queue, args, with["per_unit"]);
  if (with["block"] == 256) return launch_vector16<256, 1>(queue, args, with["per_unit"]);
  with_constant<1, 2, 4, 8>(with["unroll"],
                            [&]<unsigned unroll>() { launch_vector16<512, unroll>(queue, args, with["per_unit"]); });
}

/// block, unroll, per_unit 0: best_tuning().
const Register<MemoryBandwidth> variant{{
    .idea = "16-byte accesses: reads four in flight per thread, grid-stride; writes one per thread, many blocks",
    .bound_by = "memory bandwidth",
    .improves = "vector8",
    .tunings = {tuning(0, 0, 0), tuning(512, 4, 4096), tuning(512, 1, 1 << 20), tuning(256, 1, 1 << 20),
                tuning(128, 1, 1 << 20), tuning(512, 4, 64), tuning(512, 2, 64), tuning(512, 8, 64), tuning(512, 4, 4),
                tuning(512, 4, 2), tuning(512, 8, 1), tuning(512, 4, 1), tuning(512, 2, 1), tuning(512, 1, 1)},
    .applies = [](const Point& point) { return in_memory(point) || point.word("level") == "link"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
