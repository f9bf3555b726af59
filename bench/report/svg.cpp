// Charts by gnuplot. Texts of results stand only in its data and between single quotes, where it expands nothing.
#include "bench/report/svg.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/report/cells.hpp"
#include "bench/report/command.hpp"
#include "bench/report/points.hpp"
#include "core/error.hpp"
#include "core/format.hpp"

namespace crosswarp {
namespace {

/// Okabe and Ito's, which colour-blind people tell apart; as in the page.
int colour(const std::string& backend) {
  static const std::map<std::string, int> colours{
      {"cuda", 0x0072b2}, {"kokkos", 0xd55e00}, {"hip", 0x009e73}, {"host", 0xcc79a7}};
  const auto found = colours.find(backend);
  return found == colours.end() ? 0x666666 : found->second;
}

/// The ladder at one point, and the rungs over an axis.
struct Drawing {
  std::string title, axis;
  bool times;        ///< Of an access, in place of rates.
  std::string unit;  ///< `B/s`
  std::vector<const Result*> ladder, sweep;
};

/// Its rate, or the time of an access.
double rated(const Result& r) { return r.access_time() ? *r.access_time() : *r.rate(); }

double coordinate(const Result& r, const std::string& axis) { return static_cast<double>(r.cell.point.integer(axis)); }

/// The only one of `names`. Throws Error, with the option that selects one, if there are several.
std::string only(const std::set<std::string>& names, const char* what, const char* chosen_by) {
  if (names.size() == 1) return *names.begin();
  throw Error(
      fmt::format("a drawing is of one {}, and here are {}; choose by {}", what, fmt::join(names, ", "), chosen_by));
}

Drawing drawing(const std::vector<ReportCell>& cells) {
  std::set<std::string> experiments, modes, devices;
  std::vector<const Result*> results;
  for (const ReportCell& cell : cells)
    if (const Result& r = cell.result; r.rate()) {
      results.push_back(&r);
      experiments.insert(r.cell.variant->experiment);
      modes.insert(mode_of(r));
      devices.insert(r.device.name);
    }
  if (results.empty()) throw Error("nothing to draw: no result has a rate");
  const std::string experiment = only(experiments, "experiment", "--experiment"),
                    mode = only(modes, "mode", "the files given"),
                    device = only(devices, "device", "--backend or the files given");
  Drawing drawn;
  // The last of the points at which most rungs have a number; cells are sorted by their points.
  std::map<Point, std::size_t> rungs;
  for (const Result* r : results) ++rungs[r->cell.point];
  const Result& last = **std::max_element(results.rbegin(), results.rend(), [&](const Result* a, const Result* b) {
    return rungs[a->cell.point] < rungs[b->cell.point];
  });
  std::vector<const Point*> points;
  for (const Result* r : results) points.push_back(&r->cell.point);
  drawn.axis = sweep_axis(points);
  drawn.title = fmt::format("{}: {}, {}, {}", experiment, device, short_point(last.cell.point), mode);
  drawn.times = last.access_time().has_value();
  drawn.unit = rate_unit(last.cost.rated);
  for (const Result* r : results) {
    if (r->cell.point == last.cell.point) drawn.ladder.push_back(r);
    if (!drawn.axis.empty() && without_axis(r->cell.point, drawn.axis) == without_axis(last.cell.point, drawn.axis))
      drawn.sweep.push_back(r);
  }
  if (drawn.ladder.size() == drawn.sweep.size()) drawn.sweep.clear();  // nothing to draw over
  return drawn;
}

/// A text between single quotes, where gnuplot expands nothing, or as one field of its data.
std::string quoted(std::string text, char quote) {
  for (char& c : text)
    if (c == '"' || c == '\'' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
  return quote + text + quote;
}

/// `cuda/float4`, as the title names the experiment.
std::string rung_of(const Result& r) { return without_experiment(r.cell.rung()); }

/// The measured ceiling, and the fastest library.
std::map<std::string, double> lines(const Drawing& drawing) {
  std::map<std::string, double> found;
  const auto better = [&](double a, double b) { return drawing.times ? a < b : a > b; };
  for (const Result* r : drawing.ladder) {
    if (r->of_measured_peak()) found["measured peak"] = rated(*r) / *r->of_measured_peak();
    if (!r->cell.variant->library) continue;
    const auto [library, is_new] = found.try_emplace("fastest library", rated(*r));
    if (!is_new && better(rated(*r), library->second)) library->second = rated(*r);
  }
  return found;
}

std::string ladder_script(const Drawing& drawing) {
  const std::map<std::string, double> across = lines(drawing);
  double most = 0;
  for (const Result* r : drawing.ladder) most = std::max(most, rated(*r));
  for (const auto& [name, value] : across) most = std::max(most, value);

  // gnuplot 5.4 does not survive labels of which none is drawn, hence blocks of their own, and a plot only of what is
  // there.
  std::string bars, inside, outside, keys, arrows;
  for (std::size_t i = 0; i < drawing.ladder.size(); ++i) {
    const Result& r = *drawing.ladder[i];
    const double value = rated(r);
    const std::string label = si(value, drawing.unit);
    bars += fmt::format("{} {} {} {}\n", i, quoted(rung_of(r), '"'), value, colour(r.cell.variant->backend));
    (value > most / 2 ? inside : outside) += fmt::format("{} {} {}\n", value, i, quoted(label, '"'));
  }
  int style = 2;
  for (const auto& [name, value] : across) {
    arrows += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead front dt {1} lw 2 lc rgb '#333333'\n",
                          value, style);
    keys += fmt::format(", keyentry with lines dt {} lw 2 lc rgb '#333333' title '{}'", style++, name);
  }
  if (!inside.empty()) keys += ", $inside with labels right offset -0.6,0 tc rgb 'white' notitle";
  if (!outside.empty()) keys += ", $outside with labels left offset 0.6,0 notitle";
  return fmt::format(
      "$bars << END_OF_DATA\n{}END_OF_DATA\n$inside << END_OF_DATA\n{}END_OF_DATA\n$outside << "
      "END_OF_DATA\n{}END_OF_DATA\n{}"
      "unset logscale\nset yrange [{}:-0.7]\nset xrange [0:{}]\nset format x '%.1s %c'\nset format y\nset ytics ()\n"
      "set xtics autofreq\nset xlabel '{}, {}'\nunset ylabel\nset key outside top center horizontal\n"
      "plot $bars using ($3/2):1:($3/2):(0.36):4:ytic(2) with boxxyerror fill solid 1.0 lc rgb variable notitle{}\n",
      bars, inside, outside, arrows, static_cast<double>(drawing.ladder.size()) - 0.3, 1.06 * most,
      drawing.times ? "time of an access" : "rate", drawing.unit, keys);
}

std::string sweep_script(const Drawing& drawing) {
  std::vector<std::string> rungs;
  std::map<std::string, std::vector<const Result*>> results;
  for (const Result* r : drawing.sweep) {
    std::vector<const Result*>& own = results[rung_of(*r)];
    if (own.empty()) rungs.push_back(rung_of(*r));
    own.push_back(r);
  }
  std::string data = "$sweep << END_OF_DATA\n", plots;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    data += fmt::format("{}\n", quoted(rungs[i], '"'));
    for (const Result* r : results[rungs[i]]) data += fmt::format("{} {}\n", coordinate(*r, drawing.axis), rated(*r));
    data += "\n\n";
    const std::string& backend = results[rungs[i]].front()->cell.variant->backend;
    // Drawn below the others, and seen around them.
    const bool is_first = backend == results[rungs[0]].front()->cell.variant->backend;
    plots +=
        fmt::format("{}$sweep index {} using 1:2 with linespoints pt {} ps {} lw {} lc rgb {} title columnheader(1)",
                    i ? ", " : "plot ", i, i + 1, is_first ? 0.9 : 0.5, is_first ? 3 : 1, colour(backend));
  }
  return data + "END_OF_DATA\n" +
         fmt::format(
             "set logscale x 2\nset logscale y 10\nset format x '2^%L'\nset format y '%.0s %c{}'\n"
             "set xlabel {}\nset key outside right\n{}\n",
             drawing.unit, quoted(drawing.axis, '\''), plots);
}

std::string script(const Drawing& drawing) {
  const bool both = !drawing.sweep.empty();
  const std::size_t ladder_height = 110 + 22 * drawing.ladder.size(), sweep_height = both ? 400 : 0,
                    height = ladder_height + sweep_height;
  const double share = static_cast<double>(ladder_height) / static_cast<double>(height);
  std::string text = fmt::format(
      "set terminal svg size 960,{} dynamic noenhanced font 'sans-serif,12' background rgb 'white'\nset multiplot\n"
      "set grid lc rgb '#dddddd'\nset border lc rgb '#555555'\nset tics textcolor rgb '#222222'\nset title {}\n",
      height, quoted(drawing.title, '\''));
  if (both)
    text += fmt::format("set size 1,{}\nset origin 0,{}\n", 1 - share, share) + sweep_script(drawing) + "unset title\n";
  return text + fmt::format("set size 1,{}\nset origin 0,0\n", share) + ladder_script(drawing) + "unset multiplot\n";
}

}  // namespace

std::string svg_report(const std::vector<ResultFile>& files) {
  const std::vector<ReportCell> cells = report_cells(files);
  const Ran drawn = run_program({"gnuplot", "-d"}, script(drawing(cells)));  // -d: as it is, without a user's settings
  if (!drawn.is_there) throw Error("a drawing needs gnuplot: install gnuplot-nox (Debian, Ubuntu)");
  if (!drawn.output) throw Error("gnuplot could not draw these results");
  return *drawn.output;
}

}  // namespace crosswarp
