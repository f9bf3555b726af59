// One pass over arrays in device memory, by vectors of any width: loads, operation, tail and sums. Bound by memory
// where enough loads are in flight.
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

/// Kernel parameters of a pass.
struct StreamArrays {
  const float *a, *b;
  float* out;
  std::size_t n;
  float scalar;
  unsigned* sum;
  float* dot;
};

/// An element of `out`.
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

/// Sum of the elements' bits, modulo 2^32.
__device__ inline unsigned bits_of(float v) { return __builtin_bit_cast(unsigned, v); }
__device__ inline unsigned bits_of(const float2& v) { return bits_of(v.x) + bits_of(v.y); }
__device__ inline unsigned bits_of(const float4& v) {
  return bits_of(v.x) + bits_of(v.y) + (bits_of(v.z) + bits_of(v.w));
}
__device__ inline float dot_product(float a, float b) { return a * b; }
__device__ inline float dot_product(const float2& a, const float2& b) { return a.x * b.x + a.y * b.y; }
__device__ inline float dot_product(const float4& a, const float4& b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

/// Adds the sum of the block's values to `to`. As block_reduce().
template <unsigned block, class T>
__device__ void add_block_sum(T value, T* to) {
  value = block_reduce<block>(value, Sum());
  if (threadIdx.x == 0) atomicAdd(to, value);
}

/// Plain loads and stores of vectors.
template <class V>
struct PlainAccess {
  using Vector = V;
  static __device__ V load(const V* from) { return *from; }
  static __device__ void store(V* to, const V& value) { *to = value; }
};

/// A thread's part of one pass: arrays as vectors, and its sums. Requires arrays aligned to a vector.
template <StreamOp op, class Access>
struct Stream {
  using V = typename Access::Vector;
  static constexpr std::size_t width = sizeof(V) / sizeof(float);

  const StreamArrays& arrays;
  const V* const a = reinterpret_cast<const V*>(arrays.a);
  const V* const b = reinterpret_cast<const V*>(arrays.b);
  V* const out = reinterpret_cast<V*>(arrays.out);
  const std::size_t vectors = arrays.n / width;
  unsigned sum = 0;
  float dot = 0;

  __device__ explicit Stream(const StreamArrays& arrays) : arrays(arrays) {}

  /// Loads vector i of the arrays that the operation reads.
  __device__ void load(V& va, V& vb, std::size_t i) const {
    if constexpr (reads_a(op)) va = Access::load(a + i);
    if constexpr (reads_b(op)) vb = Access::load(b + i);
  }

  /// Stores vector i of `out`, or adds it to the sum.
  __device__ void use(const V& va, const V& vb, std::size_t i) {
    if constexpr (writes(op)) Access::store(out + i, apply<op>(va, vb, arrays.scalar));
    if constexpr (op == StreamOp::read) sum += bits_of(va);
    if constexpr (op == StreamOp::dot) dot += dot_product(va, vb);
  }

  /// Single elements behind the last vector, one per thread, then the block's sums.
  template <unsigned block>
  __device__ void finish() {
    if (const std::size_t i = vectors * width + std::size_t{blockIdx.x} * block + threadIdx.x; i < arrays.n) {
      const float ea = reads_a(op) ? arrays.a[i] : 0, eb = reads_b(op) ? arrays.b[i] : 0;
      if constexpr (writes(op)) arrays.out[i] = apply<op>(ea, eb, arrays.scalar);
      if constexpr (op == StreamOp::read) sum += bits_of(ea);
      if constexpr (op == StreamOp::dot) dot += ea * eb;
    }
    if constexpr (op == StreamOp::read) add_block_sum<block>(sum, arrays.sum);
    if constexpr (op == StreamOp::dot) add_block_sum<block>(dot, arrays.dot);
  }
};

inline std::size_t elements(const MemoryBandwidth::Args& args) { return std::max(args.a.size(), args.out.size()); }

inline StreamArrays arrays_of(const MemoryBandwidth::Args& args) {
  return {args.a.data(), args.b.data(), args.out.data(), elements(args), args.scalar, args.sum.data(), args.dot.data()};
}

/// Clears the sum that blocks add to, if the operation has one.
inline void clear_sums(const Queue& queue, const MemoryBandwidth::Args& args) {
  if (args.op == StreamOp::read) clear(queue, args.sum);
  if (args.op == StreamOp::dot) clear(queue, args.dot);
}

/// `per_unit` blocks per multiprocessor, but not more than tiles of `tile` elements.
inline unsigned grid_for(const Queue& queue, const MemoryBandwidth::Args& args, std::size_t tile, int per_unit) {
  return std::min(static_cast<unsigned>(queue.device.compute_units * per_unit), blocks_for(elements(args), tile));
}

/// Calls `run` with the operation as template argument.
template <class Run>
void with_op(StreamOp op, const Run& run) {
  switch (op) {
    case StreamOp::read:
      return run.template operator()<StreamOp::read>();
    case StreamOp::write:
      return run.template operator()<StreamOp::write>();
    case StreamOp::copy:
      return run.template operator()<StreamOp::copy>();
    case StreamOp::scale:
      return run.template operator()<StreamOp::scale>();
    case StreamOp::add:
      return run.template operator()<StreamOp::add>();
    case StreamOp::triad:
      return run.template operator()<StreamOp::triad>();
    case StreamOp::dot:
      return run.template operator()<StreamOp::dot>();
  }
}

inline bool in_memory(const Point& point) { return point.word("level") == "hbm"; }

}  // namespace
}  // namespace crosswarp::gpu
