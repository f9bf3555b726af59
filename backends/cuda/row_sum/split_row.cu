// Several blocks per row, each with a chunk, in the order of memory; the last block of a row to finish adds the
// partials. Bound by memory bandwidth for long rows, few or many; shorter chunks balance the load better and have more
// partials. Bitwise the same on every run, since partials are added in their order.
#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/row_sum/dispatch.hpp"
#include "backends/cuda/row_sum/thread_sum.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace row_sum_split_row {

constexpr unsigned block = 256;
constexpr unsigned unroll = 8;

/// A row as chunks, all but the last of one length.
struct Chunks {
  std::size_t length;  ///< Elements: whole cache lines, so that chunks are aligned as their rows are.
  unsigned per_row;    ///< At least one.

  /// Of about `elements`.
  Chunks(const RowSum::Args& args, std::size_t elements) {
    constexpr std::size_t line = 128 / sizeof(float);
    const std::size_t wanted = blocks_for(args.columns, std::max(elements, line));
    length = blocks_for(args.columns, wanted * line) * line;
    per_row = blocks_for(args.columns, length);
  }
};

/// `finished`: a counter per row, 0 before and after. `partials`: one per chunk.
__global__ void __launch_bounds__(block, blocks_for_loads(block, unroll))
    add_rows_by_chunks(const float* __restrict__ in, std::size_t rows, std::size_t columns, std::size_t length,
                       unsigned per_row, unsigned* finished, float* partials, float* __restrict__ out) {
  const unsigned row = blockIdx.x / per_row, chunk = blockIdx.x % per_row;
  if (row >= rows) return;
  const std::size_t begin = chunk * length;
  const std::size_t count = begin < columns ? std::min(length, columns - begin) : 0;
  const float sum =
      block_reduce<block>(thread_sum<block, unroll>(in + row * columns + begin, count, threadIdx.x), Sum());
  if (per_row == 1) {
    if (threadIdx.x == 0) out[row] = sum;
    return;
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  if (!is_last_block<Writers::thread_0>(finished + row, per_row)) return;
  const float* const of_row = partials + std::size_t{row} * per_row;
  float rest = 0;
#pragma unroll 16
  for (unsigned i = threadIdx.x; i < per_row; i += block) rest += load_coherent(of_row + i);
  rest = block_reduce<block>(rest, Sum());
  if (threadIdx.x == 0) out[row] = rest;
}

std::size_t workspace_bytes(const RowSum::Args& args, std::size_t chunk) {
  const Chunks chunks(args, chunk);
  return chunks.per_row == 1 ? 0 : args.rows() * (sizeof(unsigned) + chunks.per_row * sizeof(float));
}

void sum(const Queue& queue, const RowSum::Args& args, std::size_t chunk) {
  const Chunks chunks(args, chunk);
  auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
  auto* const partials = reinterpret_cast<float*>(finished + args.rows());
  launch(add_rows_by_chunks, blocks_for(args.rows() * chunks.per_row, 1), block, 0, queue, args.in.data(), args.rows(),
         args.columns, chunks.length, chunks.per_row, finished, partials, args.out.data());
}

std::size_t tuned_chunk(const Queue& queue) {
  return static_cast<std::size_t>(queue.tuning["kib"]) * 1024 / sizeof(float);
}

std::size_t workspace(const Queue& queue, const RowSum::Args& args) {
  return workspace_bytes(args, tuned_chunk(queue));
}

void launch_tuned(const Queue& queue, const RowSum::Args& args) { sum(queue, args, tuned_chunk(queue)); }

const Register<RowSum> variant{{
    .idea = "several blocks per row, the last block of a row to finish adds their partials",
    .bound_by = "memory bandwidth for long rows, few or many",
    .improves = "float4",
    .tunings = {{{{"kib", 32}}}, {{{"kib", 16}}}, {{{"kib", 64}}}, {{{"kib", 128}}}, {{{"kib", 256}}}},
    .applies = [](const Point& point) { return point.integer("m") <= 1 << 24; },  // at least one block per row
    .workspace = workspace,
    .launch = launch_tuned,
}};

}  // namespace row_sum_split_row
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
