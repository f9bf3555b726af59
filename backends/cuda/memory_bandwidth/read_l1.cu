// Repeated reads of one small array, which each multiprocessor then has in its L1. Bound by the load port of L1: 128
// bytes per cycle.
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile = 2048;  // vectors; an array of this size has no remainder

template <unsigned unroll>
__global__ void __launch_bounds__(tile / unroll)
    read_l1(const uint4* array, std::size_t vectors, std::uint64_t sweeps, unsigned* sum) {
  constexpr unsigned block = tile / unroll;
  add_block_sum<block>(sweep<block, unroll>(FromPointer{array}, vectors, sweeps_of_block(sweeps)), sum);
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  with_constant<2, 4, 8>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    constexpr unsigned block = tile / unroll;
    launch(read_l1<unroll>, resident_grid(queue, args.sweeps, block), block, 0, queue, vectors_of(args),
           vector_count(args), args.sweeps, args.sum.data());
  });
}

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte loads of an array in L1, by all resident threads, shifted from sweep to sweep",
    .bound_by = "load port of L1",
    .tunings = {{{{"unroll", 8}}}, {{{"unroll", 4}}}, {{{"unroll", 2}}}},
    .applies = [](const Point& point) { return point.word("level") == "l1"; },
    .launch = run,
    .instructions = {{"LDG.E.128", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
