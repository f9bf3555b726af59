// Ring of shared-memory stages between a producer and its consumers: PipelineState, and the full and empty mbarriers of
// a ring that TMA fills (Hopper). For files that need "ptx".
#pragma once

#include "backends/cuda/device/mbarrier.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// A position in the ring: the stage's index, and the parity of the round.
struct PipelineState {
  unsigned index = 0, phase = 0;

  __device__ void advance(unsigned stages) {
    if (++index == stages) {
      index = 0;
      phase ^= 1;
    }
  }
};

/// In shared memory. A stage is full once its bytes are there, empty once all consumers have read them.
template <unsigned stages>
struct Pipeline {
  Mbarrier full[stages], empty[stages];

  /// By one thread; a barrier of the block or cluster must follow. `consumers`: arrivals that empty a stage.
  __device__ void init(unsigned consumers) {
    for (unsigned s = 0; s < stages; ++s) {
      full[s].init(1);
      empty[s].init(consumers);
    }
    fence_mbarrier_init();
  }

  /// Waits until the stage is empty (at once in the first round), and announces `bytes`. Returns the barrier on which
  /// copies into the stage complete. By the producer thread.
  __device__ Mbarrier* producer_acquire(const PipelineState& state, unsigned bytes) {
    empty[state.index].wait(state.phase ^ 1);
    full[state.index].arrive_expect_tx(bytes);
    return &full[state.index];
  }
  /// Waits until all stages are empty, so that no consumer's arrival finds the producer's block gone.
  __device__ void producer_tail(PipelineState state) {
    for (unsigned s = 0; s < stages; ++s, state.advance(stages)) empty[state.index].wait(state.phase ^ 1);
  }

  __device__ void consumer_wait(const PipelineState& state) { full[state.index].wait(state.phase); }
  /// One arrival of those given to init().
  __device__ void consumer_release(unsigned index) { empty[index].arrive(); }
};

}  // namespace
}  // namespace crosswarp::gpu

#endif
