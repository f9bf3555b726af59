// Registers a variant from its own file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/bind.hpp"
#include "core/bind_ranks.hpp"
#include "core/variant_entry.hpp"

namespace crosswarp {

/// Registers a variant under the name of its source file.
template <ExperimentType E, class Queue>
class Register {
 public:
  /// `file`: the caller's. (With clang 15, std::source_location as a default argument would be this header's.)
  Register(Variant<E, Queue> v, const char* file = __builtin_FILE()) {
    VariantEntry entry;
    entry.backend = Queue::backend;
    entry.experiment = E::name;
    entry.source = file;
    entry.name = stem(entry.source);
    entry.idea = v.idea;
    entry.bound_by = v.bound_by;
    entry.improves = v.improves;
    entry.counterparts.assign(v.counterparts.begin(), v.counterparts.end());
    entry.gaps = v.gaps;
    entry.needs.assign(v.needs.begin(), v.needs.end());
    entry.not_expressible = v.not_expressible;
    entry.escape_hatch = v.escape_hatch;
    entry.library = v.library;
    entry.result = v.result;
    entry.applies = v.applies;
    entry.missing = v.missing;
    entry.instructions.assign(v.instructions.begin(), v.instructions.end());
    entry.tuned_by_table = v.tuned_by_table;
    entry.of_peers = v.of_peers;
    entry.tunings = v.tunings.empty() ? std::vector<Tuning>(1) : v.tunings;
    ExperimentEntry experiment = describe<E>();
    if constexpr (OverRanks<E>) {
      entry.bind = [v, id = entry.id(), relocate = experiment.relocate_args](Device& device, const Problem& problem,
                                                                             const Tuning& tuning) {
        return RanksOf<E, Queue>::bind(v, id, relocate, device, static_cast<const ProblemOf<E>&>(problem), tuning);
      };
      if (v.of_peers == OfPeers::nothing || v.of_peers == OfPeers::messages ||
          (v.of_peers == OfPeers::memory && experiment.relocate_args))
        entry.bind_rank = [v, relocate = experiment.relocate_args](Device& device, const Tuning& tuning,
                                                                   std::span<const std::byte> args) {
          return RanksOf<E, Queue>::bind_one(v, relocate, device, tuning, args);
        };
    } else {
      entry.bind = [v](Device& device, const Problem& problem, const Tuning& tuning) {
        return crosswarp::bind(v, device, static_cast<const ProblemOf<E>&>(problem).prepared(), tuning);
      };
    }
    if (!v.launch && entry.not_expressible.empty())
      throw Error(entry.id() + " has neither .launch nor .not_expressible (" + entry.source + ")");
    add_variant(std::move(entry), std::move(experiment));
  }

 private:
  static std::string stem(const std::string& path) {
    const auto slash = path.find_last_of('/') + 1;
    return path.substr(slash, path.find('.', slash) - slash);
  }
};

}  // namespace crosswarp
