// GEMV: a matrix times a vector (n = 1), or a row vector times a matrix (m = 1). No element of the matrix is used
// twice. Where its rows run along k, a group of threads computes a row's dot product; where they run along n, a block
// sums a range of columns over a range of k, and the last block of a range of columns adds the partial sums. Any shape,
// rows of any alignment. Bound by memory bandwidth; small ones by latency.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "core/error.hpp"

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

/// Most loads of a thread in flight, and blocks of a multiprocessor: the narrower loads are, the more.
constexpr unsigned dot_loads(std::size_t bytes_of_load) { return bytes_of_load >= 8 ? 8 : 12; }
constexpr unsigned dot_min_blocks(std::size_t bytes_of_load) { return bytes_of_load >= 8 ? 2 : 4; }

constexpr unsigned combine_block = 512, combine_min_blocks = 2, combine_loads = 8;

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

/// Of combine_rows(): a block has `lanes` loads of columns, and a range of k, of which there are `splits`.
struct Splits {
  unsigned lanes = 0, column_blocks = 0, splits = 0;
  std::size_t block_depth = 0;
  double cycles = std::numeric_limits<double>::infinity();  ///< Expected.

  Splits() = default;
  /// The cheapest. `columns`: of a block, up to combine_block, and more than a load has; 0: any.
  template <class T>
  Splits(const DeviceInfo& device, const Problem<T>& problem, std::size_t columns) {
    const auto units = static_cast<unsigned>(std::max(1, device.compute_units));
    const std::size_t given = columns / problem.width;
    for (unsigned l = given == 0 ? least_lanes : given; l * problem.width <= combine_block; l *= 2) {
      const std::size_t blocks = blocks_for(problem.matrix.columns, l * problem.width);
      if (given == 0 && l > usual_lanes && blocks < combine_min_blocks * units) break;
      const std::size_t most =
          l > most_lanes_to_split ? 1 : std::min<std::size_t>({4 * units / blocks, problem.matrix.rows, 65'535});
      for (std::size_t s = 1; s == 1 || s <= most; s += std::max<std::size_t>(1, s / 2)) {
        const Splits plan(device, problem, l, s);
        if (plan.cycles < cycles) *this = plan;
      }
      if (given > 0) break;
    }
  }
  /// A ticket for each range of columns, before the partial sums.
  std::size_t ticket_bytes() const { return (column_blocks * sizeof(unsigned) + 127) / 128 * 128; }

 private:
  static constexpr unsigned least_lanes = 4, most_lanes_to_split = 32, usual_lanes = 64;

  template <class T>
  Splits(const DeviceInfo& device, const Problem<T>& problem, unsigned lanes, std::size_t most_splits)
      : lanes(lanes),
        column_blocks(blocks_for(problem.matrix.columns, lanes * problem.width)),
        block_depth(blocks_for(problem.matrix.rows, most_splits)) {
    splits = blocks_for(problem.matrix.rows, block_depth);
    cycles = expected_cycles(device, problem);
  }

  /// As fitted to 1,890 launches on an H200, 18 plans of each of 105 products of 64, 32 and 16 bits: the cheapest takes
  /// 1.4 % longer than the fastest of them, on average. The search has plans that were not among them (other splits,
  /// more lanes). At 1 x 4096 x 4096 in fp32 it errs: its plan takes 20.5 us, where 18.3 are expected; the fastest
  /// measured one took 18.9. Resident blocks take turns to issue, and wait together for memory, in each pass of
  /// combine_loads; a single one of a multiprocessor draws a part of its bandwidth; each block costs some more, since
  /// launches overlap. Of a row a block takes whole sectors, one more where loads are not of 16 bytes, since rows then
  /// begin anywhere. Launch and latency included.
  template <class T>
  double expected_cycles(const DeviceInfo& device, const Problem<T>& problem) const {
    constexpr double launch = 1050, last_block = 3560, split = 12, wave_start = 490, block = 5.7, pass = 1720;
    constexpr double issue = 70, pass_issue = 58, sector_issue = 0.7, share_of_peak = 0.85, of_single = 0.78;
    constexpr unsigned sector = 32, resident = combine_min_blocks;
    const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
    const std::size_t columns = std::min<std::size_t>(lanes * problem.width, problem.matrix.columns);
    const std::size_t sectors = blocks_for(columns * sizeof(T), sector) + (problem.width * sizeof(T) < 16 ? 1 : 0);
    const unsigned pass_rows = combine_block / lanes * combine_loads;
    const double passes = blocks_for(block_depth, pass_rows);
    const double block_bytes = static_cast<double>(block_depth * sectors * sector);
    const double unit_bytes = share_of_peak * device.peak_per_cycle("memory", 18);  // a cycle
    const auto wave = [&](std::size_t blocks) {
      const bool is_single = blocks <= units;
      const double issued = issue + passes * (pass_issue + sector_issue * static_cast<double>(pass_rows * sectors));
      const double moved = static_cast<double>(blocks) * block_bytes / (unit_bytes * static_cast<double>(units));
      return wave_start + block * static_cast<double>(blocks) +
             std::max(passes * pass + (is_single ? 1 : resident) * issued, is_single ? moved / of_single : moved);
    };
    const std::size_t blocks = std::size_t{column_blocks} * splits, in_wave = resident * units, rest = blocks % in_wave;
    return launch + (splits > 1 ? last_block + split * splits : 0) +
           static_cast<double>(blocks / in_wave) * wave(in_wave) + (rest > 0 ? wave(rest) : 0);
  }
};

namespace {

/// Rows along k: `lanes` threads, up to a warp or the block, share one, each with `loads` in flight. Its elements are
/// loaded by `width`, which divides k. `matrix_values` and `vector_values` convert a load to the values that its
/// elements hold, Elements<SumOf<T>, …>. Requires dot_block threads.
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
    for (unsigned half = sharing / 2; half > 0; half /= 2) {
      __syncthreads();
      if (share < half) sums[threadIdx.x] = sum += sums[threadIdx.x + half * columns];
    }
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

/// The plan of combine_rows(). Cached: a search takes longer than a small product.
template <class T>
const Splits& splits_of(const DeviceInfo& device, const Problem<T>& problem, std::size_t columns) {
  const auto& [data, rows, n] = problem.matrix;
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t>, Splits> known;
  const auto [found, is_new] = known.try_emplace({device.key, rows, n, columns});
  if (is_new) found->second = Splits(device, problem, columns);
  return found->second;
}

inline bool is_for(std::size_t m, std::size_t n) { return m == 1 || n == 1; }

/// Requires a product that is not empty.
template <class T>
std::size_t workspace_bytes(const DeviceInfo& device, const Problem<T>& problem, std::size_t columns = 0) {
  if (problem.is_dot) return 0;
  const Splits& plan = splits_of(device, problem, columns);
  return plan.splits > 1 ? plan.ticket_bytes() + plan.splits * problem.matrix.columns * sizeof(SumOf<T>) : 0;
}

/// Of dot_rows(): threads that share a row, and the loads that each has in flight.
struct RowShare {
  unsigned lanes, loads;
};

/// The block, where a warp for each row would occupy less than a quarter of the device, or where a row has more than
/// half a pass of loads for the block; else 32, 8, 4 or 1 threads, by the row's number of loads. Of these no more in
/// flight than there are: further ones would load elements again.
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

/// Calls `use` with the elements of a load: `[&]<unsigned width>()`.
template <class T, class Use>
void with_width(const Problem<T>& problem, Use&& use) {
  with_constant<1, 2, 4, 8, 16>(problem.width, [&]<unsigned width>() {
    if constexpr (width * sizeof(T) <= 16) use.template operator()<width>();
  });
}

/// Launches the variant's __global__ function around dot_rows(), as `dot.operator()<width, lanes, loads>()` returns it.
/// Requires rows along k, and a product that is not empty.
template <class T, class Output, class Dot>
void launch_dot_rows(const Queue& queue, const Problem<T>& problem, const Output& c, Dot dot) {
  const RowShare share = row_share(queue.device, problem);
  with_width(problem, [&]<unsigned width>() {
    constexpr unsigned all = dot_loads(sizeof(T) * width);
    with_constant<1, 4, 8, 32, dot_block>(share.lanes, [&]<unsigned lanes>() {
      with_constant<all / 4, all / 2, all>(share.loads, [&]<unsigned loads>() {
        if constexpr (is_row_share(lanes, loads, all))
          launch(dot.template operator()<width, lanes, loads>(), blocks_for(problem.matrix.rows, dot_block / lanes),
                 dot_block, 0, queue, problem.matrix, problem.vector, c);
        else
          throw Error("no kernel was compiled for this share of a row");
      });
    });
  });
}

/// Launches the variant's __global__ functions around dot_rows() and combine_rows(), as `dot.operator()<width, lanes,
/// loads>()` and `combine.operator()<width>()` return them. Requires a product that is not empty, and
/// workspace_bytes().
template <class T, class Output, class Dot, class Combine>
void launch_gemv(const Queue& queue, const Problem<T>& problem, std::size_t columns, const Output& c, Dot dot,
                 Combine combine) {
  if (problem.is_dot) return launch_dot_rows(queue, problem, c, dot);
  with_width(problem, [&]<unsigned width>() {
    const Splits& plan = splits_of(queue.device, problem, columns);
    auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
    auto* const partials = reinterpret_cast<SumOf<T>*>(queue.workspace.data() + plan.ticket_bytes());
    launch(combine.template operator()<width>(), dim3(plan.column_blocks, plan.splits), combine_block, 0, queue,
           problem.matrix, problem.vector, plan.lanes, plan.block_depth, finished, partials, c);
  });
}

/// Of dot_rows(), as fitted to 120 products of 64, 32 and 16 bits on an H200, to 11 % (root mean square): bound by
/// memory, or by loads, the vector's among them, and the blocks' ends; where there are few blocks, each pass of loads
/// waits for memory. Launch and latency included. Requires a product that is not empty.
template <class T>
double dot_cycles(const DeviceInfo& device, const Problem<T>& problem) {
  constexpr double fixed = 3100, load = 0.24, block_end = 208, share_of_peak = 0.82, memory_latency = 700;
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

/// Requires a product that is not empty.
template <class T>
double expected_cycles(const DeviceInfo& device, const Problem<T>& problem, std::size_t columns = 0) {
  return problem.is_dot ? dot_cycles(device, problem) : splits_of(device, problem, columns).cycles;
}

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
