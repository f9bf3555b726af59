// Execution of kernels on the CPU, to test correctness: a fiber per thread, a rendezvous per barrier and warp-wide
// operation. Unordered threads run in a random order from a seed; a breach of CUDA's rules is an error with its line.
// Several devices have a stream each: their kernels run interleaved, and a random one is held back now and then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>

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
  /// All blocks run at once, beside those of other streams; their kernel has no static shared memory. Otherwise one
  /// block runs after the other, and nothing beside them.
  bool resident = false;
};

/// The work of a device in the order of enqueuing. Nothing orders the work of two streams.
class Stream {
 public:
  /// `name` stands in errors.
  explicit Stream(std::string name);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Enqueues running `thread` once for each thread of the grid. Throws Error for a launch that a GPU refuses.
  void enqueue(const Launch& launch, std::function<void()> thread);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

/// Runs all work of all streams. Throws Error for a barrier that some threads of a block miss, a warp-wide operation on
/// a lane that waits elsewhere, a value from a lane that does not take part, and threads that wait for memory that no
/// thread will write any more. After an error no stream has work left.
void run();

// Called by running threads only:

/// Lane of the running thread.
unsigned lane();

/// Dynamic shared memory of the block, aligned to 16 bytes.
std::span<std::byte> shared_memory();

/// Waits for all threads of the block.
void sync_block(std::source_location where);

/// In a loop that waits for memory to change: lets other threads run.
void nap(std::source_location where);

/// Says that memory for which threads may wait has changed.
void note_store();

/// Drawn as the order of threads is.
bool coin();

/// Lanes of a warp that take part in an operation, lane 0 in the lowest bit.
using LaneMask = std::uint64_t;

/// Waits for all of `lanes` that have not exited. Replaces `value` by lane `source`'s.
void exchange(std::span<std::byte> value, unsigned source, LaneMask lanes, std::source_location where);

/// Waits likewise. Mask of the lanes whose predicate is true.
LaneMask vote(bool predicate, LaneMask lanes, std::source_location where);

}  // namespace crosswarp::simt
