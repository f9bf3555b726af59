// Several rows a warp: a group of lanes for each, and several rows at once in each group. Bound by memory for short
// rows, where a warp a row would have too few bytes in flight.
//
// The groups' sums are added by a transposing butterfly: each step halves the number of rows that a lane still holds,
// so that r rows cost little more than one, and end in different lanes, which store them together.
#pragma once

#include "backends/cuda/row_sum/row_part.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned row_groups_block = 256;

__device__ inline float sum_of(const float2& v) { return v.x + v.y; }
__device__ inline float sum_of(float v) { return v; }

/// Adds each of sums[0] … sums[rows-1] over a group of `lanes` lanes. Lane l of the group then has, where rows >=
/// lanes, the sums of rows l·rows/lanes … in sums[0] …; else that of row l / (lanes/rows) in sums[0].
template <unsigned lanes, unsigned rows>
__device__ void group_sums(float (&sums)[rows]) {
  unsigned held = rows;
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
      const float mine = upper ? sums[i + held] : sums[i], theirs = upper ? sums[i] : sums[i + held];
      sums[i] = mine + shuffle_xor(theirs, bit);
    }
  }
}

/// 16-byte loads whose registers a thread needs, and one for the addresses of four rows.
template <class T, unsigned each, unsigned at_once>
constexpr unsigned row_group_loads = each* at_once * sizeof(T) / 16 + at_once / 4;

/// `lanes` lanes a row, each with `each` vectors of type T in flight of each of `at_once` rows. Rows begin where a T
/// may lie, and have `vectors` of them.
template <class T, unsigned lanes, unsigned each, unsigned at_once>
__global__ void __launch_bounds__(row_groups_block,
                                  blocks_with_loads(row_groups_block, row_group_loads<T, each, at_once>))
    add_rows_by_groups(const T* __restrict__ in, std::size_t rows, std::size_t vectors, float* __restrict__ out) {
  constexpr unsigned groups = warp_size() / lanes;                     // of a warp
  constexpr unsigned kept = at_once > lanes ? at_once / lanes : 1;     // sums that a lane ends with
  constexpr unsigned sharing = lanes > at_once ? lanes / at_once : 1;  // lanes that end with the same sum
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x % warp_size() / lanes;
  const std::size_t warp = (std::size_t{blockIdx.x} * row_groups_block + threadIdx.x) / warp_size();
  // Row number r of this group lies r·groups behind its first one, so that a warp's loads are of neighbouring rows.
  const std::size_t first = warp * groups * at_once + group;
  const T* const mine = in + first * vectors + lane;
  float sums[at_once] = {};
  for (std::size_t done = 0; done < vectors; done += lanes * each) {
    T v[at_once][each];
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r)
#pragma unroll
      for (unsigned e = 0; e < each; ++e)
        v[r][e] = first + r * groups < rows && done + e * lanes + lane < vectors
                      ? mine[r * groups * vectors + done + e * lanes]
                      : T{};
#pragma unroll
    for (unsigned r = 0; r < at_once; ++r)
#pragma unroll
      for (unsigned e = 0; e < each; ++e) sums[r] += sum_of(v[r][e]);
  }
  group_sums<lanes, at_once>(sums);
  if (lane % sharing != 0) return;
#pragma unroll
  for (unsigned i = 0; i < kept; ++i)
    if (const std::size_t row = first + (lane / sharing * kept + i) * groups; row < rows) out[row] = sums[i];
}

template <class T, unsigned lanes, unsigned each, unsigned at_once>
void sum_by_groups(const Queue& queue, const RowSum::Args& args) {
  constexpr unsigned length = sizeof(T) / sizeof(float);
  launch(add_rows_by_groups<T, lanes, each, at_once>, blocks_for(args.rows(), row_groups_block / lanes * at_once),
         row_groups_block, 0, queue, reinterpret_cast<const T*>(args.in.data()), args.rows(), args.columns / length,
         args.out.data());
}

/// Whether every row begins at a multiple of `bytes`, and ends there.
inline bool rows_are_aligned(const RowSum::Args& args, std::size_t bytes) {
  return args.columns * sizeof(float) % bytes == 0 && reinterpret_cast<std::uintptr_t>(args.in.data()) % bytes == 0;
}

/// Rows that begin at multiples of 16 bytes, at best of up to 1024 elements.
inline void sum_by_groups_of_vectors(const Queue& queue, const RowSum::Args& args) {
  const std::size_t vectors = args.columns / 4;
  const auto sum = vectors <= 1     ? sum_by_groups<float4, 1, 1, 8>
                   : vectors <= 2   ? sum_by_groups<float4, 2, 1, 8>
                   : vectors <= 4   ? sum_by_groups<float4, 4, 1, 8>
                   : vectors <= 8   ? sum_by_groups<float4, 8, 1, 8>
                   : vectors <= 16  ? sum_by_groups<float4, 16, 1, 8>
                   : vectors <= 32  ? sum_by_groups<float4, 32, 1, 8>
                   : vectors <= 64  ? sum_by_groups<float4, 32, 2, 4>
                   : vectors <= 128 ? sum_by_groups<float4, 32, 4, 4>
                                    : sum_by_groups<float4, 32, 8, 2>;
  sum(queue, args);
}

}  // namespace
}  // namespace crosswarp::gpu
