// Reference results: a product in float64, bound by its multiply-adds; row sums in integers, bound by the generator;
// and the comparison of results with them, bound by memory. Plain on purpose: they share no code with the variants.
#include "backends/gpu/reference_kernels.hpp"

#include <algorithm>

#include "backends/gpu/error.hpp"
#include "platform/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// As to_double(); binary16 in one instruction.
template <class T>
__device__ double wide(T element) {
  if constexpr (std::same_as<T, Half>)
    return half_value(element);
  else
    return to_double(element);
}

/// Where a reference goes: to one of the two types that it may have.
struct To {
  float* f32 = nullptr;
  double* f64 = nullptr;

  __device__ void operator()(std::size_t i, double value) const {
    if (f32)
      f32[i] = static_cast<float>(value);
    else
      f64[i] = value;
  }
};

To to_of(const TypedSpan& memory) {
  if (const auto* f64 = std::get_if<std::span<double>>(&memory)) return {.f64 = f64->data()};
  return {.f32 = std::get<std::span<float>>(memory).data()};
}

/// A block of 16 × 16 threads makes tile_rows × tile_columns elements of C: a thread 8 rows next to each other, and 2 ×
/// 2 columns, half a tile apart, so that a warp's 16-byte loads from a row of B are next to each other, too.
constexpr unsigned gemm_threads = 256, threads_across = 16;
constexpr unsigned thread_rows = 8, thread_columns = 4;
constexpr unsigned tile_rows = thread_rows * gemm_threads / threads_across;
constexpr unsigned tile_columns = thread_columns * threads_across;
constexpr unsigned tile_depth = 16;
constexpr unsigned padding =
    2;  // doubles: neighbouring steps of k begin in other banks, and rows stay aligned to 16 bytes

template <class A, class B>
__global__ void __launch_bounds__(gemm_threads, 2) gemm_kernel(const A* a, const B* b, std::size_t m, std::size_t n,
                                                               std::size_t k, bool b_transposed, double scale, To to) {
  alignas(16) __shared__ double a_tile[tile_depth][tile_rows + padding];
  alignas(16) __shared__ double b_tile[tile_depth][tile_columns + padding];
  const std::size_t tiles_across = (n + tile_columns - 1) / tile_columns;
  const std::size_t first_row = blockIdx.x / tiles_across * tile_rows;
  const std::size_t first_column = blockIdx.x % tiles_across * tile_columns;
  const unsigned row_in_tile = threadIdx.x / threads_across * thread_rows;
  const unsigned column_in_tile = threadIdx.x % threads_across * 2;  // and half a tile further
  double c[thread_rows][thread_columns] = {};
  for (std::size_t first = 0; first < k; first += tile_depth) {
    // Zeros past the last row, column and step of k. Neighbouring threads load neighbouring elements.
#pragma unroll 4
    for (unsigned i = 0; i < tile_rows * tile_depth / gemm_threads; ++i) {
      const unsigned element = i * gemm_threads + threadIdx.x, row = element / tile_depth, l = element % tile_depth;
      const bool exists = first_row + row < m && first + l < k;
      a_tile[l][row] = exists ? wide(a[(first_row + row) * k + first + l]) : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < tile_columns * tile_depth / gemm_threads; ++i) {
      const unsigned element = i * gemm_threads + threadIdx.x;
      const unsigned l = b_transposed ? element % tile_depth : element / tile_columns;
      const unsigned column = b_transposed ? element / tile_depth : element % tile_columns;
      const bool exists = first_column + column < n && first + l < k;
      const std::size_t at =
          b_transposed ? (first_column + column) * k + first + l : (first + l) * n + first_column + column;
      b_tile[l][column] = exists ? wide(b[at]) : 0;
    }
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < tile_depth; ++l) {
      double of_a[thread_rows], of_b[thread_columns];
#pragma unroll
      for (unsigned i = 0; i < thread_rows; ++i) of_a[i] = a_tile[l][row_in_tile + i];
#pragma unroll
      for (unsigned j = 0; j < thread_columns; ++j)
        of_b[j] = b_tile[l][column_in_tile + j / 2 * (tile_columns / 2) + j % 2];
#pragma unroll
      for (unsigned i = 0; i < thread_rows; ++i)
#pragma unroll
        for (unsigned j = 0; j < thread_columns; ++j) c[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < thread_rows; ++i)
#pragma unroll
    for (unsigned j = 0; j < thread_columns; ++j) {
      const std::size_t row = first_row + row_in_tile + i;
      const std::size_t column = first_column + column_in_tile + j / 2 * (tile_columns / 2) + j % 2;
      if (row < m && column < n) to(row * n + column, scale * c[i][j]);
    }
}

constexpr unsigned row_threads = 512;

/// A row for a warp or, of `long_rows`, for a block.
__global__ void __launch_bounds__(row_threads)
    row_sums_kernel(Lattice elements, LatticeRows matrix, std::uint64_t rows, bool long_rows, To to) {
  constexpr unsigned warps = row_threads / warp_size();
  __shared__ std::int64_t of_warps[warps];
  const unsigned warps_per_row = long_rows ? warps : 1, rows_at_once = warps / warps_per_row,
                 threads_per_row = warps_per_row * warp_size();
  const unsigned thread = threadIdx.x % threads_per_row, row_in_block = threadIdx.x / threads_per_row;
  for (std::uint64_t block_row = std::uint64_t{blockIdx.x} * rows_at_once; block_row < rows;
       block_row += std::uint64_t{gridDim.x} * rows_at_once) {
    const std::uint64_t row = block_row + row_in_block;
    std::int64_t steps = 0;
    if (row < rows)
      for (std::uint64_t i = thread; i < matrix.columns; i += threads_per_row) steps += elements.steps(matrix(row, i));
    for (unsigned delta = warp_size() / 2; delta > 0; delta /= 2) steps += shuffle_down(steps, delta);
    if (threadIdx.x % warp_size() == 0) of_warps[threadIdx.x / warp_size()] = steps;
    __syncthreads();
    if (thread == 0 && row < rows) {
      std::int64_t sum = 0;
      for (unsigned warp = 0; warp < warps_per_row; ++warp) sum += of_warps[row_in_block * warps_per_row + warp];
      to(row, static_cast<double>(sum) * elements.step());
    }
    __syncthreads();
  }
}

constexpr unsigned compare_threads = 256;

template <class T, class R>
__global__ void __launch_bounds__(compare_threads)
    compare_kernel(const T* is, const R* should_be, std::size_t n, std::uint64_t first, ErrorBound bound,
                   WorstElement* worst) {
  __shared__ WorstElement of_threads[compare_threads];
  WorstElement here = WorstElement::of_none();
  for (std::size_t i = std::size_t{blockIdx.x} * compare_threads + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * compare_threads)
    here.add(wide(is[i]), wide(should_be[i]), first + i, bound);
  of_threads[threadIdx.x] = here;
  for (unsigned half = compare_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) of_threads[threadIdx.x].add(of_threads[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) worst[blockIdx.x] = of_threads[0];
}

}  // namespace

cudaError_t launch_reference_gemm(const Gemm& gemm, const TypedSpan& to, cudaStream_t stream) {
  const std::size_t tiles = ((gemm.m + tile_rows - 1) / tile_rows) * ((gemm.n + tile_columns - 1) / tile_columns);
  with_operands(gemm, [&]<class A, class B>(std::span<A> a, std::span<B> b) {
    gemm_kernel<A, B><<<static_cast<unsigned>(tiles), gemm_threads, 0, stream>>>(
        a.data(), b.data(), gemm.m, gemm.n, gemm.k, gemm.b_transposed, gemm.scale, to_of(to));
  });
  return cudaGetLastError();
}

cudaError_t launch_reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to,
                                      int threads, cudaStream_t stream) {
  constexpr std::uint64_t long_row = 4096;
  row_sums_kernel<<<static_cast<unsigned>(threads) / row_threads, row_threads, 0, stream>>>(
      elements, rows, size(to), rows.columns >= long_row, to_of(to));
  return cudaGetLastError();
}

std::size_t compare_blocks(std::size_t elements, int threads) {
  const std::size_t most = static_cast<std::size_t>(threads) / compare_threads;
  return std::min(most, elements / compare_threads + (elements % compare_threads > 0));
}

cudaError_t launch_compare(const TypedSpan& actual, const TypedSpan& reference, std::uint64_t first,
                           const ErrorBound& bound, std::size_t blocks, WorstElement* worst, cudaStream_t stream) {
  std::visit(
      [&]<class T, class R>(std::span<T> is, std::span<R> should_be) {
        if constexpr (std::floating_point<R>)
          compare_kernel<<<static_cast<unsigned>(blocks), compare_threads, 0, stream>>>(is.data(), should_be.data(),
                                                                                        is.size(), first, bound, worst);
        else
          throw Error("a reference is of float or double");
      },
      actual, reference);
  return cudaGetLastError();
}

}  // namespace crosswarp::gpu
