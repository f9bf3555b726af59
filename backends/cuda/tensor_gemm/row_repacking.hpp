// Repacking: copies matrices of 16-bit elements whose rows begin anywhere to rows at multiples of 128 bytes. 16-byte
// loads and stores, shifted in registers; both operands of a product in one launch. Bound by memory bandwidth.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"

namespace crosswarp::gpu {
namespace {

/// Of an operand without gaps whose rows are not aligned; other operands stay where they are.
struct RowRepacking {
  /// Elements of a copy's pitch: rows begin with lines of L2, so that a row of a k-tile is one line.
  static constexpr unsigned pitch_multiple = 64;
  /// 16-byte chunks of a row that `lanes` threads copy, each `unroll` of them with all loads in flight.
  static constexpr unsigned lanes = 32, unroll = 4, segment_chunks = lanes * unroll;

  Operand from;
  std::uint16_t* to;  ///< At a multiple of 128 bytes.

  __host__ __device__ bool is_needed() const { return !from.is_aligned(); }
  __host__ __device__ unsigned pitch() const {
    return (from.columns + pitch_multiple - 1) / pitch_multiple * pitch_multiple;
  }
  __host__ __device__ unsigned chunks() const { return (from.columns + 7) / 8; }
  __host__ __device__ unsigned segments() const { return (chunks() + segment_chunks - 1) / segment_chunks; }
  __host__ __device__ unsigned tasks() const { return is_needed() ? from.rows * segments() : 0; }

  /// Elements of the copy, gaps included: a multiple of 128 bytes.
  std::size_t elements() const { return is_needed() ? std::size_t{from.rows} * pitch() : 0; }
  Operand result() const { return is_needed() ? Operand{to, from.rows, from.columns, pitch()} : from; }
};

/// The repacking of A, then of B.
struct OperandRepacking {
  RowRepacking a, b;

  /// Without a workspace, for sizes only.
  explicit OperandRepacking(const Operands& from) : a{from.a, nullptr}, b{from.b, nullptr} {}
  OperandRepacking(const Operands& from, std::span<std::byte> workspace)
      : a{from.a, reinterpret_cast<std::uint16_t*>(workspace.data())}, b{from.b, a.to + a.elements()} {}

  /// Of the copies, at the beginning of the workspace: a multiple of 128.
  std::size_t bytes() const { return (a.elements() + b.elements()) * sizeof(std::uint16_t); }
  unsigned tasks() const { return a.tasks() + b.tasks(); }
  Operands result() const { return {a.result(), b.result()}; }
};

/// Eight elements from the `offset`-th of `low` on; `high` follows it.
__device__ inline uint4 shifted(const uint4& low, const uint4& high, unsigned offset) {
  std::uint32_t words[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if (offset & 4)
#pragma unroll
    for (unsigned i = 0; i < 6; ++i) words[i] = words[i + 2];
  if (offset & 2)
#pragma unroll
    for (unsigned i = 0; i < 5; ++i) words[i] = words[i + 1];
  const auto word = [&, bits = offset % 2 * 16](unsigned i) {
    return static_cast<std::uint32_t>((std::uint64_t{words[i + 1]} << 32 | words[i]) >> bits);
  };
  return {word(0), word(1), word(2), word(3)};
}

/// Copies one segment of a row. All its chunks have the same offset from 16 bytes.
__device__ inline void repack_segment(const RowRepacking& rows, unsigned task, unsigned lane) {
  const Operand& from = rows.from;
  const unsigned row = task / rows.segments(), first = task % rows.segments() * RowRepacking::segment_chunks + lane;
  const std::size_t begin = std::size_t{row} * from.columns, end = std::size_t{from.rows} * from.columns;
  const uint4* const vectors = reinterpret_cast<const uint4*>(from.data) + begin / 8;
  uint4* const to = reinterpret_cast<uint4*>(rows.to + std::size_t{row} * rows.pitch());
  // Both vectors that hold the chunk are within the matrix.
  const auto is_whole = [&](unsigned chunk) {
    return 8 * chunk + 8 <= from.columns && 8 * (begin / 8 + chunk + 2) <= end;
  };
  uint4 low[RowRepacking::unroll] = {}, high[RowRepacking::unroll] = {};
#pragma unroll
  for (unsigned i = 0; i < RowRepacking::unroll; ++i)
    if (const unsigned chunk = first + i * RowRepacking::lanes; is_whole(chunk)) {
      low[i] = vectors[chunk];
      high[i] = vectors[chunk + 1];
    }
#pragma unroll
  for (unsigned i = 0; i < RowRepacking::unroll; ++i)
    if (const unsigned chunk = first + i * RowRepacking::lanes; chunk < rows.chunks())
      to[chunk] = is_whole(chunk) ? shifted(low[i], high[i], begin % 8) : from.chunk(row, 8 * chunk);
}

constexpr unsigned repack_block = 256;

__global__ void __launch_bounds__(repack_block) repack_rows(RowRepacking a, RowRepacking b) {
  grid_dependency_sync();
  const unsigned task = blockIdx.x * (repack_block / RowRepacking::lanes) + threadIdx.x / RowRepacking::lanes;
  const bool is_of_a = task < a.tasks();
  const RowRepacking rows = is_of_a ? a : b;
  const unsigned own = is_of_a ? task : task - a.tasks();
  if (own < rows.tasks()) repack_segment(rows, own, threadIdx.x % RowRepacking::lanes);
}

/// Enqueues the copies that are needed, if any. Requires elements.
inline void launch_repacking(const Queue& queue, const OperandRepacking& repacking) {
  if (const unsigned tasks = repacking.tasks(); tasks > 0)
    launch(repack_rows, blocks_for(tasks, repack_block / RowRepacking::lanes), repack_block, 0, queue, repacking.a,
           repacking.b);
}

}  // namespace
}  // namespace crosswarp::gpu
