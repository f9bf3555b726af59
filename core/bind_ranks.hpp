// Binds a variant to all ranks of a group: a queue and a workspace for each, in this process or in another
// (core/remote_rank.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/own_rank.hpp"
#include "core/variant_entry.hpp"

namespace crosswarp {

template <ExperimentType E, class Queue>
class RanksOf {
 public:
  /// `id`: the variant's, for ranks in other processes.
  static Bound bind(const Variant<E, Queue>& v, const std::string& id, const RelocateArgs& relocate, Device& device,
                    const ProblemOf<E>& prepared, const Tuning& tuning) {
    const E& problem = prepared.prepared();
    Bound bound;
    bound.log = std::make_shared<LaunchLog>();
    bound.workspaces = std::make_shared<std::vector<Buffer<std::byte>>>();
    const auto group = std::make_shared<Group>(Group{bound.workspaces, std::vector<Rank>(device.ranks())});
    std::vector<Rank>& ranks = group->ranks;
    std::vector<std::span<std::byte>> spans;
    bool has_processes = false;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      Device& own = device.rank(rank);
      const Args args = args_of(problem, 0, rank);
      auto& [here, elsewhere] = ranks[rank];
      elsewhere = own.bind_remotely(id, tuning.name(), bytes_of(args));
      has_processes = has_processes || elsewhere;
      if (!elsewhere)
        here = std::make_unique<Own>(own, LaunchContext{own.info(), tuning, {}, bound.log.get()}, relocate);
      const std::size_t bytes = elsewhere ? elsewhere->workspace() : v.workspace ? v.workspace(here->queue(), args) : 0;
      bound.workspaces->emplace_back(own, bytes).fill(0);
      spans.push_back(bound.workspaces->back().span());
    }
    std::vector<RankMemory> shared;
    if (has_processes && v.of_peers == OfPeers::memory) shared = shared_memory(relocate, device, prepared, spans);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      device.rank(rank);
      auto& [here, elsewhere] = ranks[rank];
      here ? here->take_workspaces(spans, rank, shared) : elsewhere->take_workspaces(spans, rank, shared);
    }
    // A launch of one rank may write to another's workspace, which must be cleared before.
    if (ranks.size() > 1) device.synchronize();
    // Ranks of other processes first: what is done once may wait here until all have come.
    const auto on_all = [group, &device, &problem, log = bound.log](auto enqueue, auto enqueue_elsewhere,
                                                                    std::size_t set) {
      for (std::size_t rank = 0; rank < group->ranks.size(); ++rank)
        if (RankBound* const elsewhere = group->ranks[rank].elsewhere.get())
          (elsewhere->*enqueue_elsewhere)(bytes_of(args_of(problem, set, rank)));
      for (std::size_t rank = 0; rank < group->ranks.size(); ++rank)
        if (const Own* const here = group->ranks[rank].here.get()) {
          device.rank(rank);
          enqueue(here->queue(), here->here(args_of(problem, set, rank)));
        }
    };
    if (v.prepare)
      for (std::size_t set = 0; set < prepared.sets(); ++set) on_all(v.prepare, &RankBound::prepare, set);
    bound.launch = [on_all, launch = v.launch](std::size_t set) { on_all(launch, &RankBound::launch, set); };
    return bound;
  }

  /// For a problem in another process.
  static std::unique_ptr<RankBound> bind_one(const Variant<E, Queue>& v, const RelocateArgs& relocate, Device& device,
                                             const Tuning& tuning, std::span<const std::byte> args) {
    return std::make_unique<OneRank>(v, relocate, device, tuning, args);
  }

 private:
  using Args = typename E::Args;
  using Own = OwnRank<Args, Queue>;

  /// A rank of this process, for a problem in another.
  class OneRank final : public RankBound {
   public:
    OneRank(const Variant<E, Queue>& v, const RelocateArgs& relocate, Device& device, const Tuning& tuning,
            std::span<const std::byte> args)
        : v_(v),
          own_(device, LaunchContext{device.info(), tuning, {}, &log_}, relocate),
          bytes_(v.workspace ? v.workspace(own_.queue(), read(args)) : 0) {}
    std::size_t workspace() const override { return bytes_; }
    void take_workspaces(std::span<const std::span<std::byte>> workspaces, std::size_t own_rank,
                         std::span<const RankMemory> shared) override {
      own_.take_workspaces(workspaces, own_rank, shared);
    }
    void prepare(std::span<const std::byte> args) override { v_.prepare(own_.queue(), own_.here(read(args))); }
    void launch(std::span<const std::byte> args) override { v_.launch(own_.queue(), own_.here(read(args))); }

   private:
    static Args read(std::span<const std::byte> args) {
      std::array<std::byte, sizeof(Args)> raw;
      std::ranges::copy(args, raw.begin());
      return std::bit_cast<Args>(raw);
    }

    const Variant<E, Queue> v_;
    LaunchLog log_;
    Own own_;
    std::size_t bytes_;
  };

  /// A rank of this process, or one of another.
  struct Rank {
    std::unique_ptr<Own> here;
    std::unique_ptr<RankBound> elsewhere;
  };
  /// Workspaces are released when no rank has them mapped any more: members are destroyed from the last on.
  struct Group {
    std::shared_ptr<std::vector<Buffer<std::byte>>> workspaces;
    std::vector<Rank> ranks;
  };

  /// Every rank's memory that launches of others may use: workspaces, and arguments of all sets.
  static std::vector<RankMemory> shared_memory(const RelocateArgs& relocate, Device& device,
                                               const ProblemOf<E>& problem,
                                               std::span<const std::span<std::byte>> workspaces) {
    std::vector<std::pair<std::size_t, std::span<std::byte>>> spans;
    const auto note = [&](std::size_t rank, std::span<std::byte> span) {
      spans.emplace_back(rank, span);
      return span;
    };
    for (std::size_t rank = 0; rank < workspaces.size(); ++rank) {
      note(rank, workspaces[rank]);
      for (std::size_t set = 0; set < problem.sets(); ++set)
        relocated(args_of(problem.prepared(), set, rank), relocate, note);
    }
    return share(device, spans);
  }
};

}  // namespace crosswarp
