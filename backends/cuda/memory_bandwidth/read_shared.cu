// Repeated reads of each block's copy in shared memory, neighbouring lanes at neighbouring vectors. Bound by the load
// port of shared memory: 128 bytes per cycle, without bank conflicts.
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile = 2048;  // vectors; an array of this size has no remainder

template <unsigned unroll>
__global__ void __launch_bounds__(tile / unroll)
    read_shared(const uint4* array, unsigned vectors, std::uint64_t sweeps, unsigned* sum) {
  constexpr unsigned block = tile / unroll;
  uint4* const own = dynamic_shared<uint4>();
  for (unsigned i = threadIdx.x; i < vectors; i += block) own[i] = array[i];
  __syncthreads();
  add_block_sum<block>(sweep<block, unroll>(FromPointer{own}, vectors, sweeps_of_block(sweeps)), sum);
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  with_constant<2, 4, 8>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    constexpr unsigned block = tile / unroll;
    launch(read_shared<unroll>, resident_grid(queue, args.sweeps, block), block, args.a.size_bytes(), queue,
           vectors_of(args), vector_count(args), args.sweeps, args.sum.data());
  });
}

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte loads from shared memory, without bank conflicts, by all resident threads",
    .bound_by = "load port of shared memory",
    .tunings = {{{{"unroll", 8}}}, {{{"unroll", 4}}}, {{{"unroll", 2}}}},
    .applies = [](const Point& p) { return p.word("level") == "shared" && p.integer("bytes") <= 47 * 1024; },
    .launch = run,
    .instructions = {{"LDS.128", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
