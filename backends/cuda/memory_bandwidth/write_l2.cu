// Repeated 16-byte stores to an array in L2: each thread stores the same vectors in every sweep. A write-back L1 would
// keep them; this one writes through. Bound by L2 and the network to it.
#include <bit>

#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;

/// The word is opaque, so that no sweep repeats the one before it for the compiler.
__global__ void __launch_bounds__(block)
    write_l2(uint4* array, std::size_t vectors, std::uint64_t sweeps, unsigned word) {
  for (std::uint64_t s = 0; s < sweeps; ++s) {
    word = opaque(word);
    const uint4 value{word, word, word, word};
#pragma unroll 4
    for (std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x; i < vectors;
         i += std::size_t{gridDim.x} * block)
      array[i] = value;
  }
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const std::size_t vectors = args.out.size() / 4;
  const auto resident = static_cast<unsigned>(queue.device.compute_units * queue.device.threads_per_unit) / block;
  launch(write_l2, std::min(resident, blocks_for(vectors, block)), block, 0, queue,
         reinterpret_cast<uint4*>(args.out.data()), vectors, args.sweeps, std::bit_cast<unsigned>(args.scalar));
}

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte stores, grid-stride, the same vectors of a thread in every sweep",
    .bound_by = "L2 bandwidth: L1 writes through",
    .applies = [](const Point& point) { return point.word("level") == "l2" && point.word("op") == "write"; },
    .launch = run,
    .instructions = {{"STG.E.128", 1}},
}};

}  // namespace
}  // namespace crosswarp::gpu
