// GEMV: a matrix times a vector (n = 1), or a row vector times a matrix (m = 1). No element of the matrix is used
// twice. Where its rows run along k, a group of threads computes a row's dot product; where they run along n, a block
// sums a range of columns over a range of k, and the last block of a range of columns adds the partial sums. Any shape,
// rows of any alignment. Bound by memory bandwidth; small ones by latency.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {

/// Neighbouring elements, one load.
template <class T, unsigned width>
struct alignas(sizeof(T) * width) Elements {
  T of[width];
};

/// A row-major matrix without gaps.
template <class T>
struct Matrix {
  const T* data;
  std::size_t rows, columns;
};

/// The type in which elements of type `T` are multiplied and added.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// C, a vector of sums.
template <class S>
struct SumOutput {
  S* data;

  __device__ void store_at(std::size_t i, S sum) const { data[i] = sum; }
};

/// Conversion of a load of elements that are of the type of their sums.
struct Identity {
  template <class S, unsigned width>
  __device__ const Elements<S, width>& operator()(const Elements<S, width>& elements) const {
    return elements;
  }
};

constexpr unsigned dot_block = 256;

/// Loads of a thread in flight, and blocks of a multiprocessor: the narrower loads are, the more.
constexpr unsigned dot_loads(std::size_t bytes_of_load) { return bytes_of_load >= 8 ? 8 : 12; }
constexpr unsigned dot_min_blocks(std::size_t bytes_of_load) { return bytes_of_load >= 8 ? 2 : 4; }

constexpr unsigned combine_block = 512, combine_min_blocks = 2, combine_loads = 8, row_threads = 32;

/// The matrix, and whether its rows run along k.
template <class T>
struct Problem {
  Matrix<T> matrix;
  const T* vector;
  bool is_dot;
  unsigned width;  ///< Elements of a load: up to 16 bytes.

  /// B is k x n, or n x k if it is transposed. Requires m = 1 or n = 1.
  Problem(const T* a, const T* b, std::size_t m, std::size_t n, std::size_t k, bool b_transposed)
      : matrix(n == 1         ? Matrix<T>{a, m, k}
               : b_transposed ? Matrix<T>{b, n, k}
                              : Matrix<T>{b, k, n}),
        vector(n == 1 ? b : a),
        is_dot(n == 1 || b_transposed),
        width(16 / sizeof(T)) {
    while (matrix.columns % width != 0) width /= 2;
  }
};

/// Of combine_rows(). A block has 32 loads of columns; half as many, and so on, where multiprocessors would have no
/// block, down to `least_columns`. Where columns alone give half of the multiprocessors a block or fewer, blocks share
/// k, too, each with a pass of loads or more.
struct Splits {
  unsigned lanes, column_blocks, splits;
  std::size_t block_depth;

  template <class T>
  Splits(const DeviceInfo& device, const Problem<T>& problem, std::size_t least_columns) {
    constexpr std::size_t passes_alone = 2, blocks_of_unit = 2, most = 65'535;
    const std::size_t rows = problem.matrix.rows, n = problem.matrix.columns;
    const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
    lanes = row_threads;
    while (lanes * problem.width > least_columns && blocks_for(n, lanes * problem.width) < units) lanes /= 2;
    column_blocks = blocks_for(n, lanes * problem.width);
    const unsigned block_rows = combine_block / lanes;
    const std::size_t passes = blocks_for(rows, block_rows * combine_loads);
    const std::size_t wanted =
        2 * column_blocks > units || passes <= passes_alone ? 1 : blocks_of_unit * units / column_blocks;
    block_depth = blocks_for(rows, std::min({wanted, passes, most}));
    splits = blocks_for(rows, block_depth);
  }
  /// A ticket for each range of columns, before the partial sums.
  std::size_t ticket_bytes() const { return (column_blocks * sizeof(unsigned) + 127) / 128 * 128; }
};

namespace {

/// Rows along k: `lanes` threads, up to a warp or the block, share one. Its elements are loaded by `width`, which
/// divides k. `matrix_values` and `vector_values` convert a load to the values that its elements hold,
/// Elements<SumOf<T>, …>. Requires dot_block threads.
template <unsigned width, unsigned lanes, class T, class MatrixValues, class VectorValues, class Output>
__device__ void dot_rows(const Matrix<T>& matrix, const T* vector, const Output& c, MatrixValues matrix_values,
                         VectorValues vector_values) {
  constexpr unsigned loads = dot_loads(sizeof(T) * width);
  grid_dependency_sync();
  const std::size_t row = (std::size_t{blockIdx.x} * dot_block + threadIdx.x) / lanes;
  const std::size_t valid_row = std::min(row, matrix.rows - 1), count = matrix.columns / width;
  const auto* const a = reinterpret_cast<const Elements<T, width>*>(matrix.data + valid_row * matrix.columns);
  const auto* const x = reinterpret_cast<const Elements<T, width>*>(vector);
  SumOf<T> sum = 0;
#pragma unroll 1
  for (std::size_t first = threadIdx.x % lanes; first < count; first += loads * lanes) {
    // Past the end, load the last element again: predicated loads would serialise.
    Elements<T, width> of_a[loads], of_x[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {
      of_a[i] = a[std::min(first + i * lanes, count - 1)];
      of_x[i] = x[std::min(first + i * lanes, count - 1)];
    }
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {
      const auto from_a = matrix_values(of_a[i]), from_x = vector_values(of_x[i]);
      SumOf<T> product = 0;
#pragma unroll
      for (unsigned j = 0; j < std::size(from_a.of); ++j) product += from_a.of[j] * from_x.of[j];
      sum += first + i * lanes < count ? product : 0;
    }
  }
  if constexpr (lanes == dot_block)
    sum = block_reduce<dot_block>(sum, Sum());
  else
    sum = warp_reduce<lanes>(sum, Sum());
  if (threadIdx.x % lanes == 0 && row < matrix.rows) c.store_at(row, sum);
}

/// Rows along n: block (x, y) sums `lanes` * width columns over `block_depth` rows, of which `lanes` threads, a power
/// of two, load one. `width` divides n. `partials`: for each split n sums. `to_values` converts a load. Requires
/// combine_block threads.
template <unsigned width, class T, class ToValues, class Output>
__device__ void combine_rows(const Matrix<T>& matrix, const T* vector, unsigned lanes, std::size_t block_depth,
                             unsigned* finished, SumOf<T>* partials, const Output& c, ToValues to_values) {
  using S = SumOf<T>;
  constexpr unsigned loads = combine_loads, line = 128 / sizeof(T);
  __shared__ S sums[combine_block * width];
  const unsigned lane = threadIdx.x % lanes, own_row = threadIdx.x / lanes, block_rows = combine_block / lanes;
  const unsigned columns = lanes * width;
  const auto value = [&](T element) { return to_values(Elements<T, 1>{element}).of[0]; };
  const std::size_t n = matrix.columns, first_column = std::size_t{blockIdx.x} * columns;
  const std::size_t column = std::min(first_column + lane * width, n - width);
  const std::size_t begin = blockIdx.y * block_depth, end = std::min(begin + block_depth, matrix.rows);
  // The first loads, into L2, before grid_dependency_sync().
  for (unsigned i = 0; i < loads; ++i)
    if (const std::size_t l = begin + own_row + i * block_rows; lane * width % line == 0 && l < end)
      prefetch_to_l2(matrix.data + l * n + column);
  grid_dependency_sync();
  S acc[width] = {};
#pragma unroll 1
  for (std::size_t first = begin + own_row; first < end; first += loads * block_rows) {
    Elements<T, width> elements[loads];
    T factors[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {  // as above
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
  // From here on a thread has one column, of which it adds every `sharing`th row, and split.
  const unsigned own = threadIdx.x % columns, share = threadIdx.x / columns, sharing = combine_block / columns;
  const std::size_t own_column = first_column + own;
  const bool is_valid = own_column < n;
  // Returns in the first of a column's threads the sum over all of them.
  const auto add_shares = [&](S sum) {
    __syncthreads();  // none reads what is written over
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned other = 1; share == 0 && other < sharing; ++other) sum += sums[other * columns + own];
    return sum;
  };
  __syncthreads();
  S sum = 0;
#pragma unroll
  for (unsigned i = 0; i < width; ++i) sum += sums[(share + i * sharing) * columns + own];
  sum = add_shares(sum);
  const bool stores = is_valid && share == 0;
  if (gridDim.y == 1) {
    if (stores) c.store_at(own_column, sum);
    return;
  }
  if (stores) partials[blockIdx.y * n + own_column] = sum;
  if (!is_last_block<Writers::all_threads>(finished + blockIdx.x, gridDim.y)) return;
  sum = 0;
  if (is_valid)
#pragma unroll 8
    for (unsigned split = share; split < gridDim.y; split += sharing)
      sum += load_coherent(partials + split * n + own_column);
  sum = add_shares(sum);
  if (stores) c.store_at(own_column, sum);
}

inline bool is_for(std::size_t m, std::size_t n) { return m == 1 || n == 1; }

/// Requires a product that is not empty.
template <class T>
std::size_t workspace_bytes(const DeviceInfo& device, const Problem<T>& problem, std::size_t least_columns) {
  if (problem.is_dot) return 0;
  const Splits plan(device, problem, least_columns);
  return plan.splits > 1 ? plan.ticket_bytes() + plan.splits * problem.matrix.columns * sizeof(SumOf<T>) : 0;
}

/// Threads that share a row: the block, where a warp for each row would occupy less than a quarter of the device, or
/// where a row has more than half a pass of loads for the block; else 32, 8 or 1, by the row's number of loads.
template <class T>
unsigned lanes_for(const DeviceInfo& device, const Problem<T>& problem) {
  constexpr std::size_t quarter_of_unit = 256;  // threads
  const auto quarter = quarter_of_unit * static_cast<std::size_t>(std::max(1, device.compute_units));
  const std::size_t loads = problem.matrix.columns / problem.width;
  const unsigned at_once = dot_loads(sizeof(T) * problem.width);
  if (loads > 32 * at_once && (problem.matrix.rows * 32 < quarter || 2 * loads > dot_block * at_once)) return dot_block;
  return loads > 16 ? 32 : loads > 2 ? 8 : 1;
}

/// Calls `use` with the elements of a load: `[&]<unsigned width>()`.
template <class T, class Use>
void with_width(const Problem<T>& problem, Use&& use) {
  with_constant<1, 2, 4, 8, 16>(problem.width, [&]<unsigned width>() {
    if constexpr (width * sizeof(T) <= 16) use.template operator()<width>();
  });
}

/// Launches the variant's __global__ function around dot_rows(), as `dot.operator()<width, lanes>()` returns it.
/// Requires rows along k, and a product that is not empty.
template <class T, class Output, class Dot>
void launch_dot_rows(const Queue& queue, const Problem<T>& problem, const Output& c, Dot dot) {
  with_width(problem, [&]<unsigned width>() {
    with_constant<1, 8, 32, dot_block>(lanes_for(queue.device, problem), [&]<unsigned lanes>() {
      launch(dot.template operator()<width, lanes>(), blocks_for(problem.matrix.rows, dot_block / lanes), dot_block, 0,
             queue, problem.matrix, problem.vector, c);
    });
  });
}

/// Launches the variant's __global__ functions around dot_rows() and combine_rows(), as `dot.operator()<width,
/// lanes>()` and `combine.operator()<width>()` return them. Requires a product that is not empty, and
/// workspace_bytes().
template <class T, class Output, class Dot, class Combine>
void launch_gemv(const Queue& queue, const Problem<T>& problem, std::size_t least_columns, const Output& c, Dot dot,
                 Combine combine) {
  if (problem.is_dot) return launch_dot_rows(queue, problem, c, dot);
  with_width(problem, [&]<unsigned width>() {
    const Splits plan(queue.device, problem, least_columns);
    auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
    auto* const partials = reinterpret_cast<SumOf<T>*>(queue.workspace.data() + plan.ticket_bytes());
    launch(combine.template operator()<width>(), dim3(plan.column_blocks, plan.splits), combine_block, 0, queue,
           problem.matrix, problem.vector, plan.lanes, plan.block_depth, finished, partials, c);
  });
}

/// Passes of loads that a block makes one after the other.
template <class T>
std::size_t passes_of_block(const DeviceInfo& device, const Problem<T>& problem, std::size_t least_columns) {
  if (problem.is_dot)
    return blocks_for(problem.matrix.columns / problem.width,
                      lanes_for(device, problem) * dot_loads(sizeof(T) * problem.width));
  const Splits plan(device, problem, least_columns);
  return blocks_for(plan.block_depth, combine_block / plan.lanes * combine_loads);
}

/// As fitted to an H100 with elements of 16 bits: narrow loads are bound by their number, others by memory; where there
/// are few blocks, each pass of loads waits for memory. Launch and latency included. Requires a product that is not
/// empty.
template <class T>
double expected_cycles(const DeviceInfo& device, const Problem<T>& problem, std::size_t least_columns) {
  constexpr double fixed = 5000, loads_per_cycle = 3.9, share_of_peak = 0.9;  // of a multiprocessor
  constexpr double memory_latency = 700;
  const double elements = static_cast<double>(problem.matrix.rows) * static_cast<double>(problem.matrix.columns);
  const double loaded = elements / (loads_per_cycle * problem.width);
  const double moved = sizeof(T) * elements / (share_of_peak * device.peak_per_cycle("memory", 18));
  const double waited = memory_latency * static_cast<double>(passes_of_block(device, problem, least_columns) - 1);
  return fixed + std::max(std::max(loaded, moved) / std::max(1, device.compute_units), waited);
}

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
