// As vector16, with accesses that tell the caches to keep nothing. Bound by memory; it shows what keeping costs.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

struct Once {
  using Vector = float4;
  static __device__ float4 load(const float4* from) { return load_once(from); }
  static __device__ void store(float4* to, const float4& value) { store_once(to, value); }
};

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  with_constant<2, 4>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch_stream<Once, 512, unroll>(queue, args, queue.tuning["per_unit"]);
  });
}

const Register<MemoryBandwidth> variant{{
    .idea =
        "16-byte accesses marked as the last ones to their lines, so that the caches evict them first: bound by memory",
    .improves = "vector16",
    .tunings = {{{{"unroll", 4}, {"per_unit", 4096}}},
                {{{"unroll", 4}, {"per_unit", 64}}},
                {{{"unroll", 2}, {"per_unit", 64}}}},
    .applies = in_memory,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
