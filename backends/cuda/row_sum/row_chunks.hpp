// Rows cut into chunks, a block each, in the order of memory; the last block of a row to finish adds its partials.
// Bound by memory for long rows, few or many. Bitwise the same on every run: partials are added in their order.
#pragma once

#include <algorithm>

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/row_sum/row_part.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned row_chunks_block = 256;
constexpr unsigned row_chunks_unroll = 8;

/// How rows are cut.
struct RowChunks {
  std::size_t length;  ///< Elements; whole cache lines, so that chunks begin as their rows do. The last may be shorter.
  unsigned each;       ///< Chunks of a row, at least one.

  /// Of about `elements`, all but the last alike.
  RowChunks(const RowSum::Args& args, std::size_t elements) {
    constexpr std::size_t line = 128 / sizeof(float);
    const std::size_t wanted = blocks_for(args.columns, std::max(elements, line));
    length = blocks_for(args.columns, wanted * line) * line;
    each = blocks_for(args.columns, length);
  }

  /// Of 32 to 256 KiB, as many as two waves of blocks. On an H200 whole rows are best where they come to that many
  /// blocks by themselves; shorter chunks cost up to 8 %, more for each that is begun than they gain in balance.
  static RowChunks fitting(const Queue& queue, const RowSum::Args& args) {
    constexpr std::size_t shortest = 8192, longest = 65'536, most = 16'384;  // elements; chunks of a row, for one block
    const auto resident =
        static_cast<std::size_t>(queue.device.compute_units * queue.device.threads_per_unit) / row_chunks_block;
    const std::size_t even = args.in.size() / (2 * std::max<std::size_t>(resident, 1));
    return RowChunks(args, std::max(std::clamp(even, shortest, longest), args.columns / most));
  }

  std::size_t workspace(const RowSum::Args& args) const {
    return each == 1 ? 0 : args.rows() * (sizeof(unsigned) + each * sizeof(float));
  }
};

/// `tickets` are 0 before and after.
__global__ void __launch_bounds__(row_chunks_block, blocks_with_loads(row_chunks_block, row_chunks_unroll))
    add_rows_by_chunks(const float* __restrict__ in, std::size_t rows, std::size_t columns, std::size_t length,
                       unsigned each, unsigned* tickets, float* partials, float* __restrict__ out) {
  const unsigned row = blockIdx.x / each, chunk = blockIdx.x % each;
  if (row >= rows) return;
  const std::size_t begin = chunk * length;
  const std::size_t here = begin < columns ? std::min(length, columns - begin) : 0;
  const float sum = block_reduce<row_chunks_block>(
      part_sum<row_chunks_block, row_chunks_unroll>(in + row * columns + begin, here, threadIdx.x), Sum());
  if (each == 1) {
    if (threadIdx.x == 0) out[row] = sum;
    return;
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  if (!is_last_block<false>(tickets + row, each)) return;
  const float* const of_row = partials + std::size_t{row} * each;
  float rest = 0;
#pragma unroll 16
  for (unsigned i = threadIdx.x; i < each; i += row_chunks_block) rest += load_coherent(of_row + i);
  rest = block_reduce<row_chunks_block>(rest, Sum());
  if (threadIdx.x == 0) out[row] = rest;
}

/// The workspace must have what `chunks` says, zeroed before the first launch.
inline void sum_by_chunks(const Queue& queue, const RowSum::Args& args, const RowChunks& chunks) {
  auto* const tickets = reinterpret_cast<unsigned*>(queue.workspace.data());
  auto* const partials = reinterpret_cast<float*>(tickets + args.rows());
  launch(add_rows_by_chunks, blocks_for(args.rows() * chunks.each, 1), row_chunks_block, 0, queue, args.in.data(),
         args.rows(), args.columns, chunks.length, chunks.each, tickets, partials, args.out.data());
}

}  // namespace
}  // namespace crosswarp::gpu
