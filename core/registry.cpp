// Selection by name, with an error for each unknown name.
#include "core/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/counters.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void require_known(std::string_view flag, const std::vector<std::string>& asked, std::vector<std::string> known) {
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const auto& name : asked)
    if (!contains(known, name)) throw Error(fmt::format("{} {}: {}", flag, name, did_you_mean(name, known)));
}

/// The tunings of `variant` that the filter selects; its default if the filter names none.
std::vector<const Tuning*> select_tunings(const VariantEntry& variant, const std::vector<std::string>& asked) {
  if (asked.empty()) return {&variant.tunings.front()};
  std::vector<const Tuning*> selected;
  for (const Tuning& tuning : variant.tunings)
    if (contains(asked, "all") || contains(asked, tuning.name())) selected.push_back(&tuning);
  return selected;
}

/// The default points of `experiment`, or those that `filter` names.
std::vector<RandomPoint> listed_points(const ExperimentEntry& experiment, const Filter& filter) {
  std::vector<Point> together = joint_points(experiment, filter);
  std::vector<RandomPoint> points;
  if (together.empty()) together.emplace_back();  // one point of no axis
  for (const Point& joint : together) {
    std::vector<std::vector<Value>> values;
    for (const Axis& axis : experiment.axes) {
      const auto& coordinates = joint.coordinates();
      const auto given = std::ranges::find(coordinates, axis.name, &Point::Coordinate::axis);
      const auto asked = filter.axes.find(axis.name);
      values.push_back(given != coordinates.end()   ? std::vector{given->value}
                       : asked == filter.axes.end() ? axis.bench
                                                    : parse_values(axis, asked->second));
    }
    for (Point& point : product(experiment.axes, values)) points.push_back({std::move(point), {}});
  }
  return points;
}

bool exists(const ExperimentEntry& experiment, const VariantEntry& variant, const Point& point) {
  return experiment.exists(point) && variant.is_for(point);
}

/// Throws Error where one of the selected experiments has nothing to draw.
void require_random_axes(const std::map<std::string, ExperimentEntry>& experiments,
                         const std::vector<const VariantEntry*>& selected) {
  std::set<std::string> without, with;
  for (const VariantEntry* variant : selected)
    if (!has_random_axes(experiments.at(variant->experiment))) without.insert(variant->experiment);
  for (const auto& [name, experiment] : experiments)
    if (has_random_axes(experiment)) with.insert(name);
  if (!without.empty())
    throw Error(fmt::format("--random: {} {} no axis to draw; choose others by --experiment ({})",
                            fmt::join(without, ", "), without.size() == 1 ? "has" : "have", fmt::join(with, ", ")));
}

void sort_by_id(std::vector<Cell>& cells) {
  std::vector<std::pair<std::string, std::size_t>> order;  // rungs, made once
  for (std::size_t i = 0; i < cells.size(); ++i) order.emplace_back(cells[i].rung(), i);
  std::ranges::sort(order, [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const Point &point_a = cells[a.second].point, &point_b = cells[b.second].point;
    return point_a < point_b || (!(point_b < point_a) && a.second < b.second);
  });
  std::vector<Cell> sorted;
  for (const auto& [rung, i] : order) sorted.push_back(std::move(cells[i]));
  cells = std::move(sorted);
}

/// Throws Error for a gap without class or reason, or by evidence that no result holds.
void require_reasons(const VariantEntry& variant) {
  for (const Gap& gap : variant.gaps) {
    if (gap.kind == GapClass::none || gap.reason.empty())
      throw Error(
          fmt::format("{} ({}): a gap needs a class other than none and a reason", variant.id(), variant.source));
    for (const std::string& name : gap.evidence)
      if (std::ranges::find(all_counters(), name, &Counter::name) == all_counters().end() &&
          std::ranges::find(fields(), name, &Field::name) == fields().end())
        throw Error(
            fmt::format("{} ({}): {} is neither a counter nor a field of results", variant.id(), variant.source, name));
  }
}

/// Whether the file is the reference backend's, compiled for another one.
bool is_shared_source(const VariantEntry& variant) {
  const std::string folder = fmt::format("/{}/{}/", reference_backend, variant.experiment);
  return variant.backend != reference_backend && variant.source.find(folder) != std::string::npos;
}

}  // namespace

std::vector<Point> joint_points(const ExperimentEntry& experiment, const Filter& filter) {
  std::vector<Point> points = experiment.bench_points();
  for (const Point& point : points)
    for (const Point::Coordinate& c : point.coordinates())
      if (filter.axes.contains(c.axis)) return {};
  return points;
}

int Tuning::operator[](std::string_view wanted) const {
  for (const auto& [name, value] : values)
    if (name == wanted) return value;
  throw Error(fmt::format("tuning '{}' has no '{}'", name(), wanted));
}

std::string to_string(GapClass kind) {
  static constexpr const char* names[] = {"none", "tuning", "not written", "no API", "library only", "escape hatch"};
  return names[static_cast<std::size_t>(kind)];
}

Gap VariantEntry::gap(const Point& point) const {
  const auto applying = std::ranges::find_if(gaps, [&](const Gap& g) { return !g.applies || g.applies(point); });
  if (applying != gaps.end()) return *applying;
  if (not_expressible.empty()) return {};
  const GapClass kind = library                ? GapClass::library_only
                        : escape_hatch.empty() ? GapClass::no_api
                                               : GapClass::escape_hatch;
  return {kind, not_expressible};
}

std::string Tuning::name() const {
  std::string all;
  for (const auto& [name, value] : values) all += fmt::format("{}{}{}", all.empty() ? "" : "_", name, value);
  return all;
}

std::string Cell::rung() const {
  return tuning == &variant->tunings.front() ? variant->id() : variant->id() + "@" + tuning->name();
}

std::optional<Cell> Cell::at(const Point& other) const {
  if (!variant->is_for(other)) return {};
  Cell moved = *this;
  moved.point = other;
  return moved;
}

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

void Registry::add(std::unique_ptr<Backend> backend) {
  backends_.push_back(std::move(backend));
  std::sort(backends_.begin(), backends_.end(), [](const auto& a, const auto& b) { return a->name() < b->name(); });
}

void Registry::add(VariantEntry variant, ExperimentEntry experiment) {
  require_reasons(variant);
  experiments_.emplace(experiment.name, std::move(experiment));
  const std::string id = variant.id();
  if (const auto other = variants_.find(id); other != variants_.end())
    throw Error(fmt::format("two files register {}: {} and {}", id, other->second.source, variant.source));
  variant.module = module_;
  variants_.emplace(id, std::move(variant));
}

void add_variant(VariantEntry variant, ExperimentEntry experiment) {
  if (variant.counterparts.empty() && is_shared_source(variant)) variant.counterparts = {variant.name};
  Registry::instance().add(std::move(variant), std::move(experiment));
}

std::size_t Registry::rung_height(const VariantEntry& variant) const {
  if (variant.library) return variants_.size();
  std::size_t height = 0;
  const VariantEntry* rung = &variant;
  while (!rung->improves.empty() && height < variants_.size()) {  // improvements may form a cycle
    const auto parent = variants_.find(rung->backend + "/" + rung->experiment + "/" + rung->improves);
    if (parent == variants_.end()) break;
    rung = &parent->second;
    ++height;
  }
  return height;
}

const Backend& Registry::backend(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& backend : backends_) {
    if (backend->name() == name) return *backend;
    names.push_back(backend->name());
  }
  throw Error(fmt::format("--backend {}: {}", name, did_you_mean(name, names, "not in this build")));
}

std::string Registry::not_in_this_build() const {
  std::vector<std::string> names;
  for (const auto& backend : backends_) names.push_back(backend->name());
  return fmt::format("not in this build (backends {})", fmt::join(names, ", "));
}

/// Backends or experiments that have the variant but are not selected; else the nearest match.
std::string Registry::why_unknown(const std::string& variant, const std::vector<std::string>& known) const {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : variants_)
    if (entry.name == variant) ids.push_back(id);
  return ids.empty() ? did_you_mean(variant, known, not_in_this_build())
                     : fmt::format("not among what is selected, but there is {}", fmt::join(ids, ", "));
}

std::vector<const VariantEntry*> Registry::select(const Filter& filter) const {
  for (const auto& name : filter.backends) backend(name);
  std::vector<std::string> known_experiments, known_variants, known_tunings{"all"}, known_axes;
  for (const auto& [name, experiment] : experiments_) known_experiments.push_back(name);
  require_known("--experiment", filter.experiments, known_experiments);
  std::vector<const VariantEntry*> selected;
  for (const auto& [id, variant] : variants_) {
    if (!filter.backends.empty() && !contains(filter.backends, variant.backend)) continue;
    if (!filter.experiments.empty() && !contains(filter.experiments, variant.experiment)) continue;
    known_variants.push_back(variant.name);
    if (!filter.variants.empty() && !contains(filter.variants, variant.name)) continue;
    selected.push_back(&variant);
    for (const Tuning& tuning : variant.tunings)
      if (!tuning.values.empty()) known_tunings.push_back(tuning.name());
    for (const Axis& axis : experiments_.at(variant.experiment).axes) known_axes.push_back(axis.name);
  }
  for (const auto& name : filter.variants)
    if (std::ranges::find(selected, name, &VariantEntry::name) == selected.end())
      throw Error(fmt::format("--variant {}: {}", name, why_unknown(name, known_variants)));
  require_known("--tuning", filter.tunings, known_tunings);
  for (const auto& [name, spec] : filter.axes) require_known("axis", {name}, known_axes);
  return selected;
}

std::vector<Cell> Registry::cells(const Filter& filter) const {
  std::map<std::string, std::vector<RandomPoint>> points;
  std::vector<Cell> cells;
  const std::vector<const VariantEntry*> selected = select(filter);
  if (filter.random) require_random_axes(experiments_, selected);
  for (const VariantEntry* variant : selected) {
    const ExperimentEntry& experiment = experiments_.at(variant->experiment);
    const auto is_covered = [&](const Point& point) {
      return std::ranges::any_of(selected, [&](const VariantEntry* other) {
        return other->experiment == experiment.name && exists(experiment, *other, point);
      });
    };
    if (!points.contains(experiment.name))
      points[experiment.name] = filter.random ? random_points(experiment, filter.axes, *filter.random, is_covered)
                                              : listed_points(experiment, filter);
    for (const Tuning* tuning : select_tunings(*variant, filter.tunings))
      for (const auto& [point, half] : points[experiment.name])
        if (exists(experiment, *variant, point))
          cells.push_back({&backend(variant->backend), &experiment, variant, tuning, point, false, half});
  }
  require_some(cells, selected, filter);
  sort_by_id(cells);
  return cells;
}

std::vector<Cell> Registry::rungs(const Filter& filter) const {
  std::map<std::string, std::vector<Point>> points;
  std::vector<Cell> rungs;
  const std::vector<const VariantEntry*> selected = select(filter);
  for (const VariantEntry* variant : selected) {
    const ExperimentEntry& experiment = experiments_.at(variant->experiment);
    const auto [own, is_new] = points.try_emplace(experiment.name);
    if (is_new) {
      for (const RandomPoint& listed : listed_points(experiment, filter)) own->second.push_back(listed.point);
      std::sort(own->second.begin(), own->second.end());
      if (filter.axes.empty())
        for (const TestPoint& test : experiment.test_points()) own->second.push_back(test.point);
    }
    const auto point =
        std::ranges::find_if(own->second, [&](const Point& each) { return exists(experiment, *variant, each); });
    if (point == own->second.end()) continue;
    for (const Tuning* tuning : select_tunings(*variant, filter.tunings))
      rungs.push_back({&backend(variant->backend), &experiment, variant, tuning, *point});
  }
  require_some(rungs, selected, filter);
  sort_by_id(rungs);
  return rungs;
}

void Registry::require_some(const std::vector<Cell>& cells, const std::vector<const VariantEntry*>& selected,
                            const Filter& filter) const {
  if (!cells.empty()) return;
  throw Error("nothing is selected: " + (selected.empty() ? why_no_variant(filter) : why_no_point(selected)));
}

std::string Registry::why_no_variant(const Filter& filter) const {
  if (filter.experiments.empty())
    return fmt::format("this build has no variants{}{}", filter.backends.empty() ? "" : " of ",
                       fmt::join(filter.backends, ", "));
  std::string why;
  for (const std::string& experiment : filter.experiments) {
    std::set<std::string> backends;
    for (const auto& [id, variant] : variants_)
      if (variant.experiment == experiment) backends.insert(variant.backend);
    why += fmt::format("{}{} has no {} variants; it has variants of {}", why.empty() ? "" : "; ", experiment,
                       fmt::join(filter.backends, " or "), fmt::join(backends, ", "));
  }
  return why;
}

std::string Registry::why_no_point(const std::vector<const VariantEntry*>& selected) const {
  std::set<std::string> names;
  std::vector<std::string> axes;
  for (const VariantEntry* variant : selected) {
    names.insert(selected.size() == 1 ? variant->id() : variant->backend + "/" + variant->experiment);
    for (const Axis& axis : experiments_.at(variant->experiment).axes)
      if (const std::string option = "--" + axis.name; !contains(axes, option)) axes.push_back(option);
  }
  return fmt::format("{} {} for none of these points; choose others by {}", fmt::join(names, ", "),
                     names.size() == 1 ? "is" : "are", fmt::join(axes, ", "));
}

std::vector<Cell> Registry::cells_at(const ExperimentEntry& experiment, const Point& point,
                                     const std::vector<std::string>& backends) const {
  std::vector<Cell> cells;
  for (const auto& [id, variant] : variants_)
    if (variant.experiment == experiment.name && contains(backends, variant.backend) &&
        exists(experiment, variant, point))
      cells.push_back({&backend(variant.backend), &experiment, &variant, &variant.tunings.front(), point});
  return cells;
}

std::vector<Cell> Registry::test_cells() const {
  std::vector<Cell> cells;
  for (const auto& [id, variant] : variants_)
    for (const Tuning& tuning : variant.tunings)
      for (const TestPoint& test : experiments_.at(variant.experiment).test_points())
        if (exists(experiments_.at(variant.experiment), variant, test.point))
          cells.push_back({&backend(variant.backend), &experiments_.at(variant.experiment), &variant, &tuning,
                           test.point, test.slow});
  sort_by_id(cells);
  return cells;
}

std::vector<Cell> Registry::random_test_cells(std::size_t count, std::uint64_t seed, std::size_t most_bytes) const {
  std::vector<Cell> cells;
  for (const auto& entry : experiments_) {
    const ExperimentEntry& experiment = entry.second;
    if (!has_random_axes(experiment)) continue;
    Cost most;
    for (const auto& [point, slow] : experiment.test_points()) {
      if (slow || experiment.footprint(point) > most_bytes) continue;
      const Cost cost = experiment.cost(point);
      most.accesses = std::max(most.accesses, cost.accesses);
      most.flops = std::max(most.flops, cost.flops);
    }
    const auto suits = [&](const Point& point) {
      const Cost cost = experiment.cost(point);
      return experiment.footprint(point) <= most_bytes && cost.accesses <= most.accesses && cost.flops <= most.flops;
    };
    for (std::size_t draw = 0; const auto& [point, half] : random_points(experiment, {}, {count, seed}, suits)) {
      for (const auto& [id, variant] : variants_)
        if (variant.experiment == experiment.name && exists(experiment, variant, point))
          cells.push_back({&backend(variant.backend), &experiment, &variant,
                           &variant.tunings[draw % variant.tunings.size()], point, false, half});
      ++draw;
    }
  }
  return cells;
}

}  // namespace crosswarp
