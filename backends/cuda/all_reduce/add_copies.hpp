// Sum of all ranks' elements that copies have brought into the own memory.
#pragma once

#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_reduce.hpp"

#if CROSSWARP_HAS_PEERS
namespace crosswarp::gpu {
namespace {

template <class T>
__global__ void __launch_bounds__(max_threads)
    add_in_own_memory(const __grid_constant__ Peers<const T> addends, T* out, std::size_t n, unsigned ranks) {
  constexpr std::size_t width = 16 / sizeof(T);
  const auto each = [&]<class P>(std::size_t first, std::size_t last, P) {
    for (std::size_t i = first + grid_thread(); i < last; i += grid_threads())
      pack<P>(out, i) = sum_over_ranks<P>(ranks, [&](unsigned r) { return pack<P>(addends.of[r], i); });
  };
  each(0, n / width, Widest<T>());
  each(n / width * width, n, Single<T>());
}

/// out[i] = the sum of all addends[i], in the order of ranks. Requires arrays that are aligned to 16 bytes, and
/// preload_add_copies() before the first launch.
template <class T>
void add_copies(const Queue& queue, const Peers<const T>& addends, T* out, std::size_t n, std::size_t ranks) {
  const Shape shape(queue, n * sizeof(T) / 16);
  launch(add_in_own_memory<T>, shape.blocks, shape.threads, 0, queue, addends, out, n, ranks);
}

inline void preload_add_copies(const AllReduce::Args& args) {
  std::visit([]<class T>(const AllReduce::Typed<T>&) -> void { preload(add_in_own_memory<T>); }, args.typed);
}

}  // namespace
}  // namespace crosswarp::gpu
#endif
