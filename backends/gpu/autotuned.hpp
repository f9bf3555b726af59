// A variant that is the fastest of several, by measurement: which kernel that is it finds out once for each problem.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backends/gpu/cached_by_problem.hpp"
#include "backends/gpu/candidate.hpp"
#include "backends/gpu/fastest.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// The fastest of candidates.
template <class E>
class Autotuned {
 public:
  using Args = typename E::Args;

  explicit Autotuned(std::vector<Candidate<E>> of) : candidates_(std::move(of)), offsets_(candidates_.size()) {
    constexpr std::size_t alignment = 256;
    const auto aligned = [](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
    for (const Candidate<E>& candidate : candidates_)
      if (!candidate.keeps_counters) workspace_bytes_ = std::max(workspace_bytes_, aligned(candidate.workspace_bytes));
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!candidates_[i].keeps_counters) continue;
      offsets_[i] = workspace_bytes_;
      workspace_bytes_ += aligned(candidates_[i].workspace_bytes);
    }
  }

  /// Of all candidates.
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  /// Finds the fastest, unless it is known. Waits for the device.
  void prepare(const Queue& queue, const Args& args) {
    if (fastest_) return;
    fastest_ = fastest<E>(queue, args, candidates_.size(),
                          [&](const Args& set, std::size_t i) { launch_candidate(queue, set, i); });
  }

  /// Requires prepare().
  void launch(const Queue& queue, const Args& args) const { launch_candidate(queue, args, fastest_.value()); }

 private:
  void launch_candidate(const Queue& queue, const Args& args, std::size_t i) const {
    Queue with_part = queue;
    with_part.workspace = queue.workspace.subspan(offsets_[i], candidates_[i].workspace_bytes);
    candidates_[i].launch(with_part, args);
  }

  std::vector<Candidate<E>> candidates_;
  std::vector<std::size_t> offsets_;  ///< Of their workspaces, of which those without counters share the first.
  std::size_t workspace_bytes_ = 0;
  std::optional<std::size_t> fastest_;
};

/// The functions of a variant that is the fastest of the candidates that `candidates(queue, args)` returns.
template <class E, std::vector<Candidate<E>> (*candidates)(const Queue&, const typename E::Args&)>
struct AutotunedVariant {
  using Args = typename E::Args;

  static Autotuned<E>& of(const Queue& queue, const Args& args) {
    static CachedByProblem<E, Autotuned<E>> known(
        [](const Queue& on, const Args& problem) { return Autotuned<E>(candidates(on, problem)); });
    return known(queue, args);
  }
  static std::size_t workspace(const Queue& queue, const Args& args) { return of(queue, args).workspace_bytes(); }
  static void prepare(const Queue& queue, const Args& args) { of(queue, args).prepare(pdl_by_tuning(queue), args); }
  static void launch(const Queue& queue, const Args& args) { of(queue, args).launch(pdl_by_tuning(queue), args); }
};

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
