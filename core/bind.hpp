// Binds a variant to a device and a problem: a queue and a workspace.
#pragma once

#include <memory>
#include <vector>

#include "core/variant_entry.hpp"

namespace crosswarp {

template <ExperimentType E, class Queue>
Bound bind(const Variant<E, Queue>& v, Device& device, const E& problem, const Tuning& tuning) {
  Bound bound;
  bound.log = std::make_shared<LaunchLog>();
  bound.workspaces = std::make_shared<std::vector<Buffer<std::byte>>>();
  const auto queue = std::make_shared<Queue>(device, LaunchContext{device.info(), tuning, {}, bound.log.get()});
  const auto args = args_of(problem, 0, 0);
  bound.workspaces->emplace_back(device, v.workspace ? v.workspace(*queue, args) : 0).fill(0);
  queue->workspace = bound.workspaces->back().span();
  queue->workspaces = {&queue->workspace, 1};
  if (v.prepare) v.prepare(*queue, args);
  bound.launch = [queue, workspaces = bound.workspaces, log = bound.log, launch = v.launch, &problem](std::size_t set) {
    launch(*queue, args_of(problem, set, 0));
  };
  return bound;
}

}  // namespace crosswarp
