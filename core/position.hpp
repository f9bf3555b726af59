// Where a run is, for whoever watches it; it may lie in memory that is shared with another process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace crosswarp {

struct Position {
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  std::atomic<std::uint64_t> cell = nobody;  ///< Whose launches run now: its place among those given to the runner.
  std::atomic<std::uint64_t> placement = 0;  ///< Of those cells.
  std::atomic<std::uint64_t> steps = 0;      ///< Grows with each step: the sign of life.

  /// `whose`: nobody's is what a point's cells share, such as making the inputs.
  void enter(std::uint64_t whose) {
    cell = whose;
    ++steps;
  }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "else it could not be shared between processes");

}  // namespace crosswarp
