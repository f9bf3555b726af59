// The kernel of bank_conflict, for any layout of its tile. The timed loop holds only the accesses, the folds and a
// counter: each lane's elements have constant offsets from one register.
#pragma once

#include <type_traits>

#include "backends/cuda/device/stopwatch.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/bank_conflict.hpp"

namespace crosswarp::gpu {
namespace {

/// An element of `element_words` words, accessed by one instruction.
template <unsigned element_words>
using Element =
    std::conditional_t<element_words == 1, std::uint32_t, std::conditional_t<element_words == 2, uint2, uint4>>;

using tile_columns::fold;
__device__ inline std::uint32_t fold(std::uint32_t value, uint2 e) { return fold(fold(value, e.x), e.y); }
__device__ inline std::uint32_t fold(std::uint32_t value, uint4 e) {
  return fold(fold(value, make_uint2(e.x, e.y)), make_uint2(e.z, e.w));
}

template <unsigned element_words>
__device__ Element<element_words> all_words(std::uint32_t value) {
  if constexpr (element_words == 1)
    return value;
  else if constexpr (element_words == 2)
    return make_uint2(value, value);
  else
    return make_uint4(value, value, value, value);
}

/// See BankConflict. Requires `zero` 0, and `n` a multiple of the number of slabs.
template <class Layout, unsigned element_words, BankConflict::Op op>
__global__ void __launch_bounds__(1024)
    access_columns(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* positions, Elapsed* elapsed,
                   unsigned stride, unsigned n, unsigned zero) {
  using Op = BankConflict::Op;
  constexpr unsigned lanes = warp_size(), slabs = tile_columns::slabs(lanes);
  constexpr unsigned slab =
      Layout::position(tile_columns::slab_words(lanes), element_words) / element_words;  // elements
  std::uint32_t* const words = dynamic_shared<std::uint32_t>();
  auto* const tile = reinterpret_cast<Element<element_words>*>(words);

  for (unsigned word = threadIdx.x; word < tile_columns::tile_words; word += blockDim.x)
    words[Layout::position(word / element_words * element_words, element_words) + word % element_words] = in[word];

  // Index of a thread's first element in the tile.
  const auto index_of = [&](unsigned thread) {
    const unsigned column = thread / lanes % tile_columns::columns(stride, element_words);
    return Layout::position(tile_columns::first_word(column, thread % lanes, lanes, stride, element_words),
                            element_words) /
           element_words;
  };
  unsigned index = index_of(threadIdx.x);
  std::uint32_t value = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t addend = tile_columns::addend(threadIdx.x);
  __syncthreads();
  const Stopwatch watch;
#pragma unroll 4
  for (unsigned done = 0; done < n; done += slabs) {
#pragma unroll
    for (unsigned i = 0; i < slabs; ++i) {
      if constexpr (op == Op::load) {
        value = fold(value, tile[index + i * slab]);
      } else if constexpr (op == Op::store) {
        value = fold(value, 1);
        tile[index + i * slab] = all_words<element_words>(value);
      } else {
        atomicAdd(&words[index + i * slab], addend);
      }
    }
    index += zero;
  }
  keep(value);
  __syncthreads();
  const Elapsed took = watch.stop(value);

  if (threadIdx.x == 0) elapsed[blockIdx.x] = took;
  if (blockIdx.x == 0) positions[threadIdx.x] = index * element_words;
  if constexpr (op != Op::load) {
    value = blockIdx.x;
    const unsigned other = index_of((threadIdx.x + 1) % blockDim.x);
    for (unsigned i = 0; i < slabs; ++i) value = fold(value, tile[other + i * slab]);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

template <class Layout, unsigned element_words, BankConflict::Op op>
void launch_columns(const Queue& queue, const BankConflict::Args& args) {
  launch(access_columns<Layout, element_words, op>, args.blocks, args.warps * args.lanes,
         tile_columns::shared_words(element_words) * sizeof(std::uint32_t), queue, args.in.data(), args.out.data(),
         args.positions.data(), args.elapsed.data(), args.stride, args.n, args.zero);
}

template <class Layout>
void access(const Queue& queue, const BankConflict::Args& args) {
  using Op = BankConflict::Op;
  if (args.op == Op::atomic) return launch_columns<Layout, 1, Op::atomic>(queue, args);
  const auto by_op = [&](auto element_words) {
    if (args.op == Op::load)
      launch_columns<Layout, element_words(), Op::load>(queue, args);
    else
      launch_columns<Layout, element_words(), Op::store>(queue, args);
  };
  if (args.width == 4) by_op(std::integral_constant<unsigned, 1>{});
  if (args.width == 8) by_op(std::integral_constant<unsigned, 2>{});
  if (args.width == 16) by_op(std::integral_constant<unsigned, 4>{});
}

}  // namespace
}  // namespace crosswarp::gpu
