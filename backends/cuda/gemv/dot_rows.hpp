// GEMV where the matrix's rows run along k: a group of threads computes a row's dot product. Bound by memory bandwidth;
// small ones by latency.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/gemv/problem.hpp"
#include "core/error.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {

constexpr unsigned dot_block = 256;

/// Most loads of a thread in flight, and blocks of a multiprocessor: the narrower loads are, the more.
constexpr unsigned dot_loads(std::size_t bytes_of_load) { return bytes_of_load >= 8 ? 8 : 12; }
constexpr unsigned dot_min_blocks(std::size_t bytes_of_load) { return bytes_of_load >= 8 ? 2 : 4; }

/// Threads that share a row, and the loads that each has in flight.
struct RowShare {
  unsigned lanes, loads;
};

namespace {

/// `lanes` threads, up to a warp or the block, share a row, each with `loads` in flight. Its elements are loaded by
/// `width`, which divides k. `matrix_values` and `vector_values` convert a load to the values that its elements hold,
/// Elements<SumOf<T>, …>. Requires dot_block threads.
template <unsigned width, unsigned lanes, unsigned loads, class T, class MatrixValues, class VectorValues, class Output>
__device__ void dot_rows(const Matrix<T>& matrix, const T* vector, const Output& c, MatrixValues matrix_values,
                         VectorValues vector_values) {
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

/// The block, for rows of more than a pass of a warp, where a warp for each would occupy less than a quarter of the
/// device, or where a row has more than half a pass of loads for the block; else 32, 8, 4 or 1 threads, by the row's
/// number of loads. Fewer in flight where half or a quarter of them has room for all of a row: further ones would load
/// elements again.
template <class T>
RowShare row_share(const DeviceInfo& device, const Problem<T>& problem) {
  constexpr std::size_t quarter_of_unit = 256;  // threads
  const auto quarter_of_device = quarter_of_unit * static_cast<std::size_t>(std::max(1, device.compute_units));
  const std::size_t loads = problem.matrix.columns / problem.width;
  const unsigned all = dot_loads(sizeof(T) * problem.width), half = all / 2, quarter = all / 4;
  if (loads > 32 * all && (problem.matrix.rows * 32 < quarter_of_device || 2 * loads > dot_block * all))
    return {dot_block, loads > dot_block * half ? all : loads > dot_block * quarter ? half : quarter};
  if (loads > 8 * half) return {32, loads > 32 * half ? all : half};
  if (loads > 4 * quarter) return {8, half};
  return {loads > quarter ? 4u : 1u, quarter};
}

/// Those of row_share().
constexpr bool is_row_share(unsigned lanes, unsigned loads, unsigned all) {
  const bool is_quarter = loads == all / 4, is_half = loads == all / 2, is_all = loads == all;
  if (lanes == dot_block) return is_quarter || is_half || is_all;
  return lanes == 32 ? is_half || is_all : lanes == 8 ? is_half : is_quarter;
}

/// Launches the __global__ function around dot_rows() that `kernel.operator()<width, lanes, loads>()` returns. Requires
/// rows along k, and a product that is not empty.
template <class T, class Output, class Kernel>
void launch_dot_rows(const Queue& queue, const Problem<T>& problem, const Output& c, Kernel kernel) {
  const RowShare share = row_share(queue.device, problem);
  with_width(problem, [&]<unsigned width>() {
    constexpr unsigned all = dot_loads(sizeof(T) * width);
    with_constant<1, 4, 8, 32, dot_block>(share.lanes, [&]<unsigned lanes>() {
      with_constant<all / 4, all / 2, all>(share.loads, [&]<unsigned loads>() {
        if constexpr (is_row_share(lanes, loads, all))
          launch(kernel.template operator()<width, lanes, loads>(), blocks_for(problem.matrix.rows, dot_block / lanes),
                 dot_block, 0, queue, problem.matrix, problem.vector, c);
        else
          throw Error("no kernel was compiled for this share of a row");
      });
    });
  });
}

/// dot_rows() of elements whose conversion is `Values`.
template <class Values, unsigned width, unsigned lanes, unsigned loads, class T, class Output>
__global__ void __launch_bounds__(dot_block, dot_min_blocks(sizeof(T) * width))
    multiply_rows(Matrix<T> matrix, const T* vector, Output c) {
  dot_rows<width, lanes, loads>(matrix, vector, c, Values(), Values());
}

/// Launches it. Requires as launch_dot_rows().
template <class Values, class T, class Output>
void launch_multiply_rows(const Queue& queue, const Problem<T>& problem, const Output& c) {
  launch_dot_rows(queue, problem, c, [&]<unsigned width, unsigned lanes, unsigned loads>() {
    return multiply_rows<Values, width, lanes, loads, T, Output>;
  });
}

/// As fitted to 120 products of 64, 32 and 16 bits on an H200, to 11 % (root mean square): bound by memory, or by
/// loads, the vector's among them, and the blocks' ends; where there are few blocks, each pass of loads waits for
/// memory. Launch and latency included. Requires rows along k, and a product that is not empty.
template <class T>
double dot_cycles(const DeviceInfo& device, const Problem<T>& problem) {
  constexpr double fixed = 3100, load = 0.24, block_end = 208, share_of_peak = 0.9, memory_latency = 700;
  const double units = std::max(1, device.compute_units), rows = static_cast<double>(problem.matrix.rows);
  const RowShare share = row_share(device, problem);
  const double in_pass = share.lanes * share.loads;
  const double passes = blocks_for(problem.matrix.columns / problem.width, share.lanes * share.loads);
  const double blocks = blocks_for(problem.matrix.rows, dot_block / share.lanes);
  const double issued = (load * rows * passes * in_pass + block_end * blocks) / units;
  const double bytes = sizeof(T) * rows * static_cast<double>(problem.matrix.columns);
  const double moved = bytes / (share_of_peak * device.peak_per_cycle("memory", 18) * units);
  return fixed + std::max({issued, moved, memory_latency * (passes - 1)});
}

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
