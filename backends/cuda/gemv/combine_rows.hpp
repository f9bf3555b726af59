// GEMV where the matrix's rows run along n: a block sums a range of columns over a range of k, and the last block of a
// range of columns adds the partial sums. Bound by memory bandwidth; small ones by latency.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/gemv/combine_plan.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {
namespace {

/// A thread's column of its block's, of which it adds every `sharing`th row, beginning with `share`.
struct OwnColumn {
  unsigned in_block, share, sharing, columns_of_block;

  __device__ explicit OwnColumn(unsigned columns)
      : in_block(threadIdx.x % columns),
        share(threadIdx.x / columns),
        sharing(combine_block / columns),
        columns_of_block(columns) {}

  /// Returns in the first of a column's threads the sum over all of them. `sums`: combine_block elements in shared
  /// memory. By all threads.
  template <class S>
  __device__ S add_shares(S sum, S* sums) const {
    __syncthreads();  // none reads what is written over
    sums[threadIdx.x] = sum;
    for (unsigned half = sharing / 2; half > 0; half /= 2) {
      __syncthreads();
      if (share < half) sums[threadIdx.x] = sum += sums[threadIdx.x + half * columns_of_block];
    }
    return sum;
  }
};

/// Sums of `lanes` * width columns, the first one `first_column`, over rows `begin` to `end`: `lanes` threads, a power
/// of two, load a row. Returned in the first of a column's threads. `width` divides n. `to_values` converts a load.
/// `sums`: combine_block * width elements in shared memory. Begins with grid_dependency_sync(). Requires combine_block
/// threads.
template <unsigned width, class T, class ToValues>
__device__ SumOf<T> sum_columns(const Matrix<T>& matrix, const T* vector, unsigned lanes, std::size_t first_column,
                                std::size_t begin, std::size_t end, SumOf<T>* sums, ToValues to_values) {
  using S = SumOf<T>;
  constexpr unsigned loads = combine_loads, line = 128 / sizeof(T);
  const unsigned lane = threadIdx.x % lanes, own_row = threadIdx.x / lanes, block_rows = combine_block / lanes;
  const unsigned columns = lanes * width;
  const auto value = [&](T element) { return to_values(Elements<T, 1>{element}).of[0]; };
  const std::size_t n = matrix.columns, column = std::min(first_column + lane * width, n - width);
  // The first loads, into L2, before grid_dependency_sync().
  for (unsigned i = 0; i < loads; ++i)
    if (const std::size_t l = begin + own_row + i * block_rows; lane * width % line == 0 && l < end)
      prefetch_to_l2(matrix.data + l * n + column);
  grid_dependency_sync();
  S acc[width] = {};
#pragma unroll 1
  for (std::size_t first = begin + own_row; first < end; first += loads * block_rows) {
    // Past the end, load the last row again: predicated loads would serialise.
    Elements<T, width> elements[loads];
    T factors[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {
      const std::size_t l = std::min(first + i * block_rows, end - 1);
      elements[i] = *reinterpret_cast<const Elements<T, width>*>(matrix.data + l * n + column);
      factors[i] = vector[l];
    }
#pragma unroll
    for (unsigned i = 0; i < loads; ++i)
#pragma unroll
      for (unsigned j = 0; j < width; ++j)
        acc[j] += first + i * block_rows < end ? value(factors[i]) * value(elements[i].of[j]) : 0;
  }
#pragma unroll
  for (unsigned j = 0; j < width; ++j) sums[own_row * columns + lane * width + j] = acc[j];
  const OwnColumn own(columns);
  __syncthreads();
  S sum = 0;
#pragma unroll
  for (unsigned i = 0; i < width; ++i) sum += sums[(own.share + i * own.sharing) * columns + own.in_block];
  return own.add_shares(sum, sums);
}

/// Block (x, y) has `lanes` * width columns and `block_depth` rows. `partials`: for each split n sums. Requires a grid
/// that covers k with no block beyond it.
template <class Values, unsigned width, class T, class Output>
__global__ void __launch_bounds__(combine_block, combine_min_blocks)
    combine_rows(Matrix<T> matrix, const T* vector, unsigned lanes, std::size_t block_depth, unsigned* finished,
                 SumOf<T>* partials, Output c) {
  using S = SumOf<T>;
  __shared__ S sums[combine_block * width];
  const unsigned columns = lanes * width;
  const std::size_t first_column = std::size_t{blockIdx.x} * columns, begin = blockIdx.y * block_depth;
  S sum = sum_columns<width>(matrix, vector, lanes, first_column, begin, std::min(begin + block_depth, matrix.rows),
                             sums, Values());
  const OwnColumn own(columns);
  const std::size_t column = first_column + own.in_block, n = matrix.columns;
  const bool is_valid = column < n, stores = is_valid && own.share == 0;
  if (gridDim.y == 1) {
    if (stores) c.store_at(column, sum);
    return;
  }
  if (stores) partials[blockIdx.y * n + column] = sum;
  if (!is_last_block<Writers::all_threads>(finished + blockIdx.x, gridDim.y)) return;
  sum = 0;
  if (is_valid)
#pragma unroll 8
    for (unsigned split = own.share; split < gridDim.y; split += own.sharing)
      sum += load_coherent(partials + split * n + column);
  sum = own.add_shares(sum, sums);
  if (stores) c.store_at(column, sum);
}

/// The cheapest plan. `columns` as of cheapest_plan(), which has further requirements.
template <class T>
CombinePlan last_block_plan(const DeviceInfo& device, const Problem<T>& problem, std::size_t columns = 0) {
  constexpr unsigned most_lanes_to_split = 32;
  const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
  return cheapest_plan(
      device, problem, columns,
      [&](unsigned lanes, std::size_t blocks) {
        const std::size_t most =
            lanes > most_lanes_to_split
                ? 1
                : std::min<std::size_t>({2 * combine_min_blocks * units / blocks, problem.matrix.rows, 65'535});
        std::vector<std::size_t> splits{1};
        while (splits.back() + std::max<std::size_t>(1, splits.back() / 2) <= most)
          splits.push_back(splits.back() + std::max<std::size_t>(1, splits.back() / 2));
        return splits;
      },
      [&](const CombinePlan& plan) {
        return combine_cycles(device, problem, plan, by_last_block, combine_min_blocks * units);
      });
}

/// Tickets, one for each range of columns, before the partial sums.
inline std::size_t ticket_bytes(const CombinePlan& plan) {
  return (plan.column_blocks * sizeof(unsigned) + 127) / 128 * 128;
}

template <class T>
std::size_t workspace_bytes(const Problem<T>& problem, const CombinePlan& plan) {
  return plan.splits > 1 ? ticket_bytes(plan) + plan.splits * problem.matrix.columns * sizeof(SumOf<T>) : 0;
}

/// Requires a workspace of workspace_bytes(), zeros before the first launch.
template <class Values, class T, class Output>
void launch_combine_rows(const Queue& queue, const Problem<T>& problem, const CombinePlan& plan, const Output& c) {
  with_width(problem, [&]<unsigned width>() {
    auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
    auto* const partials = reinterpret_cast<SumOf<T>*>(queue.workspace.data() + ticket_bytes(plan));
    launch(combine_rows<Values, width, T, Output>, dim3(plan.column_blocks, plan.splits), combine_block, 0, queue,
           problem.matrix, problem.vector, plan.lanes, plan.block_depth, finished, partials, c);
  });
}

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
