// A rank's own process: its device, and the main loop of all processes but the first.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/processes.hpp"

namespace crosswarp {

/// The device of this process: that of its local rank among all, or among those `named`. Where a host has fewer devices
/// than ranks, these take turns. Throws Error where `named` has none for it.
std::shared_ptr<Device> open_own_rank(const Backend& backend, const Processes& processes,
                                      const std::vector<std::size_t>& named);

/// Main loop of the other processes: serves the first one until it dismisses them.
void serve_rank(Processes& processes);

}  // namespace crosswarp
