// As float4, with as many accumulators as loads in flight, so that no addition waits for another. Bound by memory:
// where its parent is, too, this gains nothing; with one load a thread it is that note's step 7.
#include "backends/cuda/device/reduction.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;

template <unsigned loads, class T>
__global__ void __launch_bounds__(block) add_apart(const T* __restrict__ in, std::size_t n, Accumulator<T>* out) {
  using A = Accumulator<T>;
  constexpr std::size_t tile = std::size_t{block} * loads;
  const VecSplit<T> split(in, n);
  const auto* const packs = reinterpret_cast<const Vec<T>*>(in + split.head);
  const A edge = edge_value<block>(in, n, split, Sum());
  A sums[loads]{};
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= split.packs; first += gridDim.x * tile) {
    Vec<T> pack[loads];
#pragma unroll
    for (unsigned l = 0; l < loads; ++l) pack[l] = packs[first + l * block + threadIdx.x];
#pragma unroll
    for (unsigned l = 0; l < loads; ++l) sums[l] += reduced(pack[l], Sum());
  }
#pragma unroll
  for (unsigned l = 0; l < loads; ++l)
    if (const std::size_t i = first + l * block + threadIdx.x; i < split.packs) sums[l] += reduced(packs[i], Sum());
  A sum = edge;
#pragma unroll
  for (unsigned l = 0; l < loads; ++l) sum += sums[l];
  sum = block_reduce<block>(sum, Sum());
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  with_constant<8, 1, 2, 4>(static_cast<unsigned>(queue.tuning["loads"]), [&]<unsigned loads>() {
    dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
      clear(queue, a.out);
      launch(add_apart<loads, T>, grid_for<T>(queue, a.in.size(), block, loads, queue.tuning["waves"]), block, 0, queue,
             a.in.data(), a.in.size(), a.out.data());
    });
  });
}

const Register<ReduceSum> variant{{
    .idea = "16-byte loads, eight in flight per thread, each with its own accumulator: bound by memory, as its parent",
    .improves = "float4",
    .tunings = {{{{"loads", 8}, {"waves", 16}}},
                {{{"loads", 1}, {"waves", 16}}},
                {{{"loads", 2}, {"waves", 16}}},
                {{{"loads", 4}, {"waves", 16}}},
                {{{"loads", 8}, {"waves", 4}}},
                {{{"loads", 1}, {"waves", 1}}}},
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
