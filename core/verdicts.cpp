// One row per experiment: for the page's first screen and the terminal's summary.
#include "core/verdicts.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

namespace crosswarp {
namespace {

using Results = std::vector<const Result*>;

const Result* fastest(const auto& results, const auto& among) {
  const Result* best = nullptr;
  for (const Result* r : results)
    if (r->time() && among(*r) && (!best || *r->time() < *best->time())) best = r;
  return best;
}

bool is_library(const Result& r) { return r.cell.variant->library; }
bool stands_for_backend(const Result& r) { return r.cell.variant->stands_for_backend(); }
const std::string& backend_of(const Result& r) { return r.cell.variant->backend; }

/// Backends with a handwritten variant's time.
std::vector<std::string> backends_of(const Results& results) {
  std::vector<std::string> backends;
  for (const Result* r : results)
    if (r->time() && stands_for_backend(*r) && std::ranges::find(backends, backend_of(*r)) == backends.end())
      backends.push_back(backend_of(*r));
  std::ranges::stable_sort(backends, {}, reference_order);
  return backends;
}

/// The rung below `of` that has a time: its parent at the default tuning, else the parent's parent, and so on.
const Result* below(const Result& of, const Results& results) {
  std::set<std::string> seen;
  std::string name = of.cell.variant->improves;
  while (!name.empty() && seen.insert(name).second) {
    std::string next;
    for (const Result* r : results) {
      const VariantEntry& variant = *r->cell.variant;
      if (variant.backend != backend_of(of) || variant.name != name) continue;
      if (r->time() && r->cell.tuning == &variant.tunings.front()) return r;
      next = variant.improves;
    }
    name = next;
  }
  return nullptr;
}

class Judge {
 public:
  Judge(const Results& results, const SameRun& same_run) : results_(results), same_run_(same_run) {}

  ExperimentVerdict verdict() const {
    const Result& first = *results_.front();
    ExperimentVerdict v;
    v.experiment = first.cell.variant->experiment;
    v.mode = to_string(first.mode, first.launch_by);
    v.device = first.device.name;
    v.point = first.cell.point;
    v.results = results_;
    for (const Result* r : results_)
      if (r->status != Status::ok) ++v.not_ok[r->status];
    const std::vector<std::string> backends = backends_of(results_);
    if (backends.empty()) return v;
    v.best = fastest_of(backends.front());
    v.ladder = ladder(*v.best);
    if (v.ladder.size() > 1) v.naive = rival(v.ladder.front().result, *v.best);
    if (const Result* library = fastest(results_, is_library)) v.library = rival(library, *v.best);
    for (auto backend = backends.begin() + 1; backend != backends.end(); ++backend)
      v.others.push_back(rival(fastest_of(*backend), *v.best));
    return v;
  }

 private:
  const Result* fastest_of(const std::string& backend) const {
    return fastest(results_, [&](const Result& r) { return stands_for_backend(r) && backend_of(r) == backend; });
  }

  Rival rival(const Result* other, const Result& best) const {
    const bool paired = same_run_(*other, best) && same_rounds(*other, best);
    return {other, time_ratio(*other, best, paired), paired, why_no_ratio(*other, best)};
  }

  std::vector<Step> ladder(const Result& best) const {
    std::vector<Step> steps;
    std::set<const Result*> seen;
    for (const Result* r = &best; r && seen.insert(r).second;) {
      const Result* parent = below(*r, results_);
      if (seen.contains(parent)) parent = nullptr;
      steps.push_back({r, parent ? std::optional(rival(parent, *r).ratio) : std::nullopt});
      r = parent;
    }
    std::ranges::reverse(steps);
    return steps;
  }

  const Results& results_;
  const SameRun& same_run_;
};

}  // namespace

int reference_order(const std::string& backend) {
  return backend == "cuda" ? 0 : backend == "hip" ? 1 : backend == "kokkos" ? 3 : 2;
}

const Rival* ExperimentVerdict::other(const std::string& backend) const {
  const auto found = std::ranges::find(others, backend, [](const Rival& r) { return backend_of(*r.result); });
  return found == others.end() ? nullptr : &*found;
}

bool ExperimentVerdict::is_unsound() const {
  return std::ranges::any_of(not_ok, [](const auto& count) { return count.first != Status::skipped; });
}

void compare(const std::vector<Result*>& results, const std::vector<std::string>& backends, const SameRun& same_run) {
  for (Result* row : results) {
    Result& own = *row;
    if (!own.time()) continue;
    const VariantEntry& variant = *own.cell.variant;
    const auto ratio = [&](const Result* reference) {
      if (!reference || reference == &own || !why_no_ratio(own, *reference).empty()) return std::optional<Ratio>();
      return std::optional(time_ratio(*reference, own, same_run(*reference, own)));
    };
    const auto here = [&](const Result& r) { return r.device.key == own.device.key; };
    own.parent = ratio(fastest(results, [&](const Result& r) {
      return here(r) && r.cell.variant->backend == variant.backend && r.cell.variant->name == variant.improves &&
             r.cell.tuning == &r.cell.variant->tunings.front();
    }));
    own.library = ratio(fastest(results, [&](const Result& r) { return here(r) && r.cell.variant->library; }));
    own.other = {};
    own.why_no_other.clear();
    for (const std::string& backend : backends) {
      if (backend == variant.backend) continue;
      const Result* best = fastest(
          results, [&](const Result& r) { return here(r) && backend_of(r) == backend && stands_for_backend(r); });
      if (!best) continue;
      own.other = ratio(best);
      own.other_rung = best->cell.rung();
      own.why_no_other = why_no_ratio(own, *best);
      break;
    }
  }
}

std::vector<ExperimentVerdict> verdicts(const std::vector<const Result*>& results, const SameRun& same_run) {
  std::vector<Results> groups;
  std::map<std::array<std::string, 4>, std::size_t> known;
  for (const Result* r : results) {
    const auto [found, is_new] = known.try_emplace(
        {r->cell.variant->experiment, to_string(r->mode, r->launch_by), r->device.name, r->cell.point.name()},
        groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(r);
  }
  std::vector<ExperimentVerdict> all;
  for (const Results& group : groups) all.push_back(Judge(group, same_run).verdict());
  return all;
}

const ExperimentVerdict* headline(const std::vector<const ExperimentVerdict*>& of_experiment,
                                  const std::vector<Point>& headline_points) {
  for (auto point = headline_points.rbegin(); point != headline_points.rend(); ++point)
    for (const ExperimentVerdict* v : of_experiment)
      if (v->best && v->point.name() == point->name()) return v;
  const auto rank = [](const ExperimentVerdict* v) {
    const std::size_t have = (v->best ? 1u : 0u) + (v->naive ? 1u : 0u) + (v->library ? 1u : 0u) + v->others.size();
    return std::pair(have, v->best ? v->best->cost.amount() : 0);
  };
  const auto found = std::ranges::max_element(of_experiment, {}, rank);
  return found == of_experiment.end() ? nullptr : *found;
}

}  // namespace crosswarp
