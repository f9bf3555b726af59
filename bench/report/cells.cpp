// Compares cells at one point in one mode: the same problem on several backends and devices.
#include "bench/report/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/format.hpp"

namespace crosswarp {
namespace {

using Index = std::size_t;  // of a cell
using Key = std::array<std::string, 3>;

const std::string& backend_of(const Result& r) { return r.cell.variant->backend; }
const std::string& experiment_of(const Result& r) { return r.cell.variant->experiment; }

/// The fastest of `places` for which `counts` holds; `none` if there is none.
constexpr Index none = std::numeric_limits<Index>::max();
template <class Counts>
Index fastest_of(const std::vector<ReportCell>& cells, const std::vector<Index>& places, Counts counts) {
  Index best = none;
  for (const Index p : places)
    if (const Result& r = cells[p].result;
        r.time() && counts(r) && (best == none || *r.time() < *cells[best].result.time()))
      best = p;
  return best;
}

/// Cells by point, in the order of the cells.
std::vector<std::vector<Index>> by_point(const std::vector<ReportCell>& cells) {
  std::vector<std::vector<Index>> all;
  std::map<std::array<std::string, 4>, std::size_t> known;
  for (Index p = 0; p < cells.size(); ++p) {
    const Result& r = cells[p].result;
    const auto [found, is_new] =
        known.try_emplace({experiment_of(r), mode_of(r), r.device.name, r.cell.point.name()}, all.size());
    if (is_new) all.emplace_back();
    all[found->second].push_back(p);
  }
  return all;
}

/// Whether two of `cells` are of one file: then of one run.
SameRun same_file(const std::vector<ReportCell>& cells) {
  std::map<const Result*, std::size_t> sources;
  for (const ReportCell& cell : cells) sources[&cell.result] = cell.source;
  return [sources](const Result& a, const Result& b) { return sources.at(&a) == sources.at(&b); };
}

std::optional<std::array<double, 3>> least_median_most(std::vector<double> values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return std::array{*least, median(values), *most};
}

/// The efficiencies of an application, device by device.
struct Efficiencies {
  std::vector<double> of_best, of_peak;  // at the points that it runs
};

/// An experiment in one mode, on all devices that have it.
class OnAllDevices {
 public:
  OnAllDevices(const std::vector<ReportCell>& cells, const std::vector<Index>& places) : cells_(cells) {
    for (const Index p : places) {
      const Result& r = cells_[p].result;
      if (r.time()) devices_.insert(r.device.name);
      at_[r.cell.point.name()][r.device.name].push_back(p);
    }
    // A point counts where every device has a time, and no row of it was too fast to be true: else its best known one
    // is not known. Rows with other numbers of host threads have no best.
    const auto is_implausible = [&](Index row) { return cells_[row].result.status == Status::implausible; };
    const auto is_mixed = [&](const std::vector<Index>& rows) {
      return std::ranges::any_of(rows, [&](Index a) {
        return std::ranges::any_of(rows, [&](Index b) {
          const Result &one = cells_[a].result, &other = cells_[b].result;
          return one.time() && other.time() && !why_no_ratio(one, other).empty();
        });
      });
    };
    std::erase_if(at_, [&](const auto& point) {
      for (const auto& [device, rows] : point.second)
        if (is_mixed(rows) || std::ranges::any_of(rows, is_implausible)) return true;
      return !std::all_of(devices_.begin(), devices_.end(), [&](const std::string& device) {
        const auto found = point.second.find(device);
        return found != point.second.end() && best(found->second) != none;
      });
    });
  }

  /// Of the rows for which `mine` holds.
  template <class Mine>
  Portability judge(Portability result, Mine mine) const {
    std::map<std::string, Efficiencies> found;
    std::vector<double> of_best, of_peak;
    result.points = 0;
    for (const auto& [point, devices] : at_) {
      const auto meant = [&](const auto& device) {
        return std::any_of(device.second.begin(), device.second.end(), [&](Index p) { return mine(cells_[p].result); });
      };
      if (!std::any_of(devices.begin(), devices.end(), meant)) continue;
      ++result.points;
      std::vector<double> best_here, peak_here;
      for (const std::string& device : devices_) {
        const std::vector<Index>& places = devices.at(device);
        const Index own = fastest_of(cells_, places, mine);
        Efficiencies& here = found[device];
        best_here.push_back(own == none ? 0 : time_of(best(places)) / time_of(own));
        if (own != none) here.of_best.push_back(best_here.back());
        if (const auto peak = of_peak_of(cells_[own == none ? best(places) : own].result)) {
          peak_here.push_back(own == none ? 0 : *peak);
          if (own != none) here.of_peak.push_back(*peak);
        }
      }
      of_best.push_back(harmonic_mean(best_here));
      if (peak_here.size() == devices_.size()) of_peak.push_back(harmonic_mean(peak_here));
    }
    for (const auto& [device, own] : found)
      result.devices.push_back({device, own.of_best.size(), own.of_best.empty() ? 0 : geometric_mean(own.of_best),
                                own.of_peak.empty() ? std::nullopt : std::optional(geometric_mean(own.of_peak))});
    if (devices_.size() > 1) {
      result.of_best = least_median_most(of_best);
      result.of_peak = least_median_most(of_peak);
    }
    return result;
  }

 private:
  static std::optional<double> of_peak_of(const Result& r) {
    return r.of_measured_peak() ? r.of_measured_peak() : r.of_theoretical_peak();
  }
  double time_of(Index cell) const { return *cells_[cell].result.time(); }
  Index best(const std::vector<Index>& places) const {
    return fastest_of(cells_, places, [](const Result&) { return true; });
  }

  const std::vector<ReportCell>& cells_;
  std::set<std::string> devices_;
  std::map<std::string, std::map<std::string, std::vector<Index>>> at_;  // by point and device
};

/// The order of a run: backends as they came first, each from its first rung up by what its rungs improve on, libraries
/// last.
class Ladders {
 public:
  explicit Ladders(const std::vector<ReportCell>& cells) {
    for (const auto& [result, source] : cells) {
      const VariantEntry& variant = *result.cell.variant;
      backends_.try_emplace(variant.backend, backends_.size());
      if (!variant.improves.empty()) parents_[variant.id()] = parent_of(variant);
    }
  }

  std::pair<std::size_t, std::size_t> position(const Result& result) const {
    const VariantEntry& variant = *result.cell.variant;
    std::size_t height = variant.library ? parents_.size() + 1 : 0;
    if (!variant.library)
      for (auto parent = parents_.find(variant.id()); parent != parents_.end() && height <= parents_.size();
           parent = parents_.find(parent->second))
        ++height;  // a ring of improvements would have no end
    return {backends_.at(variant.backend), height};
  }

 private:
  static std::string parent_of(VariantEntry variant) {
    variant.name = variant.improves;
    return variant.id();
  }
  std::map<std::string, std::size_t> backends_;
  std::map<std::string, std::string> parents_;
};

}  // namespace

std::vector<ReportCell> report_cells(const std::vector<ResultFile>& files) {
  std::vector<std::size_t> by_age(files.size());
  std::iota(by_age.begin(), by_age.end(), 0);
  std::stable_sort(by_age.begin(), by_age.end(),
                   [&](std::size_t a, std::size_t b) { return files[a].said("date") < files[b].said("date"); });
  std::vector<ReportCell> cells;
  std::map<std::pair<std::string, std::string>, Index> known;
  for (const std::size_t source : by_age)
    for (Result& r : merge_repetitions(files[source].results)) {
      const auto [at, is_new] = known.try_emplace({r.device.name, r.name()}, cells.size());
      if (is_new)
        cells.push_back({std::move(r), source});
      else
        cells[at->second] = {std::move(r), source};
    }
  const Ladders ladders(cells);
  std::stable_sort(cells.begin(), cells.end(), [&](const ReportCell& a, const ReportCell& b) {
    const auto key = [&](const ReportCell& c) {
      const Cell& cell = c.result.cell;
      return std::tuple<const std::string&, const Point&, std::pair<std::size_t, std::size_t>>(
          cell.variant->experiment, cell.point, ladders.position(c.result));
    };
    return key(a) < key(b);
  });
  return cells;
}

std::vector<ExperimentVerdict> verdicts(const std::vector<ReportCell>& cells) {
  std::vector<const Result*> results;
  for (const ReportCell& cell : cells) results.push_back(&cell.result);
  return verdicts(results, same_file(cells));
}

void compare(std::vector<ReportCell>& cells) {
  const SameRun same_run = same_file(cells);
  std::set<std::string> names;
  for (const ReportCell& cell : cells) names.insert(backend_of(cell.result));
  std::vector<std::string> backends(names.begin(), names.end());
  std::ranges::stable_sort(backends, {}, reference_order);
  for (const std::vector<Index>& point : by_point(cells)) {
    std::vector<Result*> results;
    for (const Index cell : point) results.push_back(&cells[cell].result);
    compare(results, backends, same_run);
  }
}

std::string show_range(const std::optional<std::array<double, 3>>& shares) {
  return shares ? fmt::format("{} [{}, {}]", percent((*shares)[1]), percent((*shares)[0]), percent((*shares)[2])) : "";
}

std::string show_efficiency(double efficiency, const Portability::OnDevice& device, const Portability& of) {
  return percent(efficiency) + (device.points < of.points ? fmt::format(" ({} of {})", device.points, of.points) : "");
}

double harmonic_mean(const std::vector<double>& efficiencies) {
  double sum = 0;
  for (const double e : efficiencies) {
    if (e <= 0) return 0;
    sum += 1 / e;
  }
  return efficiencies.empty() ? 0 : static_cast<double>(efficiencies.size()) / sum;
}

std::vector<Portability> portability(const std::vector<ReportCell>& cells) {
  std::map<std::pair<std::string, std::string>, std::vector<Index>> series;  // by experiment and mode
  for (Index p = 0; p < cells.size(); ++p)
    series[{experiment_of(cells[p].result), mode_of(cells[p].result)}].push_back(p);
  std::vector<Portability> all;
  for (const auto& [of, places] : series) {
    const OnAllDevices on_all(cells, places);
    const auto judge = [&](const std::string& backend, const std::string& application, auto mine) {
      const Portability found = on_all.judge({of.first, of.second, backend, application, 0, {}, {}, {}}, mine);
      if (found.points > 0) all.push_back(found);
    };
    std::set<std::string> backends, rungs;
    for (const Index p : places)
      if (const std::string& backend = backend_of(cells[p].result); backends.insert(backend).second)
        judge(backend, backend,
              [&](const Result& r) { return backend_of(r) == backend && r.cell.variant->stands_for_backend(); });
    for (const Index p : places)
      if (const std::string rung = cells[p].result.cell.rung(); rungs.insert(rung).second)
        judge(backend_of(cells[p].result), rung, [&](const Result& r) { return r.cell.rung() == rung; });
  }
  return all;
}

}  // namespace crosswarp
