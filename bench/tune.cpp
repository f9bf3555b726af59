// The search is a loop over rounds; core/tuning_search.hpp decides who stays.
#include "bench/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/tuning_search.hpp"

namespace crosswarp {

std::vector<Group> searches(const Plan& plan) {
  std::vector<Group> all;
  for (const Group& group : plan.groups) {
    std::map<const VariantEntry*, std::vector<Cell>> by_variant;
    std::vector<const VariantEntry*> order;
    for (const Cell& cell : group.cells)
      if (!plan.skipped(cell) && cell.variant->tunings.size() > 1) {
        if (!by_variant.contains(cell.variant)) order.push_back(cell.variant);
        by_variant[cell.variant].push_back(cell);
      }
    for (const VariantEntry* variant : order)
      if (by_variant[variant].size() > 1) all.push_back({by_variant[variant], group.mode, group.launch_by});
  }
  if (all.empty())
    throw Error("tune: no selected variant has several tunings; bench --list shows them as variant@tuning");
  return all;
}

std::optional<Tuned> search(const Group& group, const StopRule& last, const TimeRound& time) {
  Tuned tuned{.tunings = group.cells.size()};
  Group left = group;
  const std::size_t rounds = search_rounds(group.cells.size());
  for (std::size_t round = 0; round < rounds && !left.cells.empty(); ++round) {
    const std::vector<Result> results = time(left, round, search_rule(last, round, rounds));
    if (results.empty()) return {};
    std::vector<std::optional<double>> seconds;
    for (const Result& r : results) seconds.push_back(r.time());
    const std::vector<std::size_t> order = survivors(seconds);
    if (order.empty()) return {};
    tuned.best = results[order.front()];
    tuned.rounds = round + 1;
    for (const Result& r : results)
      if (r.time() && r.cell.tuning == &r.cell.variant->tunings.front()) tuned.over_default = time_ratio(r, tuned.best);
    std::vector<Cell> next;
    for (const std::size_t i : order) next.push_back(left.cells[i]);
    left.cells = std::move(next);
    if (left.cells.size() == 1 && round + 1 < rounds) round = rounds - 2;  // its time is worth a full round
  }
  return tuned;
}

TunedPoint tuned_point(const Tuned& tuned) {
  const Result& best = tuned.best;
  return {.device = best.device.name,
          .variant = best.cell.variant->id(),
          .source = source_of(*best.cell.variant),
          .point = best.cell.point,
          .tuning = best.cell.tuning->name(),
          .seconds = best.time().value_or(0),
          .over_default = tuned.over_default ? tuned.over_default->value : 1};
}

std::string tuned_table(const std::vector<Tuned>& tuned, const Terminal& terminal) {
  TextTable table;
  table.row({"variant", "time", "× default", "of", "best tuning", "point"}, TextTable::Colour::faint);
  for (const Tuned& t : tuned)
    table.row({t.best.cell.variant->id(), si(t.best.time(), "s"), t.over_default ? times(t.over_default->value) : "",
               fmt::format("{} in {} round{}", t.tunings, t.rounds, t.rounds == 1 ? "" : "s"),
               t.best.cell.tuning->name(), t.best.cell.point.name()});
  return table.text(terminal.width, terminal.colours);
}

}  // namespace crosswarp
