// Captures outputs by copies in the queue's stream: a check that synchronised first would miss late work.
#include "core/verification.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr auto late_work_wait = std::chrono::milliseconds(50);

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

constexpr const char* outside =
    "ran outside of queue.stream: its output changed while the gate was closed; launch all work on the queue's stream";

Verdict wrong(std::string why) { return {.ok = false, .where = std::move(why)}; }

void fill(Device& device, const Memory& memory, unsigned char byte) {
  for (const auto& piece : memory)
    if (!piece.empty()) device.fill(piece.data(), byte, piece.size());
}

void fill_outputs(Device& device, const Problem& problem, std::size_t set, unsigned char byte) {
  for (std::size_t rank = 0; rank < device.ranks(); ++rank) fill(device.rank(rank), problem.outputs(set, rank), byte);
}

void set_outputs(Device& device, Problem& problem, std::size_t sets, Before before) {
  problem.poison();
  for (std::size_t set = 0; set < sets && before == Before::numbers; ++set)
    fill_outputs(device, problem, set, number_byte);
  device.synchronize();  // else the fill could overwrite work outside of the queue's stream, and hide it
}

bool is_poison(Device& device, const Problem& problem, std::size_t sets) {
  for (std::size_t set = 0; set < sets; ++set)
    for (std::size_t rank = 0; rank < device.ranks(); ++rank)
      for (const auto& piece : problem.outputs(set, rank))
        if (!piece.empty() && device.rank(rank).has_changed(piece, poison_byte)) return false;
  return true;
}

/// Whether outputs change within `look` seconds while all launches wait at a closed gate.
bool runs_outside(Device& device, Problem& problem, const Launches& launches, double look) {
  if (!launches.gated) return false;
  bool too_early = false;
  set_outputs(device, problem, launches.sets, Before::poison);
  device.time({.launch = launches.launch, .count = launches.count, .cold = launches.cold, .while_closed = [&] {
                 wait(look);
                 too_early = !is_poison(device, problem, launches.sets);
               }});
  return too_early;
}

}  // namespace

Launches untimed(const Bound& bound, std::size_t sets, ResultIn result) {
  return {.launch = bound.launch,
          .count = sets,
          .sets = sets,
          .gated = false,
          .result = result,
          .workspaces = bound.workspaces.get()};
}

Capture::Capture(Device& device, const Problem& problem, std::size_t launches, std::size_t sets)
    : device_(device), problem_(problem), launches_(launches), sets_(sets) {
  try {
    for (std::size_t rank = 0; rank < device.ranks(); ++rank) {
      std::size_t bytes = 0;
      for (const auto& piece : problem.outputs(0, rank)) bytes += piece.size();
      copies_.emplace_back(device.rank(rank), launches_ * bytes);
    }
  } catch (const Error&) {
    launches_ = 0;
  }
}

template <class Visit>
void Capture::for_each(std::size_t i, Visit visit) {
  if (i >= launches_) return;
  for (std::size_t rank = 0; rank < device_.ranks(); ++rank) {
    std::byte* copy = copies_[rank].span().data() + i * (copies_[rank].size() / launches_);
    for (const auto& piece : problem_.outputs(i % sets_, rank)) {
      visit(device_.rank(rank), piece, copy);
      copy += piece.size();
    }
  }
}

void Capture::take(std::size_t i) {
  for_each(i, [](Device& device, std::span<std::byte> output, std::byte* copy) {
    device.copy(copy, output.data(), output.size());
  });
}

void Capture::put_back(std::size_t i) {
  for_each(i, [](Device& device, std::span<std::byte> output, const std::byte* copy) {
    device.copy(output.data(), copy, output.size());
  });
}

Verdict judge(const Problem& problem, const Launches& launches) {
  Verdict verdict = problem.check(launches.result);
  if (!verdict.ok || !launches.workspaces) return verdict;
  if (!std::ranges::all_of(*launches.workspaces, &Buffer<std::byte>::guards_intact)) {
    verdict.ok = false;
    verdict.where = "a guard band beside the workspace was written to";
  }
  return verdict;
}

Verdict say_if_late(const Problem& problem, const Launches& launches, Verdict verdict) {
  if (verdict.ok) return verdict;
  const std::string at_once = judge(problem, launches).where;
  std::this_thread::sleep_for(late_work_wait);
  // Not right either, perhaps: late work of an earlier launch may have written to the inputs.
  if (const Verdict later = judge(problem, launches); later.ok || later.where != at_once)
    verdict.where =
        "its output was not there behind the last launch: work continues after the last event of queue.stream (" +
        verdict.where + ")";
  return verdict;
}

Verdict verify_each_launch(Device& device, Problem& problem, Capture& capture, const Launches& launches,
                           double& seconds) {
  std::vector<Buffer<unsigned>> early;  // by rank: 1 if a launch's output was written before it
  for (std::size_t rank = 0; rank < device.ranks(); ++rank)
    early.emplace_back(device.rank(rank), launches.count).fill(0);
  problem.poison();
  device.synchronize();
  const bool one_set = launches.sets == 1;
  const std::function<void(std::size_t)> launch = [&](std::size_t i) {
    if (one_set && i > 0) fill_outputs(device, problem, 0, poison_byte);
    for (std::size_t rank = 0; rank < device.ranks(); ++rank)
      for (const auto& piece : problem.outputs(i % launches.sets, rank))
        if (!piece.empty()) device.rank(rank).note_change(piece, poison_byte, early[rank].span().data() + i);
    launches.launch(i);
    capture.take(i);
  };
  seconds = device.time({.launch = launch, .count = launches.count, .cold = launches.cold, .gated = launches.gated});
  std::size_t first_early = launches.count;
  for (const Buffer<unsigned>& of_rank : early) {
    const std::vector<unsigned> was_early = of_rank.read();
    const auto first = std::ranges::find(was_early, 1u) - was_early.begin();
    first_early = std::min(first_early, static_cast<std::size_t>(first));
  }
  Verdict worst;
  if (first_early < launches.count)
    worst = wrong("the output of launch " + std::to_string(first_early) +
                  " was written before that launch: each launch does its own work");
  for (std::size_t i = 0; i < launches.count && worst.where.empty(); ++i) {
    capture.put_back(i);
    if (!one_set && i + 1 < launches.count) continue;  // one check for all sets
    worst = judge(problem, launches);
  }
  if (worst.ok) return worst;
  // Find the reason, for the author.
  if (runs_outside(device, problem, launches, late_work_wait.count() * 1e-3)) return wrong(outside);
  if (first_early < launches.count) return worst;
  problem.poison();
  device.time({.launch = launches.launch, .count = launches.count, .cold = launches.cold, .gated = launches.gated});
  std::this_thread::sleep_for(late_work_wait);
  if (judge(problem, launches).ok)
    worst.where = "the output of a launch was not there behind it: each launch does its own work, on queue.stream (" +
                  worst.where + ")";
  return worst;
}

VerifiedSample verify_as_timed(Device& device, Problem& problem, Capture& capture, const Launches& launches,
                               double look, Before before) {
  bool too_early = false;
  const auto sample = [&](bool watched) {
    set_outputs(device, problem, launches.sets, before);
    Batch batch{.launch = launches.launch, .count = launches.count, .cold = launches.cold, .gated = launches.gated};
    if (watched) {
      batch.behind = [&] {
        for (std::size_t i = 0; i < launches.sets; ++i) capture.take(i);
      };
      if (launches.gated && look > 0)
        batch.while_closed = [&] {
          wait(look);
          too_early = !is_poison(device, problem, launches.sets);
        };
    }
    return device.time(batch);
  };
  const double seconds = sample(true);
  if (too_early) return {wrong(outside), seconds};
  for (std::size_t i = 0; i < launches.sets; ++i) capture.put_back(i);
  const Verdict captured = judge(problem, launches);
  if (captured.ok) return {captured, seconds};
  sample(false);
  return {say_if_late(problem, launches, captured), seconds};
}

}  // namespace crosswarp
