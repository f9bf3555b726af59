// Many short rows per block, of any length and alignment: the block copies them as one contiguous tile into shared
// memory by 16-byte loads, and adds them there. Bound by memory bandwidth, and by the barrier between copying and
// adding.
#include "backends/cuda/device/vec.hpp"
#include "backends/cuda/row_sum/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace row_sum_rows_per_block {

constexpr unsigned block = 256;
constexpr unsigned tile_elements = 4096;  // four 16-byte loads in flight per thread

/// Each block adds `tile_rows` rows of at most tile_elements elements in all, each row by `row_threads` threads, a
/// power of two and at most 32.
__global__ void __launch_bounds__(block)
    add_rows_by_tiles(const float* __restrict__ in, std::size_t rows, unsigned columns, unsigned tile_rows,
                      unsigned row_threads, float* __restrict__ out) {
  constexpr unsigned loads = tile_elements / 4 / block;
  __shared__ float4 tile[tile_elements / 4 + 1];
  const std::size_t first = std::size_t{blockIdx.x} * tile_rows;
  const auto count = static_cast<unsigned>(std::min<std::size_t>(tile_rows, rows - first));

  // Copy the tile. Element i goes to word shift + i, so that aligned vectors stay aligned.
  const float* const from = in + first * columns;
  const VecSplit<float> split(from, count * columns);
  const auto head = static_cast<unsigned>(split.head), shift = (4 - head) % 4;
  auto* const words = reinterpret_cast<float*>(tile) + shift;
  const auto* const vectors = reinterpret_cast<const float4*>(from + head);
  float4 v[loads];
#pragma unroll
  for (unsigned u = 0; u < loads; ++u)
    v[u] = u * block + threadIdx.x < split.count ? vectors[u * block + threadIdx.x] : make_float4(0, 0, 0, 0);
  if (threadIdx.x < head) words[threadIdx.x] = from[threadIdx.x];
  if (const unsigned i = static_cast<unsigned>(split.tail) + threadIdx.x; i < count * columns) words[i] = from[i];
#pragma unroll
  for (unsigned u = 0; u < loads; ++u)
    if (const unsigned i = u * block + threadIdx.x; i < split.count)
      *reinterpret_cast<float4*>(words + head + 4 * i) = v[u];
  __syncthreads();

  // Add the rows, as many at a time as there are groups of `row_threads` threads. A thread has `steps` elements of a
  // row; each row begins at another step than its neighbours, or rows of 32 words would meet in the same banks.
  const unsigned lane = threadIdx.x % row_threads, steps = (columns + row_threads - 1) / row_threads;
  const unsigned groups = block / row_threads;
  for (unsigned base = 0; base < count; base += groups) {  // equally often in all threads: they shuffle
    const unsigned row = base + threadIdx.x / row_threads;
    float sum = 0;
    if (row < count) {
      unsigned step = steps > 0 ? row % steps : 0;
      for (unsigned i = 0; i < steps; ++i) {
        if (const unsigned column = step * row_threads + lane; column < columns) sum += words[row * columns + column];
        if (++step == steps) step = 0;
      }
    }
    for (unsigned bit = row_threads / 2; bit > 0; bit /= 2) sum += shuffle_xor(sum, bit);
    if (row < count && lane == 0) out[first + row] = sum;
  }
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.rows() == 0) return;
  const auto columns = static_cast<unsigned>(args.columns);
  unsigned tile_rows = tile_elements / std::max(columns, 1u), row_threads = 1;
  if (tile_rows % 4 != 0 && tile_rows > 4) tile_rows -= tile_rows % 4;  // all tiles are aligned as the first is
  while (2 * row_threads * tile_rows <= block && row_threads < 32) row_threads *= 2;
  launch(add_rows_by_tiles, blocks_for(args.rows(), tile_rows), block, 0, queue, args.in.data(), args.rows(), columns,
         tile_rows, row_threads, args.out.data());
}

const Register<RowSum> variant{{
    .idea = "many short rows per block, copied as one tile into shared memory and added there",
    .bound_by = "memory bandwidth, and the barrier between copying and adding",
    .improves = "warp_per_row",
    .applies = [](const Point& point) { return point.integer("n") <= std::int64_t{max_columns}; },
    .launch = sum,
}};

}  // namespace row_sum_rows_per_block
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
