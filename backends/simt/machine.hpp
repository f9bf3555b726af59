// Execution of kernels on the CPU, to test correctness: a fiber per thread, a rendezvous per barrier and warp-wide
// operation. Unordered threads run in a random order from a seed; a breach of CUDA's rules is an error with its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>

#include "core/random.hpp"

namespace crosswarp::simt {

/// CUDA's uint3 and dim3.
struct Index {
  unsigned x = 0, y = 0, z = 0;
};
struct Extent {
  unsigned x, y, z;
  constexpr Extent(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// Of the running thread, by CUDA's names.
extern Index threadIdx, blockIdx;
extern Extent blockDim, gridDim;

struct Launch {
  Extent grid, block;
  std::size_t shared_bytes;  ///< Dynamic shared memory.
  unsigned warp_size;        ///< 32 or 64.
  RandomStream order;        ///< Of blocks, of warps, and of lanes within a warp.
};

/// Runs `thread` once for each thread of the grid, one block after the other; one launch at a time. Throws Error for a
/// launch that a GPU refuses, a barrier that some threads of the block miss, a warp-wide operation on a lane that waits
/// elsewhere, and a value from a lane that does not take part.
void run(const Launch& launch, const std::function<void()>& thread);

// Called by running threads only:

/// Lane of the running thread.
unsigned lane();

/// Dynamic shared memory of the block, aligned to 16 bytes.
std::span<std::byte> shared_memory();

/// Waits for all threads of the block.
void sync_block(std::source_location where);

/// Lanes of a warp that take part in an operation, lane 0 in the lowest bit.
using LaneMask = std::uint64_t;

/// Waits for all of `lanes` that have not exited. Replaces `value` by lane `source`'s.
void exchange(std::span<std::byte> value, unsigned source, LaneMask lanes, std::source_location where);

/// Waits likewise. Mask of the lanes whose predicate is true.
LaneMask vote(bool predicate, LaneMask lanes, std::source_location where);

}  // namespace crosswarp::simt
