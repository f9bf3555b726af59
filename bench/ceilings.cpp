// The short form of the experiments that measure ceilings.
#include "bench/ceilings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.hpp"
#include "core/format.hpp"
#include "core/json_fields.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

using Json = nlohmann::ordered_json;

/// Empty where the environment names no place.
std::filesystem::path ceilings_file() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    return std::filesystem::path(value ? value : "");
  };
  std::filesystem::path cache = folder("XDG_CACHE_HOME");
  if (cache.empty() && !folder("HOME").empty()) cache = folder("HOME") / ".cache";
  return cache.empty() ? cache : cache / "crosswarp" / "ceilings.json";
}

/// A home may be shared by machines, and two cards of a name differ.
std::string machine() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

Json read_all() {
  const std::filesystem::path path = ceilings_file();
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return Json::object();
  std::ifstream file(path);
  try {
    const Json json = parse_json(file);
    return json.is_object() ? json : Json::object();
  } catch (const std::exception&) {
    return Json::object();
  }
}

/// A backend's cells at one point: none where it has nothing for it.
std::vector<Cell> cells_at(const Backend& backend, const ExperimentEntry& experiment, const Point& point) {
  Filter filter;
  filter.backends = {backend.name()};
  filter.experiments = {experiment.name};
  for (const Point::Coordinate& c : point.coordinates()) filter.axes[c.axis] = to_string(c.value);
  try {
    return Registry::instance().cells(filter);
  } catch (const Error&) {  // which users are told of, but here nobody asked for it
    return {};
  }
}

/// The rungs of one backend that no other improves on which it can express.
std::vector<Cell> best_rungs(const std::vector<Cell>& cells) {
  std::set<std::string> improved;
  for (const Cell& cell : cells)
    if (cell.variant->not_expressible.empty()) improved.insert(cell.variant->improves);
  std::vector<Cell> best;
  for (const Cell& cell : cells)
    if (!improved.contains(cell.variant->name) && !cell.variant->library && cell.variant->not_expressible.empty())
      best.push_back(cell);
  return best;
}

struct Best {
  double rate = 0;
  std::string rung;
  Quantity of = Quantity::bytes;
};

/// The best rate at the point where `experiment` measures a ceiling, in hot caches: what is in memory is larger.
Best measure(Runner& runner, const Backend& backend, const ExperimentEntry& experiment, const Point& point) {
  Best best;
  for (const Result& r : runner.run(best_rungs(cells_at(backend, experiment, point)), Mode::hot, {backend.name()}))
    if (const auto rate = r.rate(); rate && *rate > best.rate) best = {*rate, r.cell.rung(), r.cost.rated};
  return best;
}

}  // namespace

std::map<std::string, Peaks> read_ceilings() {
  std::map<std::string, Peaks> ceilings;
  const Json all = read_all();
  if (const auto here = all.find(machine()); here != all.end() && here->is_object())
    for (const auto& [device, peaks] : here->items())
      for (const auto& [part, rate] : peaks.items())
        if (rate.is_number() && rate > 0) ceilings[device][part] = rate;
  return ceilings;
}

void measure_ceilings(const Options& options) {
  RunOptions run = options.run;
  run.stop.min_time = 0.02;
  run.stop.placements = 2;
  run.stop.time_limit = 1;
  Runner runner(run);
  if (!run.why_untimed.empty()) throw Error(run.why_untimed);
  const std::filesystem::path path = ceilings_file();
  if (path.empty()) throw Error("neither XDG_CACHE_HOME nor HOME says where to keep what is measured");
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  const OutputFile file("", path);

  TextTable table;
  table.row({"part", "measured", "theoretical", "reached", "by"}, TextTable::Colour::faint);
  Json all = read_all();
  Json& here = all[machine()];
  if (!here.is_object()) here = Json::object();
  std::set<std::string> done;
  for (const auto& backend : Registry::instance().backends()) {
    Device* device = runner.place(*backend).device;
    if (!device || device->info().emulated || !done.insert(device->info().key).second) continue;
    const DeviceInfo& info = device->info();
    Json& kept = here[info.name] = Json::object();
    const auto row = [&](const std::string& part, double rate, Quantity of, const std::string& by) {
      const double peak = info.peak(part);
      table.row({part, show_rate(rate, of), peak > 0 ? show_rate(peak, of) : "unknown",
                 peak > 0 ? percent(rate / peak) : "-", by + " on " + info.name});
    };
    // Memory's is measured anew in every run, and so it is not kept.
    row("memory", runner.measured_peak(*device, "memory"), Quantity::bytes, "a stream of reads");
    for (const auto& [name, experiment] : Registry::instance().experiments())
      for (const CeilingPoint& ceiling : experiment.ceilings()) {
        const Best best = measure(runner, *backend, experiment, ceiling.point);
        if (best.rate == 0) continue;
        const std::string part(ceiling.ceiling);
        kept[part] = best.rate;
        row(part, best.rate, best.of, best.rung);
      }
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::cout << table.text(terminal.width, terminal.colours);
  file.write(all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  std::cout << fmt::format("Kept in {}; later runs show what they reach of it.\n", path.string());
}

}  // namespace crosswarp
