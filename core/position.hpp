// The position of a run, for a progress line and for fault isolation. May lie in memory shared between processes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace crosswarp {

struct Position {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::atomic<std::uint64_t> cell = none;    ///< Index of the running cell among those given to the runner.
  std::atomic<std::uint64_t> placement = 0;  ///< Index of the placement.
  std::atomic<std::uint64_t> steps = 0;      ///< Grows with each step: the sign of life.

  /// `index`: none for work that all cells share, such as making the inputs.
  void enter(std::uint64_t index) {
    cell = index;
    ++steps;
  }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "required for sharing between processes");

}  // namespace crosswarp
