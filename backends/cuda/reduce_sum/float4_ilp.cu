// float4 with one accumulator per load in flight, so that no addition waits for another. Bound by memory bandwidth:
// where float4 is, too, this gains nothing.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;

template <unsigned loads, class T>
__global__ void __launch_bounds__(block) add_vectors_ilp(const T* __restrict__ in, std::size_t n, Accumulator<T>* out) {
  using A = Accumulator<T>;
  constexpr std::size_t tile = std::size_t{block} * loads;
  const VecSplit<T> split(in, n);
  const A ends = reduce_ends<block>(in, n, split, Sum());
  A sums[loads]{};
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= split.count; first += gridDim.x * tile) {
    Vec<T> vec[loads];
#pragma unroll
    for (unsigned l = 0; l < loads; ++l) vec[l] = split.vectors[first + l * block + threadIdx.x];
#pragma unroll
    for (unsigned l = 0; l < loads; ++l) sums[l] += vec_reduce(vec[l], Sum());
  }
#pragma unroll
  for (unsigned l = 0; l < loads; ++l)
    if (const std::size_t i = first + l * block + threadIdx.x; i < split.count)
      sums[l] += vec_reduce(split.vectors[i], Sum());
  A sum = ends;
#pragma unroll
  for (unsigned l = 0; l < loads; ++l) sum += sums[l];
  sum = block_reduce<block>(sum, Sum());
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  with_constant<8, 1, 2, 4>(queue.tuning["loads"], [&]<unsigned loads>() {
    dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
      clear(queue, a.out);
      launch(add_vectors_ilp<loads, T>, grid_size<T>(queue, a.in.size(), block, loads, queue.tuning["waves"]), block, 0,
             queue, a.in.data(), a.in.size(), a.out.data());
    });
  });
}

const Register<ReduceSum> variant{{
    .idea = "grid-stride loop of 16-byte loads, eight in flight per thread, each with its own accumulator",
    .bound_by = "memory bandwidth",
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
