// Every block sweeps again and again over its copy of a set in shared memory, neighbouring lanes at neighbouring
// vectors. Bound by the port of shared memory: 128 bytes a clock, without a bank conflict.
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile = 2048;  // vectors; a set of as many is read without a rest

template <unsigned unroll>
__global__ void __launch_bounds__(tile / unroll)
    read_shared(const uint4* set, unsigned vectors, std::uint64_t sweeps, unsigned* sum) {
  constexpr unsigned block = tile / unroll;
  uint4* const own = dynamic_shared<uint4>();
  for (unsigned i = threadIdx.x; i < vectors; i += block) own[i] = set[i];
  __syncthreads();
  leave_sum<block>(sweep<block, unroll>(FromPointer{own}, vectors, own_share(sweeps)), sum);
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
    .idea = "16-byte loads from shared memory, neighbours by neighbours, by all threads that fit: bound by its port",
    .tunings = {{{{"unroll", 8}}}, {{{"unroll", 4}}}, {{{"unroll", 2}}}},
    .applies = [](const Point& p) { return p.word("level") == "shared" && p.integer("bytes") <= 47 * 1024; },
    .launch = run,
    .instructions = {{"LDS.128", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
