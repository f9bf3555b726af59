// gnuplot draws. Texts of results go where it expands nothing: into its data, and between single quotes.
#include "bench/report/svg.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/report/cells.hpp"
#include "bench/report/command.hpp"
#include "bench/report/markdown.hpp"
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

/// What a drawing is of: the ladder at one point, and the rungs over an axis.
struct Drawing {
  std::string title, axis;
  bool times;        ///< Of an access, in place of rates.
  std::string unit;  ///< `B/s`
  std::vector<const Row*> ladder, sweep;
};

double rated(const Drawing& drawing, const Row& row) {
  if (!drawing.times) return *row.rate;
  const auto by_the_kernel = row.observed.find("ns_per_load");  // its own clock, as in the page
  return by_the_kernel != row.observed.end() ? by_the_kernel->second * 1e-9 : 1 / *row.rate;
}

/// The only one of `names`. Throws Error, with what chooses, where there are several.
std::string only(const std::set<std::string>& names, const char* what, const char* chosen_by) {
  if (names.size() == 1) return *names.begin();
  throw Error(
      fmt::format("a drawing is of one {}, and here are {}; choose by {}", what, fmt::join(names, ", "), chosen_by));
}

Drawing drawing(const std::vector<ReportCell>& cells) {
  std::set<std::string> experiments, modes, devices;
  std::vector<const Row*> rows;
  for (const ReportCell& cell : cells)
    if (cell.row.ok() && cell.row.rate) {
      rows.push_back(&cell.row);
      experiments.insert(cell.row.experiment);
      modes.insert(cell.row.mode);
      devices.insert(cell.row.device);
    }
  if (rows.empty()) throw Error("nothing to draw: no result has a rate");
  const std::string experiment = only(experiments, "experiment", "--experiment"),
                    mode = only(modes, "mode", "the files given"),
                    device = only(devices, "device", "--backend or the files given");
  Drawing result;
  // The last of the points at which most rungs have a number; cells stand in the order of their points.
  std::map<std::string, std::size_t> rungs;
  for (const Row* row : rows) ++rungs[row->point];
  const Row& last = **std::max_element(rows.rbegin(), rows.rend(),
                                       [&](const Row* a, const Row* b) { return rungs[a->point] < rungs[b->point]; });
  std::map<std::string, std::set<double>> values;
  for (const Row* row : rows)
    for (const auto& [axis, value] : row->axes.items())
      if (value.is_number() && value.get<double>() > 0) values[axis].insert(value.get<double>());
  for (const auto& [axis, own] : values)
    if (own.size() > 1 && own.size() > values[result.axis].size()) result.axis = axis;
  result.title = fmt::format("{}: {}, {}, {}", experiment, device, short_point(last.axes), mode);
  result.times = last.rate_of == Quantity::accesses;
  result.unit = result.times ? "s" : last.rate_of == Quantity::flops ? "FLOP/s" : "B/s";
  const auto rest = [&](const Row& row) {
    Json axes = row.axes;
    axes.erase(result.axis);
    return axes;
  };
  for (const Row* row : rows) {
    if (row->point == last.point) result.ladder.push_back(row);
    if (!result.axis.empty() && rest(*row) == rest(last)) result.sweep.push_back(row);
  }
  if (std::all_of(result.sweep.begin(), result.sweep.end(), [&](const Row* row) { return row->point == last.point; }))
    result.sweep.clear();  // nothing to draw over
  return result;
}

/// A text between single quotes, where gnuplot expands nothing, or as one field of its data.
std::string quoted(std::string text, char quote) {
  for (char& c : text)
    if (c == '"' || c == '\'' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = ' ';
  return quote + text + quote;
}

/// Without its experiment: `cuda/float4`.
std::string rung_of(const Row& row) {
  std::string name = row.rung;
  return name.erase(row.backend.size(), row.experiment.size() + 1);
}

/// The measured ceiling, and the fastest library.
std::map<std::string, double> lines(const Drawing& drawing) {
  std::map<std::string, double> found;
  const auto better = [&](double a, double b) { return drawing.times ? a < b : a > b; };
  for (const Row* row : drawing.ladder) {
    if (row->of_peak) found["measured peak"] = rated(drawing, *row) / *row->of_peak;
    if (!row->library) continue;
    const auto [library, is_new] = found.try_emplace("fastest library", rated(drawing, *row));
    if (!is_new && better(rated(drawing, *row), library->second)) library->second = rated(drawing, *row);
  }
  return found;
}

std::string ladder_script(const Drawing& drawing) {
  const std::map<std::string, double> across = lines(drawing);
  double most = 0;
  for (const Row* row : drawing.ladder) most = std::max(most, rated(drawing, *row));
  for (const auto& [name, value] : across) most = std::max(most, value);

  // gnuplot 5.4 does not survive labels of which none is drawn, hence blocks of their own, and a plot only of what is
  // there.
  std::string bars, inside, outside, keys, arrows;
  for (std::size_t i = 0; i < drawing.ladder.size(); ++i) {
    const Row& row = *drawing.ladder[i];
    const double value = rated(drawing, row);
    const std::string label = drawing.times ? si(value, "s") : show_rate(row.rate, row.rate_of);
    bars += fmt::format("{} {} {} {}\n", i, quoted(rung_of(row), '"'), value, colour(row.backend));
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
  std::map<std::string, std::vector<const Row*>> rows;
  for (const Row* row : drawing.sweep) {
    if (!rows.contains(row->rung)) rungs.push_back(row->rung);
    rows[row->rung].push_back(row);
  }
  std::string data = "$sweep << END_OF_DATA\n", plots;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    data += fmt::format("{}\n", quoted(rung_of(*rows[rungs[i]].front()), '"'));
    for (const Row* row : rows[rungs[i]])
      data += fmt::format("{} {}\n", row->axes.at(drawing.axis).get<double>(), rated(drawing, *row));
    data += "\n\n";
    const std::string& backend = rows[rungs[i]].front()->backend;
    const bool is_first = backend == rows[rungs[0]].front()->backend;  // drawn below the others, and seen around them
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
