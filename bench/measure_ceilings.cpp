// Short runs of the experiments that measure ceilings.
#include "bench/measure_ceilings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <set>

#include "bench/context.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

/// A backend's cells at one point; empty for none.
std::vector<Cell> cells_at(const Backend& backend, const ExperimentEntry& experiment, const Point& point) {
  Filter filter;
  filter.backends = {backend.name()};
  filter.experiments = {experiment.name};
  for (const Point::Coordinate& c : point.coordinates()) filter.axes[c.axis] = to_string(c.value);
  try {
    return Registry::instance().cells(filter);
  } catch (const Error&) {  // no such cells
    return {};
  }
}

/// The top rungs of a backend: those without an expressible improvement.
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

/// The best rate at a ceiling's point, back to back, when caches are warm (points of the memory exceed them), or in
/// launches apart: back to back, power holds matrix units below what they reach so, and caches and
/// shared memory are 2 to 4 % slower (H100, H200).
Best measure(Runner& runner, const Backend& backend, const ExperimentEntry& experiment, const Point& point) {
  Best best;
  for (const Mode mode : {Mode::hot, Mode::cold})
    for (const Result& r : runner.run(best_rungs(cells_at(backend, experiment, point)), mode, {backend.name()}))
      if (const auto rate = r.rate(); rate && *rate > best.rate) best = {*rate, r.cell.rung(), r.cost.rated};
  return best;
}

/// Every cache is faster than the memory: a slower one was measured while the device was busy.
bool is_above(double memory, const Best& best) { return best.of != Quantity::bytes || best.rate >= memory; }

/// The best of several measurements, until one is plausible.
Best measure_above(double memory, Runner& runner, const Backend& backend, const ExperimentEntry& experiment,
                   const Point& point) {
  constexpr int more_tries = 2;
  Best best = measure(runner, backend, experiment, point);
  for (int i = 0; i < more_tries && best.rate > 0 && !is_above(memory, best); ++i)
    if (const Best again = measure(runner, backend, experiment, point); again.rate > best.rate) best = again;
  return best;
}

}  // namespace

void measure_ceilings(const Options& options) {
  RunOptions run = options.run;
  run.stop.min_time = 0.02;
  run.stop.placements = 2;
  run.stop.time_limit = 1;
  Runner runner(run);
  if (!run.why_untimed.empty()) throw Error(run.why_untimed);
  Ceilings ceilings = options.run.ceilings;
  if (ceilings.file().empty()) throw Error("no file to keep the rates in: neither XDG_CACHE_HOME nor HOME is set");
  ceilings.check_file();

  TextTable table;
  table.row({"part", "measured", "theoretical", "reached", "by"}, TextTable::Colour::faint);
  std::set<std::string> done;
  for (const auto& backend : Registry::instance().backends()) {
    Device* device = runner.device(*backend).device;
    if (!device || device->info().emulated || !done.insert(device->info().key).second) continue;
    const DeviceInfo& info = device->info();
    if (const auto warning = warning_of_use(info, device->used_by_others()); !warning.empty())
      std::cerr << "bench: " << warning << "\n";
    Peaks measured;
    const auto row = [&](const std::string& part, double rate, Quantity of, const std::string& by) {
      const double peak = info.peak(part);
      table.row({part, show_rate(rate, of), peak > 0 ? show_rate(peak, of) : "unknown",
                 peak > 0 ? percent(rate / peak) : "-", by + " on " + info.name});
    };
    // Every run measures the memory's anew, so it is not kept.
    const double memory = runner.measured_peak(*device, "memory");
    row("memory", memory, Quantity::bytes, "a stream of reads");
    for (const auto& [name, experiment] : Registry::instance().experiments())
      for (const CeilingPoint& ceiling : experiment.ceilings()) {
        const Best best = measure_above(memory, runner, *backend, experiment, ceiling.point);
        if (best.rate == 0) continue;
        const std::string part(ceiling.ceiling);
        const bool is_kept = is_above(memory, best);
        if (is_kept) measured[part] = best.rate;
        row(part, best.rate, best.of, best.rung + (is_kept ? "" : " (slower than memory: not kept)"));
      }
    ceilings.replace(info, measured);
  }
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  table.last_wraps = true;
  std::cout << table.text(terminal.width, terminal.colours);
  std::cout << wrapped(fmt::format("Kept in {}; later runs show what they reach of it.\n", ceilings.file()),
                       terminal.width);
}

}  // namespace crosswarp
