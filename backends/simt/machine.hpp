// Runs kernels on the processor for the sake of their correctness: a fiber for each thread, a rendezvous for each
// barrier and each warp-wide operation. Where threads may run in any order they run in a random one, by a seed, and
// what breaks the language's rules is an error that names the line.
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

// Of the running thread, under the names that kernels know.
extern Index threadIdx, blockIdx;
extern Extent blockDim, gridDim;

struct Launch {
  Extent grid, block;
  std::size_t shared_bytes;  ///< Dynamic shared memory.
  unsigned warp_size;        ///< 32 or 64.
  RandomStream order;        ///< Of blocks, of warps, and of lanes within a warp.
};

/// Runs `thread` once for each thread of the grid, blocks one after the other. Throws Error where the launch is one
/// that a GPU refuses, and where threads break a rule: a barrier that not all threads of a block reach, a warp-wide
/// operation that waits for a lane which waits elsewhere, a value from a lane that does not take part. One launch at a
/// time.
void run(const Launch& launch, const std::function<void()>& thread);

// The rest is for running threads alone.

/// Lane of the running thread.
unsigned lane();

/// The dynamic shared memory of its block, aligned to 16 bytes.
std::span<std::byte> shared_memory();

/// Waits for all threads of the block.
void sync_block(std::source_location where);

/// Which lanes of a warp take part in an operation, lowest lane first.
using LaneMask = std::uint64_t;

/// Waits for all of `lanes` that have not left the kernel. Replaces `value` by what lane `source` brought.
void exchange(std::span<std::byte> value, unsigned source, LaneMask lanes, std::source_location where);

/// Waits likewise. The lanes that brought true.
LaneMask vote(bool predicate, LaneMask lanes, std::source_location where);

}  // namespace crosswarp::simt
