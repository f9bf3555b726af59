// Several short rows per warp: a group of lanes per row, and several rows at once in each group, so that enough bytes
// are in flight. A transposing butterfly adds all of a group's rows: each step halves the rows that a lane holds, so
// that r rows cost little more than one and end in different lanes, which store them together. Bound by memory
// bandwidth for rows aligned to 16 bytes; for others by loads of single elements.
#include "backends/cuda/row_sum/dispatch.hpp"
#include "backends/cuda/row_sum/thread_sum.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace row_sum_rows_per_warp {

constexpr unsigned block = 256;

__device__ inline float sum_of(const float2& v) { return v.x + v.y; }
__device__ inline float sum_of(float v) { return v; }
using gpu::sum_of;

/// Adds each of sums[0] … sums[rows-1] over a group of `lanes` lanes. The sums end in sums[0] …: where rows >= lanes,
/// lane l has rows l·rows/lanes … l·rows/lanes + rows/lanes - 1; else it has row l / (lanes/rows).
template <unsigned lanes, unsigned rows>
__device__ void butterfly(float (&sums)[rows]) {
  unsigned held = rows;  // by each lane
#pragma unroll
  for (unsigned bit = lanes / 2; bit > 0; bit /= 2) {
    if (held == 1) {
      sums[0] += shuffle_xor(sums[0], bit);
      continue;
    }
    held /= 2;
    const bool upper = (threadIdx.x & bit) != 0;
#pragma unroll
    for (unsigned i = 0; i < rows / 2; ++i) {
      if (i >= held) break;
      const float keep = upper ? sums[i + held] : sums[i], send = upper ? sums[i] : sums[i + held];
      sums[i] = keep + shuffle_xor(send, bit);
    }
  }
}

/// 16-byte loads whose registers a thread needs, and one for the addresses of four rows.
template <class T, unsigned unroll, unsigned at_once>
constexpr unsigned load_registers = unroll* at_once * sizeof(T) / 16 + at_once / 4;

/// `lanes` lanes per row, each with `unroll` vectors of type T in flight of each of `at_once` rows. Rows have `vectors`
/// of them, aligned.
template <class T, unsigned lanes, unsigned unroll, unsigned at_once>
__global__ void __launch_bounds__(block, blocks_for_loads(block, load_registers<T, unroll, at_once>))
    add_rows_by_groups(const T* __restrict__ in, std::size_t rows, std::size_t vectors, float* __restrict__ out) {
  constexpr unsigned groups = warp_size() / lanes;                     // of a warp
  constexpr unsigned kept = at_once > lanes ? at_once / lanes : 1;     // sums that a lane ends with
  constexpr unsigned sharing = lanes > at_once ? lanes / at_once : 1;  // lanes that end with the same sum
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x % warp_size() / lanes;
  const std::size_t warp = (std::size_t{blockIdx.x} * block + threadIdx.x) / warp_size();
  // A group's rows lie `groups` apart, so that a warp loads neighbouring rows.
  const std::size_t first = warp * groups * at_once + group;
  const T* const from = in + first * vectors + lane;
  float sums[at_once] = {};
  for (std::size_t done = 0; done < vectors; done += lanes * unroll) {
    T v[at_once][unroll];
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r)
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u)
        v[r][u] = first + r * groups < rows && done + u * lanes + lane < vectors
                      ? from[r * groups * vectors + done + u * lanes]
                      : T{};
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r)
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) sums[r] += sum_of(v[r][u]);
  }
  butterfly<lanes, at_once>(sums);
  if (lane % sharing != 0) return;
#pragma unroll
  for (unsigned i = 0; i < kept; ++i)
    if (const std::size_t row = first + (lane / sharing * kept + i) * groups; row < rows) out[row] = sums[i];
}

template <class T, unsigned lanes, unsigned unroll, unsigned at_once>
void launch_kernel(const Queue& queue, const RowSum::Args& args) {
  constexpr unsigned length = sizeof(T) / sizeof(float);
  launch(add_rows_by_groups<T, lanes, unroll, at_once>, blocks_for(args.rows(), block / lanes * at_once), block, 0,
         queue, reinterpret_cast<const T*>(args.in.data()), args.rows(), args.columns / length, args.out.data());
}

/// Rows of float4.
void sum_vectors(const Queue& queue, const RowSum::Args& args) {
  const std::size_t vectors = args.columns / 4;
  if (vectors <= 1) return launch_kernel<float4, 1, 1, 8>(queue, args);
  if (vectors <= 2) return launch_kernel<float4, 2, 1, 8>(queue, args);
  if (vectors <= 4) return launch_kernel<float4, 4, 1, 8>(queue, args);
  if (vectors <= 8) return launch_kernel<float4, 8, 1, 8>(queue, args);
  if (vectors <= 16) return launch_kernel<float4, 16, 1, 8>(queue, args);
  if (vectors <= 32) return launch_kernel<float4, 32, 1, 8>(queue, args);
  if (vectors <= 64) return launch_kernel<float4, 32, 2, 4>(queue, args);
  if (vectors <= 128) return launch_kernel<float4, 32, 4, 4>(queue, args);
  launch_kernel<float4, 32, 8, 2>(queue, args);
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (rows_are_aligned(args, sizeof(float4))) return sum_vectors(queue, args);
  if (args.columns == 2 && rows_are_aligned(args, sizeof(float2))) return launch_kernel<float2, 1, 1, 4>(queue, args);
  if (args.columns <= 1) return launch_kernel<float, 1, 1, 8>(queue, args);
  if (args.columns <= 8) return launch_kernel<float, 8, 1, 8>(queue, args);
  if (args.columns <= 32) return launch_kernel<float, 32, 1, 8>(queue, args);
  launch_kernel<float, 32, 4, 4>(queue, args);
}

const Register<RowSum> variant{{
    .idea = "several short rows per warp, and several at once per group of lanes, added by one butterfly",
    .bound_by = "memory bandwidth if rows are aligned to 16 bytes",
    .improves = "warp_per_row",
    .applies = [](const Point& point) { return point.integer("n") <= 1024; },
    .launch = sum,
}};

}  // namespace row_sum_rows_per_warp
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
