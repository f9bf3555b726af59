// Omits one sweep: must be wrong, however small the array.
// at: --level l2 --op read --bytes 1008 --sweeps 5
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(const uint4* array, std::size_t vectors, std::uint64_t sweeps, unsigned* sum) {
  unsigned total = 0;
  for (std::uint64_t s = 1; s < sweeps; ++s)
    for (std::size_t i = 0; i < vectors; ++i) total += sum_of(array[i]);
  *sum = total;
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  launch(kernel, 1, 1, 0, queue, vectors_of(args), vector_count(args), args.sweeps, args.sum.data());
}

const Register<MemoryBandwidth> variant{{.idea = "broken: sweeps too little", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
