// Trial launches decide which variants stand for an experiment: nothing here names one.
#include "bench/tour.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/schedule.hpp"
#include "core/bound.hpp"
#include "core/fields.hpp"
#include "core/format.hpp"
#include "core/noise.hpp"

namespace crosswarp {
namespace {

/// Of a trial: a few samples, or one where a launch is slow.
constexpr StopRule trial{.min_time = 0, .min_samples = 1, .max_samples = 5, .placements = 1, .time_limit = 0.02};
constexpr double share_of_trials = 0.5;  // of an experiment's time
constexpr double first_share = 1.5;      // seconds: the first results come early
constexpr std::size_t least_bound = 12;  // columns
constexpr double max_growth = 100;       // from one trial to the next: what is fastest depends on the size
constexpr double fixed_on_host = 0.02;   // seconds of preparing that do not grow with the problem

/// How many times the work or memory of `small` another point takes; not below 1.
double growth(const ExperimentEntry& experiment, const Point& small, const Point& large) {
  const double work = experiment.cost(large).amount() / experiment.cost(small).amount();
  const double memory =
      static_cast<double>(experiment.footprint(large)) / static_cast<double>(experiment.footprint(small));
  return std::max({1.0, work, memory});
}

double seconds_to_try(const Result& result) { return launches_to_verify * result.time().value_or(0); }

/// The results that stand for an experiment: of each backend the first rung, the fastest variant and the fastest
/// library; whatever came from a module; and what is wrong.
struct Representatives {
  std::set<const Result*> needed, first_rungs;
  bool contains(const Result& r) const { return needed.contains(&r) || first_rungs.contains(&r); }
};

Representatives representatives(const std::vector<const Result*>& results) {
  Representatives chosen;
  std::map<std::string, std::vector<const Result*>> by_backend;
  for (const Result* r : results) {
    by_backend[r->cell.variant->backend].push_back(r);
    const bool is_unsound = r->status != Status::ok && r->status != Status::skipped;
    if (is_unsound || (r->time() && !r->cell.variant->module.empty())) chosen.needed.insert(r);
  }
  for (const auto& [backend, of_backend] : by_backend) {
    const std::vector<ExperimentVerdict> of_devices = verdicts(of_backend);
    for (const ExperimentVerdict& verdict : of_devices) {
      if (verdict.best) chosen.needed.insert(verdict.best);
      if (verdict.library) chosen.needed.insert(verdict.library->result);
      if (verdict.naive) chosen.first_rungs.insert(verdict.naive->result);
    }
  }
  return chosen;
}

/// The cells that fit into `seconds` at a point `times` as large as that of `tried`, the fastest first; without
/// variants that are not for it. Empty if a representative other than the first rung does not fit.
std::vector<Cell> affordable(const std::vector<Result>& tried, const Point& point, double times, double seconds) {
  std::vector<const Result*> all;
  for (const Result& r : tried)
    if (r.status != Status::skipped && r.cell.at(point)) all.push_back(&r);
  const std::set<const Result*> needed = representatives(all).needed;
  std::ranges::stable_sort(all, {},
                           [&](const Result* r) { return std::pair(!needed.contains(r), seconds_to_try(*r)); });
  std::vector<Cell> cells;
  for (const Result* r : all) {
    seconds -= seconds_to_try(*r) * times;
    if (seconds < 0) return needed.contains(r) ? std::vector<Cell>{} : cells;
    cells.push_back(*r->cell.at(point));
  }
  return cells;
}

}  // namespace

Tour::Tour(const Options& options, std::vector<std::string> backends, Executor& executor)
    : options_(options), backends_(std::move(backends)), executor_(executor) {
  std::set<std::string> with_variants;
  for (const auto& [id, variant] : Registry::instance().variants())
    if (std::ranges::find(backends_, variant.backend) != backends_.end()) with_variants.insert(variant.experiment);
  for (const auto& [name, experiment] : Registry::instance().experiments())
    if (with_variants.contains(name)) experiments_.push_back(&experiment);
}

/// The headline points that every device can hold and check; default points of an experiment that declares none.
std::vector<Point> Tour::fitting_points(const ExperimentEntry& experiment) {
  std::vector<Point> points = experiment.headline_points();
  if (points.empty()) {
    Filter all;
    all.backends = backends_;
    all.experiments = {experiment.name};
    for (const Cell& cell : Registry::instance().cells(all)) points.push_back(cell.point);
    std::ranges::sort(points, {}, [&](const Point& p) { return std::pair(experiment.cost(p).amount(), p); });
    points.erase(std::unique(points.begin(), points.end()), points.end());
  }
  std::erase_if(points, [&](const Point& point) {
    return std::ranges::any_of(backends_, [&](const std::string& backend) {
      const auto& device = executor_.status(Registry::instance().backend(backend)).device;
      return device && !is_default_size(experiment, point, *device);
    });
  });
  return points;
}

bool Tour::on_gpu() const {
  return std::ranges::any_of(backends_, [&](const std::string& backend) {
    const auto& device = executor_.status(Registry::instance().backend(backend)).device;
    return device && device->warp_size > 1;
  });
}

Tour::Tried Tour::try_out(const std::vector<Cell>& cells) {
  Tried tried{executor_.run(cells, Mode::single, backends_, LaunchBy::stream, trial), {}};
  for (const Result& r : tried.results) tried.wall += r.measurement.wall;
  return tried;
}

/// The representatives, in the order of the cells.
Group Tour::group_of(const std::vector<Result>& tried) const {
  Group group{{}, options_.modes.front(), options_.launch_by.front()};
  std::vector<const Result*> all;
  for (const Result& r : tried) all.push_back(&r);
  const Representatives chosen = representatives(all);
  for (const Result& r : tried)
    if (chosen.contains(r)) group.cells.push_back(r.cell);
  sort_by_rung(group.cells, backends_);
  return group;
}

std::optional<Tour::Stop> Tour::next(double seconds_left) {
  const auto share = seconds_left / static_cast<double>(left());
  const bool is_first = next_ == 0;  // any tour shows something
  const double seconds = is_first ? std::min(share, first_share) : share;
  const ExperimentEntry& experiment = *experiments_[next_++];
  if (seconds <= 0 && !is_first) {
    no_time_left_.push_back(experiment.name);
    return {};
  }
  const std::vector<Point> points = fitting_points(experiment);
  if (points.empty()) {
    left_out_.push_back(experiment.name + ": no point fits this machine");
    return {};
  }
  std::size_t at = 0;
  const std::vector<Cell> first = Registry::instance().cells_at(experiment, points[at], backends_);
  if (first.empty()) {
    left_out_.push_back(experiment.name + ": these backends have no variant");
    return {};
  }
  Tried tried = try_out(first);
  Phases wall = tried.wall;
  // The first trial on a GPU loads code and opens libraries.
  const double fixed = on_gpu() ? wall.preparing : fixed_on_host;
  const auto next_point = [&]() -> std::vector<Cell> {
    for (std::size_t larger = points.size() - 1; larger > at; --larger) {
      const double times = growth(experiment, points[at], points[larger]);
      if (times > max_growth && larger > at + 1) continue;
      const double preparing = std::max(0.0, tried.wall.preparing - fixed) * times;
      const double allowed = share_of_trials * (seconds - wall.sum()) - tried.wall.sum() - preparing;
      if (auto cells = affordable(tried.results, points[larger], times, allowed); !cells.empty()) {
        at = larger;
        return cells;
      }
    }
    return {};
  };
  for (std::vector<Cell> cells = next_point(); !cells.empty(); cells = next_point()) {
    tried = try_out(cells);
    wall += tried.wall;
  }
  if (tried.results.empty()) return {};  // interrupted
  Stop stop{group_of(tried.results), options_.run.stop, wall};
  if (stop.group.cells.empty()) {
    left_out_.push_back(fmt::format("{}: {}", experiment.name, tried.results.front().note));
    return {};
  }
  if (const auto headline = experiment.headline_points(); !headline.empty() && points[at] != headline.back())
    smaller_.push_back(experiment.name);
  double launch = 0;  // seconds of one launch of every row
  for (const Result& r : tried.results)
    if (std::ranges::any_of(stop.group.cells, [&](const Cell& c) { return c.id() == r.cell.id(); }))
      launch += r.time().value_or(0);
  stop.rule.point_limit = std::max(0.0, seconds - wall.sum());
  const double affordable_launches = stop.rule.point_limit * share_of_trials / (launches_to_verify * launch);
  stop.rule.launches =
      static_cast<std::size_t>(std::clamp(affordable_launches, 1.0, static_cast<double>(stop.rule.launches)));
  return stop;
}

std::string Tour::remarks() const {
  std::string text;
  if (!smaller_.empty())
    text =
        fmt::format("Smaller problems than on a large GPU, to fit time and memory: {}.\n", fmt::join(smaller_, ", "));
  if (!no_time_left_.empty())
    text += fmt::format("Left out, no time left: {}. A longer --budget has room for them.\n",
                        fmt::join(no_time_left_, ", "));
  for (const std::string& left_out : left_out_) text += "Left out: " + left_out + ".\n";
  return text;
}

std::string overview(const std::vector<ExperimentVerdict>& verdicts, const Terminal& terminal) {
  TextTable table;
  std::vector<std::string> others;  // backends
  for (const ExperimentVerdict& v : verdicts)
    for (const Rival& other : v.others)
      if (const std::string& name = other.result->cell.variant->backend;
          std::ranges::find(others, name) == others.end())
        others.push_back(name);
  std::set<std::string> why_not;
  const auto ratio = [&](const Rival& rival) -> std::string {
    if (rival.why_no_ratio.empty()) return times(rival.ratio);
    why_not.insert(rival.why_no_ratio);
    return "-";
  };
  const auto over = [&](const std::optional<Rival>& rival) { return rival ? ratio(*rival) : ""; };
  std::vector<std::string> head{"experiment", "fastest of its backend", "time", "of peak", "× first", "× library"};
  for (const std::string& backend : others) head.push_back("× " + backend);
  head.push_back("bound by");
  table.left(1);
  table.row(head, TextTable::Colour::faint);
  for (const ExperimentVerdict& v : verdicts) {
    if (!v.best) continue;
    std::vector<std::string> row{v.experiment,
                                 without_experiment(v.best->cell.rung()),
                                 field("real_time").show(*v.best),
                                 field("of_measured_peak").show(*v.best),
                                 over(v.naive),
                                 over(v.library)};
    for (const std::string& backend : others) {
      const Rival* other = v.other(backend);
      row.push_back(other ? ratio(*other) : "");
    }
    row.push_back(bound_name(*v.best));
    table.row(std::move(row), v.is_unsound() ? TextTable::Colour::bad : TextTable::Colour::none);
  }
  if (table.rows() < 2) return {};
  table.cut(head.size() - 1, least_bound);
  std::string text = table.text(terminal.width, terminal.colours);
  if (!why_not.empty()) text += fmt::format("-: no ratio, {}.\n", fmt::join(why_not, ", "));
  return text;
}

}  // namespace crosswarp
