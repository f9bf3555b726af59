// What is compared here are cells at one point, in one mode: the same problem, wherever it was solved.
#include "bench/report/cells.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace crosswarp {
namespace {

using Place = std::size_t;  // among the cells
using Key = std::array<std::string, 3>;

double time_of(const Row& row) { return location(row.seconds); }

/// The fastest of `places` of which `counts` holds; `none` where there is none.
constexpr Place none = std::numeric_limits<Place>::max();
template <class Counts>
Place fastest_of(const std::vector<ReportCell>& cells, const std::vector<Place>& places, Counts counts) {
  Place best = none;
  for (const Place p : places)
    if (cells[p].row.ok() && counts(cells[p].row) && (best == none || time_of(cells[p].row) < time_of(cells[best].row)))
      best = p;
  return best;
}

/// Cells by point, in the order of the cells.
std::vector<std::vector<Place>> by_point(const std::vector<ReportCell>& cells) {
  std::vector<std::vector<Place>> all;
  std::map<std::array<std::string, 4>, std::size_t> known;
  for (Place p = 0; p < cells.size(); ++p) {
    const Row& row = cells[p].row;
    const auto [found, is_new] = known.try_emplace({row.experiment, row.mode, row.device, row.point}, all.size());
    if (is_new) all.emplace_back();
    all[found->second].push_back(p);
  }
  return all;
}

std::optional<std::array<double, 3>> least_median_most(std::vector<double> values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return std::array{*least, median(values), *most};
}

/// The efficiencies of an application, device by device.
struct Efficiencies {
  std::vector<double> of_best, of_peak;  // by point
};

/// An experiment in one mode, on all devices that have it.
class Field {
 public:
  Field(const std::vector<ReportCell>& cells, const std::vector<Place>& places) : cells_(cells) {
    for (const Place p : places) {
      const Row& row = cells_[p].row;
      if (row.ok()) devices_.insert(row.device);
      at_[row.point][row.device].push_back(p);
    }
    // A point counts where every device has a time: else its best known one is not known.
    std::erase_if(at_, [&](const auto& point) {
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
        return std::any_of(device.second.begin(), device.second.end(), [&](Place p) { return mine(cells_[p].row); });
      };
      if (!std::any_of(devices.begin(), devices.end(), meant)) continue;
      ++result.points;
      std::vector<double> best_here, peak_here;
      for (const std::string& device : devices_) {
        const std::vector<Place>& places = devices.at(device);
        const Place own = fastest_of(cells_, places, mine);
        best_here.push_back(own == none ? 0 : time_of(cells_[best(places)].row) / time_of(cells_[own].row));
        found[device].of_best.push_back(best_here.back());
        if (const auto peak = own == none ? std::optional(0.0) : of_peak_of(cells_[own].row)) {
          peak_here.push_back(*peak);
          found[device].of_peak.push_back(*peak);
        }
      }
      of_best.push_back(harmonic_mean(best_here));
      if (peak_here.size() == devices_.size()) of_peak.push_back(harmonic_mean(peak_here));
    }
    for (const auto& [device, own] : found) {
      const bool runs = std::any_of(own.of_peak.begin(), own.of_peak.end(), [](double e) { return e > 0; });
      result.devices.push_back(
          {device, geometric_mean(own.of_best), runs ? std::optional(geometric_mean(own.of_peak)) : std::nullopt});
    }
    if (devices_.size() > 1) {
      result.of_best = least_median_most(of_best);
      result.of_peak = least_median_most(of_peak);
    }
    return result;
  }

 private:
  static std::optional<double> of_peak_of(const Row& row) {
    if (row.of_peak) return row.of_peak;
    const auto theoretical = row.all.find("of_theoretical_peak");
    return theoretical != row.all.end() && theoretical->is_number() ? std::optional(theoretical->get<double>())
                                                                    : std::nullopt;
  }
  Place best(const std::vector<Place>& places) const {
    return fastest_of(cells_, places, [](const Row&) { return true; });
  }

  const std::vector<ReportCell>& cells_;
  std::set<std::string> devices_;
  std::map<std::string, std::map<std::string, std::vector<Place>>> at_;  // by point and device
};

/// The order of a run: backends as they came first, each from its first rung up by what its rungs improve on, libraries
/// last.
class Ladders {
 public:
  explicit Ladders(const std::vector<ReportCell>& cells) {
    for (const auto& [row, source] : cells) {
      backends_.try_emplace(row.backend, backends_.size());
      if (const auto parent = row.all.find("improves"); parent != row.all.end() && parent->is_string())
        parents_[stem(row) + row.all.at("variant").get<std::string>()] = stem(row) + parent->get<std::string>();
    }
  }

  std::pair<std::size_t, std::size_t> place(const Row& row) const {
    std::size_t height = row.library ? parents_.size() + 1 : 0;
    if (!row.library)
      for (auto parent = parents_.find(stem(row) + row.all.at("variant").get<std::string>());
           parent != parents_.end() && height <= parents_.size(); parent = parents_.find(parent->second))
        ++height;  // a ring of improvements would have no end
    return {backends_.at(row.backend), height};
  }

 private:
  static std::string stem(const Row& row) { return row.backend + "/" + row.experiment + "/"; }
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
  std::map<std::pair<std::string, std::string>, Place> places;
  for (const std::size_t source : by_age)
    for (Row& row : merge_repetitions(files[source].rows)) {
      const auto [place, is_new] = places.try_emplace({row.device, row.name}, cells.size());
      if (is_new)
        cells.push_back({std::move(row), source});
      else
        cells[place->second] = {std::move(row), source};
    }
  const Ladders ladders(cells);
  // Numbers sort as numbers; of several files, rungs stand as in a run of all of them.
  const auto values = [](const Row& row) {
    std::vector<Json> all;
    for (const auto& [axis, value] : row.axes.items()) all.push_back(value);
    return all;
  };
  std::stable_sort(cells.begin(), cells.end(), [&](const ReportCell& a, const ReportCell& b) {
    if (a.row.experiment != b.row.experiment) return a.row.experiment < b.row.experiment;
    const auto at_a = values(a.row), at_b = values(b.row);
    return at_a != at_b ? at_a < at_b : ladders.place(a.row) < ladders.place(b.row);
  });
  return cells;
}

std::vector<SideBySide> side_by_side(const std::vector<ReportCell>& cells) {
  constexpr const char* reference_backend = "cuda";
  std::vector<SideBySide> all;
  for (const std::vector<Place>& point : by_point(cells)) {
    std::vector<std::string> backends;
    for (const Place p : point)
      if (const Row& row = cells[p].row;
          row.ok() && !row.library && std::find(backends.begin(), backends.end(), row.backend) == backends.end())
        backends.push_back(row.backend);
    const auto cuda = std::find(backends.begin(), backends.end(), reference_backend);
    if (cuda != backends.end()) std::rotate(backends.begin(), cuda, cuda + 1);
    const auto fastest = [&](const std::string& backend) {
      return fastest_of(cells, point, [&](const Row& row) { return !row.library && row.backend == backend; });
    };
    for (std::size_t b = 1; b < backends.size(); ++b) {
      const Place reference = fastest(backends[0]), cell = fastest(backends[b]);
      const bool paired = cells[reference].source == cells[cell].source;
      const Placements &mine = cells[cell].row.seconds, &other = cells[reference].row.seconds;
      all.push_back({reference, cell, paired ? paired_ratio(other, mine) : location_ratio(other, mine), paired});
    }
  }
  return all;
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
  std::map<std::pair<std::string, std::string>, std::vector<Place>> fields;
  for (Place p = 0; p < cells.size(); ++p) fields[{cells[p].row.experiment, cells[p].row.mode}].push_back(p);
  std::vector<Portability> all;
  for (const auto& [of, places] : fields) {
    const Field field(cells, places);
    const auto judge = [&](const std::string& backend, const std::string& application, auto mine) {
      const Portability found = field.judge({of.first, of.second, backend, application, 0, {}, {}, {}}, mine);
      if (found.points > 0) all.push_back(found);
    };
    std::set<std::string> backends, rungs;
    for (const Place p : places)
      if (const Row& row = cells[p].row; backends.insert(row.backend).second)
        judge(row.backend, row.backend,
              [&](const Row& other) { return other.backend == row.backend && !other.library; });
    for (const Place p : places)
      if (const Row& row = cells[p].row; rungs.insert(row.rung).second)
        judge(row.backend, row.rung, [&](const Row& other) { return other.rung == row.rung; });
  }
  return all;
}

}  // namespace crosswarp
