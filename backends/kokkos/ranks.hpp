// The queue of a rank, for variants over ranks. Kokkos has one device per process, so ranks are processes.
#pragma once

#include "backends/kokkos/queue.hpp"

namespace crosswarp::kokkos {

struct RankQueue : Queue {
  RankQueue(Device& on, LaunchContext context) : Queue(on, context), owner_(&on) {}

  /// Waits on the host for all work before. Only for variants with ResultIn::host.
  void wait() const {
    if constexpr (!is_asynchronous) owner_->synchronize();  // a rank of the host has a thread that clears and copies
    exec.fence();
  }

 private:
  Device* owner_;
};

/// Registers this file's variant over ranks.
template <class E>
using RegisterRanks = crosswarp::Register<E, RankQueue>;

}  // namespace crosswarp::kokkos
