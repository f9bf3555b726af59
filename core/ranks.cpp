// A group's work is that of all ranks; its time is the slowest rank's.
#include "core/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace crosswarp {
namespace {

/// What the devices have in common; memory in all.
DeviceInfo describe(const std::vector<std::shared_ptr<Device>>& devices, const RankGroup::Facts& facts) {
  if (devices.size() < 2 || devices.size() > most_ranks)
    throw Error(fmt::format("{} ranks; 2 to {} can be", devices.size(), most_ranks));
  DeviceInfo info = devices.front()->info();
  info.key.clear();
  info.memory = 0;
  for (const auto& device : devices) {
    info.key += (info.key.empty() ? "" : "+") + device->info().key;
    info.memory += device->info().memory;
  }
  info.name = fmt::format("{} × {}", devices.size(), info.name);
  info.graphs = false;
  // Of a group, no rate is known: neither a link's nor that of all memories together.
  info.peaks.clear();
  info.versions["ranks"] = std::to_string(devices.size());
  for (const auto& [what, is] : facts) info.versions[what] = is;
  return info;
}

}  // namespace

std::string shared_cores(std::size_t ranks, std::size_t cores) {
  return cores > 0 && ranks > cores ? fmt::format("{} ranks share {} core{}", ranks, cores, cores == 1 ? "" : "s") : "";
}

RankGroup::RankGroup(std::vector<std::shared_ptr<Device>> devices, const Facts& facts, std::string remark,
                     std::function<void()> meet)
    : Device(describe(devices, facts)),
      devices_(std::move(devices)),
      remark_(std::move(remark)),
      meet_(std::move(meet)),
      seconds_(devices_.size()) {}

std::size_t RankGroup::free_memory() const {
  std::size_t free = 0;
  for (const auto& device : devices_) free += device->free_memory();
  return free;
}

void RankGroup::relocate(std::size_t placement) {
  for (std::size_t r = 0; r < ranks(); ++r) rank(r).relocate(placement);
}

void RankGroup::synchronize() {
  for (std::size_t r = 0; r < ranks(); ++r) rank(r).synchronize();
}

/// Ranks of other processes open theirs when all have met.
void RankGroup::open_all_gates() {
  if (meet_) {
    for (std::size_t r = 1; r < ranks(); ++r) devices_[r]->open_gate();
    meet_();
    devices_.front()->open_gate();
  } else {
    for (const auto& device : devices_) device->open_gate();
  }
}

/// Flushes all ranks' caches, and waits for that.
void RankGroup::flush() {
  const std::function<void(std::size_t)> nothing = [](std::size_t) {};
  const Batch empty{.launch = nothing, .count = 0, .cold = true, .gated = false};
  for (std::size_t r = 0; r < ranks(); ++r) {
    rank(r).start(empty);
    rank(r).stop();
  }
  for (std::size_t r = 0; r < ranks(); ++r) rank(r).finish(empty);
}

double RankGroup::time(const Batch& batch) {
  // Launches that wait for their device cannot wait for a gate: the gates open before them. A rank's time would else
  // include that its peers still flush their caches.
  const Batch gated{.launch = batch.launch, .count = batch.count, .cold = batch.cold && batch.gated};
  if (batch.cold && !batch.gated) flush();
  bool are_closed = true;
  const auto open = [&] {
    if (std::exchange(are_closed, false)) open_all_gates();
  };
  try {
    for (std::size_t r = 0; r < ranks(); ++r) rank(r).start(gated);
    if (!batch.gated) open();
    for (std::size_t i = 0; i < batch.count; ++i) batch.launch(i);
    for (std::size_t r = 0; r < ranks(); ++r) rank(r).stop();
    if (batch.behind) batch.behind();
    if (batch.while_closed) batch.while_closed();
  } catch (...) {
    open();
    throw;
  }
  open();
  for (std::size_t r = 0; r < ranks(); ++r) seconds_[r] = rank(r).finish(gated);
  return std::ranges::max(seconds_);
}

void RankGroup::launch_empty(bool pdl) {
  for (std::size_t r = 0; r < ranks(); ++r) rank(r).launch_empty(pdl);
}

std::string RankGroup::restore_state() {
  std::string changes;
  for (std::size_t r = 0; r < ranks(); ++r)
    if (const std::string own = rank(r).restore_state(); !own.empty())
      changes += fmt::format("{}rank {}: {}", changes.empty() ? "" : ", ", r, own);
  return changes;
}

bool RankGroup::shares_memory() const {
  return std::ranges::all_of(devices_, [](const auto& device) { return device->shares_memory(); });
}

bool RankGroup::lost() const {
  return std::ranges::any_of(devices_, [](const auto& device) { return device->lost(); });
}

}  // namespace crosswarp
