// One pass over arrays in vectors of any width: what the rungs of memory_bandwidth in device memory have in common.
// Bound by memory where enough loads are in flight.
#pragma once

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::gpu {
namespace {

constexpr bool reads_a(StreamOp op) { return op != StreamOp::write; }
constexpr bool reads_b(StreamOp op) { return op == StreamOp::add || op == StreamOp::triad || op == StreamOp::dot; }
constexpr bool writes(StreamOp op) { return op != StreamOp::read && op != StreamOp::dot; }

/// What a kernel gets of MemoryBandwidth::Args.
struct StreamArrays {
  const float *a, *b;
  float* out;
  std::size_t n;
  float scalar;
  unsigned* sum;
  float* dot;
};

template <StreamOp op>
__device__ float apply(float a, float b, float scalar) {
  if constexpr (op == StreamOp::write) return scalar;
  if constexpr (op == StreamOp::scale) return scalar * a;
  if constexpr (op == StreamOp::add) return a + b;
  if constexpr (op == StreamOp::triad) return a + scalar * b;
  return a;
}
template <StreamOp op>
__device__ float2 apply(const float2& a, const float2& b, float scalar) {
  return make_float2(apply<op>(a.x, b.x, scalar), apply<op>(a.y, b.y, scalar));
}
template <StreamOp op>
__device__ float4 apply(const float4& a, const float4& b, float scalar) {
  return make_float4(apply<op>(a.x, b.x, scalar), apply<op>(a.y, b.y, scalar), apply<op>(a.z, b.z, scalar),
                     apply<op>(a.w, b.w, scalar));
}

__device__ inline unsigned bits_of(float v) { return __builtin_bit_cast(unsigned, v); }
__device__ inline unsigned bits_of(const float2& v) { return bits_of(v.x) + bits_of(v.y); }
__device__ inline unsigned bits_of(const float4& v) {
  return bits_of(v.x) + bits_of(v.y) + (bits_of(v.z) + bits_of(v.w));
}
__device__ inline float product(float a, float b) { return a * b; }
__device__ inline float product(const float2& a, const float2& b) { return a.x * b.x + a.y * b.y; }
__device__ inline float product(const float4& a, const float4& b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

/// Adds what the threads of a block have summed to `to`. As block_reduce().
template <unsigned block, class T>
__device__ void leave_sum(T value, T* to) {
  value = block_reduce<block>(value, Sum());
  if (threadIdx.x == 0) atomicAdd(to, value);
}

/// How vectors are loaded and stored.
template <class V>
struct Plainly {
  using Vector = V;
  static __device__ V load(const V* from) { return *from; }
  static __device__ void store(V* to, const V& value) { *to = value; }
};

/// The grid strides over tiles of `block` × `unroll` vectors: a thread's independent loads lie within one tile, so that
/// the whole grid goes over one contiguous window at a time. Arrays are aligned to a vector.
template <StreamOp op, class Access, unsigned block, unsigned unroll>
__global__ void __launch_bounds__(block) stream(StreamArrays arrays) {
  using V = typename Access::Vector;
  constexpr std::size_t tile = std::size_t{block} * unroll, width = sizeof(V) / sizeof(float);
  const auto* const a = reinterpret_cast<const V*>(arrays.a);
  const auto* const b = reinterpret_cast<const V*>(arrays.b);
  auto* const out = reinterpret_cast<V*>(arrays.out);
  const std::size_t vectors = arrays.n / width;
  unsigned sum = 0;
  float dot = 0;
  const auto finish = [&](const V& va, const V& vb, std::size_t i) {
    if constexpr (writes(op)) Access::store(out + i, apply<op>(va, vb, arrays.scalar));
    if constexpr (op == StreamOp::read) sum += bits_of(va);
    if constexpr (op == StreamOp::dot) dot += product(va, vb);
  };
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= vectors; first += gridDim.x * tile) {
    V va[unroll] = {}, vb[unroll] = {};
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) {
      const std::size_t i = first + u * block + threadIdx.x;
      if constexpr (reads_a(op)) va[u] = Access::load(a + i);
      if constexpr (reads_b(op)) vb[u] = Access::load(b + i);
    }
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) finish(va[u], vb[u], first + u * block + threadIdx.x);
  }
  // The last tile may be a partial one: it belongs to the one block that stopped before it.
  for (std::size_t i = first + threadIdx.x; i < std::min(first + tile, vectors); i += block) {
    V va = {}, vb = {};
    if constexpr (reads_a(op)) va = Access::load(a + i);
    if constexpr (reads_b(op)) vb = Access::load(b + i);
    finish(va, vb, i);
  }
  // Less than a vector at the end: one thread for each element.
  if (const std::size_t i = vectors * width + std::size_t{blockIdx.x} * block + threadIdx.x; i < arrays.n) {
    const float ea = reads_a(op) ? arrays.a[i] : 0, eb = reads_b(op) ? arrays.b[i] : 0;
    if constexpr (writes(op)) arrays.out[i] = apply<op>(ea, eb, arrays.scalar);
    if constexpr (op == StreamOp::read) sum += bits_of(ea);
    if constexpr (op == StreamOp::dot) dot += ea * eb;
  }
  if constexpr (op == StreamOp::read) leave_sum<block>(sum, arrays.sum);
  if constexpr (op == StreamOp::dot) leave_sum<block>(dot, arrays.dot);
}

inline std::size_t elements(const MemoryBandwidth::Args& args) { return std::max(args.a.size(), args.out.size()); }

inline StreamArrays arrays_of(const MemoryBandwidth::Args& args) {
  return {args.a.data(), args.b.data(), args.out.data(), elements(args), args.scalar, args.sum.data(), args.dot.data()};
}

/// Clears the sum that `args` asks for, if any, since blocks add to it.
inline void clear_sums(const Queue& queue, const MemoryBandwidth::Args& args) {
  if (args.op == StreamOp::read) clear(queue, args.sum);
  if (args.op == StreamOp::dot) clear(queue, args.dot);
}

/// Launches `stream` with `per_unit` blocks for each multiprocessor, or as many as there are tiles.
template <class Access, unsigned block, unsigned unroll>
void launch_stream(const Queue& queue, const MemoryBandwidth::Args& args, int per_unit) {
  clear_sums(queue, args);
  constexpr std::size_t tile = sizeof(typename Access::Vector) / sizeof(float) * block * unroll;
  const unsigned grid =
      std::min(static_cast<unsigned>(queue.device.compute_units * per_unit), blocks_for(elements(args), tile));
  const auto with = [&](auto kernel) { launch(kernel, grid, block, 0, queue, arrays_of(args)); };
  switch (args.op) {
    case StreamOp::read:
      return with(stream<StreamOp::read, Access, block, unroll>);
    case StreamOp::write:
      return with(stream<StreamOp::write, Access, block, unroll>);
    case StreamOp::copy:
      return with(stream<StreamOp::copy, Access, block, unroll>);
    case StreamOp::scale:
      return with(stream<StreamOp::scale, Access, block, unroll>);
    case StreamOp::add:
      return with(stream<StreamOp::add, Access, block, unroll>);
    case StreamOp::triad:
      return with(stream<StreamOp::triad, Access, block, unroll>);
    case StreamOp::dot:
      return with(stream<StreamOp::dot, Access, block, unroll>);
  }
}

inline bool in_memory(const Point& point) { return point.word("level") == "hbm"; }

}  // namespace
}  // namespace crosswarp::gpu
