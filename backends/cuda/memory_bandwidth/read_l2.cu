// Repeated reads of an array in L2 by the whole grid, bypassing L1. From sweep to sweep each multiprocessor reads other
// tiles, which keeps all slices of L2 busy. Bound by L2 and the network to it.
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;

/// The grid strides over the tiles of all sweeps in one sequence. The last tile of a sweep may be partial.
template <unsigned unroll>
__global__ void __launch_bounds__(block)
    read_l2(const uint4* array, std::size_t vectors, std::uint64_t sweeps, unsigned* sum_of_all) {
  constexpr std::size_t tile = std::size_t{block} * unroll;
  const std::size_t tiles = (vectors + tile - 1) / tile, step = gridDim.x % tiles;
  std::size_t in_sweep = blockIdx.x % tiles;
  unsigned sum = 0;
  for (std::uint64_t at = blockIdx.x; at < tiles * sweeps; at += gridDim.x) {
    const std::size_t first = in_sweep * tile;
    if (first + tile <= vectors) {
      uint4 v[unroll];
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) v[u] = load_coherent(array + first + threadIdx.x + u * block);
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) sum += sum_of(v[u]);
    } else {
      for (std::size_t i = first + threadIdx.x; i < vectors; i += block) sum += sum_of(load_coherent(array + i));
    }
    in_sweep += step;
    if (in_sweep >= tiles) in_sweep -= tiles;
  }
  add_block_sum<block>(sum, sum_of_all);
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  const auto grid = static_cast<unsigned>(queue.device.compute_units * queue.tuning["per_unit"]);
  with_constant<2, 4, 8>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch(read_l2<unroll>, grid, block, 0, queue, vectors_of(args), vector_count(args), args.sweeps, args.sum.data());
  });
}

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte loads that bypass L1, grid-stride over the tiles of all sweeps",
    .bound_by = "L2 bandwidth",
    .tunings = {{{{"unroll", 8}, {"per_unit", 2}}},
                {{{"unroll", 4}, {"per_unit", 2}}},
                {{{"unroll", 2}, {"per_unit", 4}}},
                {{{"unroll", 8}, {"per_unit", 4}}},
                {{{"unroll", 4}, {"per_unit", 4}}}},
    .applies = [](const Point& point) { return point.word("level") == "l2" && point.word("op") == "read"; },
    .launch = run,
    .instructions = {{"LDG.E.128", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
