// A figure of one experiment, 800 pixels wide: the steps of its ladder at one point, and each backend over an axis.
#include "bench/report/svg.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bench/report/cells.hpp"
#include "bench/report/points.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/format.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

using Results = std::vector<const Result*>;

/// Okabe and Ito's palette, distinct for colour-blind readers; as in the page.
std::string colour(const std::string& backend) {
  static const std::map<std::string, std::string> colours{
      {"cuda", "#0072b2"}, {"kokkos", "#d55e00"}, {"hip", "#009e73"}, {"host", "#cc79a7"}};
  const auto found = colours.find(backend);
  return found == colours.end() ? "#666666" : found->second;
}

constexpr const char* library_colour = "#555555";

/// The time of an access, where accesses are counted; else the rate; else the time of a launch.
struct Quantity {
  bool of_access, of_rate;
  std::string unit;

  explicit Quantity(const Result& r)
      : of_access(r.access_time().has_value()), of_rate(r.rate().has_value()), unit(rate_unit(r.cost.rated)) {
    if (of_access || !of_rate) unit = "s";
  }
  double operator()(const Result& r) const { return of_access ? *r.access_time() : of_rate ? *r.rate() : *r.time(); }
};

/// Of one experiment on one device in one mode: the results at one point, and those over an axis through it.
struct Selected {
  Results all, at_point;
  std::vector<std::string> axes;      ///< The axis; `m`, `n` and `k` where these stay equal; none if there is no sweep.
  std::map<double, Results> by_axis;  ///< By coordinate.

  const Result& first() const { return *at_point.front(); }
  /// `n`, or `m = n = k`.
  std::string axis() const { return fmt::format("{}", fmt::join(axes, " = ")); }
};

/// The only one of `names`. Throws Error, with the option that selects one, if there are several.
std::string only(const std::set<std::string>& names, const char* what, const char* chosen_by) {
  if (names.size() == 1) return *names.begin();
  throw Error(
      fmt::format("a drawing is of one {}, and here are {}; choose by {}", what, fmt::join(names, ", "), chosen_by));
}

Point without_axes(Point point, const std::vector<std::string>& axes) {
  for (const std::string& axis : axes) point = without_axis(point, axis);
  return point;
}

/// The results that differ from `at` in `axes` alone, which are equal to each other.
std::map<double, Results> sweep(const Results& results, const Point& at, const std::vector<std::string>& axes) {
  std::map<double, Results> found;
  for (const Result* r : results) {
    const Point& point = r->cell.point;
    const auto first = point.integer(axes.front());
    const bool equal = std::ranges::all_of(axes, [&](const std::string& axis) { return point.integer(axis) == first; });
    if (equal && first > 0 && without_axes(point, axes) == without_axes(at, axes))
      found[static_cast<double>(first)].push_back(r);
  }
  return found;
}

const std::string& backend_of(const Result& r) { return r.cell.variant->backend; }
bool is_library(const Result& r) { return r.cell.variant->library; }
bool stands_for_backend(const Result& r) { return r.cell.variant->stands_for_backend(); }
auto handwritten_in(const std::string& backend) {
  return [&backend](const Result& r) { return backend_of(r) == backend && stands_for_backend(r); };
}

/// Backends with handwritten results, CUDA first.
std::vector<std::string> backends_of(const Results& results) {
  std::vector<std::string> found;
  for (const Result* r : results)
    if (stands_for_backend(*r) && std::ranges::find(found, backend_of(*r)) == found.end())
      found.push_back(backend_of(*r));
  std::ranges::stable_partition(found, [](const std::string& backend) { return backend == "cuda"; });
  return found;
}

Selected select(const std::vector<ReportCell>& cells) {
  std::set<std::string> experiments, modes, devices;
  Selected chosen;
  bool has_random = false;
  for (const ReportCell& cell : cells)
    if (const Result& r = cell.result; r.time() && !r.cell.half.empty()) {
      has_random = true;  // scattered points have neither ladder nor curve
    } else if (r.time()) {
      chosen.all.push_back(&r);
      experiments.insert(r.cell.variant->experiment);
      modes.insert(mode_of(r));
      devices.insert(r.device.name);
    }
  if (chosen.all.empty())
    throw Error(has_random ? "nothing to draw: random points have no curve; bench report -o report.html shows them"
                           : "nothing to draw: no result has a time");
  only(experiments, "experiment", "--experiment");
  only(modes, "mode", "the files given");
  only(devices, "device", "--backend or the files given");
  // The experiment's headline, else the last of the points that most rungs have; cells are sorted by their points.
  std::map<Point, std::size_t> rungs;
  for (const Result* r : chosen.all) ++rungs[r->cell.point];
  const auto& known = Registry::instance().experiments();
  const auto experiment = known.find(chosen.all.front()->cell.variant->experiment);
  const std::vector<Point> headlines =
      experiment == known.end() ? std::vector<Point>{} : experiment->second.headline_points();
  if (!headlines.empty())
    if (const auto headline = rungs.find(headlines.back()); headline != rungs.end())
      headline->second = chosen.all.size() + 1;
  const Point& point =
      (*std::max_element(chosen.all.rbegin(), chosen.all.rend(), [&](const Result* a, const Result* b) {
        return rungs[a->cell.point] < rungs[b->cell.point];
      }))->cell.point;
  std::vector<const Point*> points;
  for (const Result* r : chosen.all) {
    points.push_back(&r->cell.point);
    if (r->cell.point == point) chosen.at_point.push_back(r);
  }
  if (backends_of(chosen.at_point).empty()) throw Error("nothing to draw: only libraries have a time");
  const std::string axis = sweep_axis(points);
  if (axis.empty()) return chosen;
  std::vector<std::string> equal;
  for (const auto& c : point.coordinates())
    if (c.value == find_axis(point, axis)->value) equal.push_back(c.axis);
  for (const std::vector<std::string>& axes : {{axis}, equal})
    if (auto found = sweep(chosen.all, point, axes); found.size() > std::max<std::size_t>(1, chosen.by_axis.size())) {
      chosen.axes = axes;
      chosen.by_axis = std::move(found);
    }
  return chosen;
}

template <class Counts>
const Result* fastest(const Results& results, Counts counts) {
  const Result* best = nullptr;
  for (const Result* r : results)
    if (counts(*r) && (!best || *r->time() < *best->time())) best = r;
  return best;
}

/// The rungs from a backend's first to its fastest by what each improves on, without the last ones that bring less than
/// 1 %.
Results path(const Selected& chosen, const std::string& backend) {
  std::map<std::string, std::string> parents;
  for (const Result* r : chosen.all)
    if (backend_of(*r) == backend) parents[r->cell.variant->name] = r->cell.variant->improves;
  Results rungs;
  const Result* best = fastest(chosen.at_point, handwritten_in(backend));
  std::set<std::string> seen;  // a ring of improvements would have no end
  for (std::string name = best ? best->cell.variant->name : ""; !name.empty() && seen.insert(name).second;
       name = parents[name])
    if (const Result* r = fastest(chosen.at_point, [&](const Result& own) {
          return handwritten_in(backend)(own) && own.cell.variant->name == name;
        }))
      rungs.push_back(r);
  std::ranges::reverse(rungs);
  constexpr double as_good = 1.01;
  const auto last = std::ranges::find_if(rungs, [&](const Result* r) { return *r->time() <= as_good * *best->time(); });
  if (last != rungs.end()) rungs.erase(last + 1, rungs.end());
  return rungs;
}

/// `cuda/float4`: the title names the experiment.
std::string rung_of(const Result& r) { return without_experiment(r.cell.rung()); }

constexpr double width = 800, margin = 16, letter = 7.3;  // pixels; a letter of 13 pixels is rarely wider

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += c;
    }
  return safe;
}

/// A text; `style` is a class.
std::string text(double x, double y, const char* style, const std::string& content, const std::string& bold = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}{}</text>\n", x, y, style, escaped(content),
                     bold.empty() ? "" : fmt::format(" <tspan class=\"factor\">{}</tspan>", escaped(bold)));
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                     style);
}

struct Bar {
  const Result* result;
  std::string factor;
};

/// `0.98 × float4`; empty where the times make no ratio.
std::string factor_of(const Result& reference, const Result& r) {
  if (!why_no_ratio(reference, r).empty()) return {};
  return fmt::format("{} × {}", times(*reference.time() / *r.time()), reference.cell.variant->name);
}

/// The first backend's path; below it the fastest library, and the fastest and the first rung of each other backend.
std::vector<Bar> bars(const Selected& chosen) {
  std::vector<Bar> found;
  const Result *above = nullptr, *reference = nullptr;
  for (const std::string& backend : backends_of(chosen.at_point)) {
    const Results rungs = path(chosen, backend);
    if (reference) {
      for (const Result* r : std::set<const Result*>{rungs.front(), rungs.back()})
        found.push_back({r, factor_of(*reference, *r)});
      continue;
    }
    for (const Result* r : rungs) {
      const bool is_parent = above && r->parent && r->cell.variant->improves == above->cell.variant->name;
      found.push_back({r, !above ? "" : times(is_parent ? r->parent->value : *above->time() / *r->time()) + " ×"});
      above = r;
    }
    reference = above;
    if (const Result* library = fastest(chosen.at_point, is_library))
      found.push_back({library, factor_of(*reference, *library)});
  }
  return found;
}

/// What all of the figure's results share.
std::string header(const Selected& chosen, double& y) {
  const Cell& cell = chosen.first().cell;
  const std::string point = short_point(without_axes(cell.point, chosen.axes));
  y += 46;
  return text(margin, y - 26, "title", fmt::format("{} on {}", cell.variant->experiment, chosen.first().device.name)) +
         text(margin, y - 6, "note", fmt::format("{}{}{}", mode_of(chosen.first()), point.empty() ? "" : ", ", point));
}

std::string heading(double& y, const std::string& title, const std::string& note) {
  y += 58;
  return text(margin, y - 28, "heading", title) + text(margin, y - 8, "note", note);
}

std::string ladder(const Selected& chosen, double& y) {
  constexpr double row = 24, thick = 17;
  const std::vector<Bar> shown = bars(chosen);
  const Quantity quantity(chosen.first());
  double most = 0, peak = 0;
  const char* whose = "measured";
  std::size_t name_length = 0;
  for (const auto& [r, factor] : shown) {
    most = std::max(most, quantity(*r));
    name_length = std::max(name_length, columns(rung_of(*r)));
    if (const auto share = r->of_measured_peak() ? r->of_measured_peak() : r->of_theoretical_peak()) {
      peak = quantity(*r) / *share;
      if (!r->of_measured_peak()) whose = "theoretical";
    }
  }
  most = std::max(most, peak);
  const double left = margin + letter * static_cast<double>(name_length) + 6;
  double longest = width - margin - left;  // as long as each bar's label fits
  for (const auto& [r, factor] : shown) {
    const std::size_t label = columns(si(quantity(*r), quantity.unit) + factor) + 2;
    longest = std::min(longest, (width - margin - left - letter * static_cast<double>(label)) * most / quantity(*r));
  }
  longest = std::max(100.0, longest);
  std::string drawn =
      heading(y,
              chosen.axes.empty() ? "What each step brings"
                                  : fmt::format("What each step brings at {} = {}", chosen.axis(),
                                                show_value(*find_axis(chosen.first().cell.point, chosen.axes.front()))),
              "bold: speed relative to the bar above, or to the variant named; above 1 is faster");
  const double top = y;
  if (peak > 0) y += 18;
  std::string labels;  // above the line of the peak
  for (const auto& [r, factor] : shown) {
    const double length = longest * quantity(*r) / most, middle = y + row / 2 + 4.5;
    drawn +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", left,
                    y + (row - thick) / 2, length, thick, is_library(*r) ? library_colour : colour(backend_of(*r)));
    labels += text(left - 6, middle, "name", rung_of(*r)) +
              text(left + length + 6, middle, "value", si(quantity(*r), quantity.unit), factor);
    y += row;
  }
  if (peak > 0) {
    const double x = left + longest * peak / most;
    drawn += line(x, top + 16, x, y, "peak") +
             text(x, top + 10, "name", fmt::format("{} peak {}", whose, si(peak, quantity.unit)));
  }
  return drawn + labels;
}

struct Curve {
  std::string label, colour;
  bool dashed;
  std::map<double, double> values;  ///< By coordinate.
};

/// Of each backend the fastest rung at each point and the first rung of its path; of all backends the fastest library.
std::vector<Curve> curves(const Selected& chosen) {
  std::vector<Curve> found;
  const bool of_access = Quantity(chosen.first()).of_access;
  const std::vector<std::string> backends = backends_of(chosen.at_point);
  const auto add = [&](const std::string& label, const std::string& drawn_in, bool dashed, auto counts) {
    Curve curve{label, drawn_in, dashed, {}};
    for (const auto& [x, results] : chosen.by_axis) {
      const Result *own = fastest(results, counts), *reference = fastest(results, handwritten_in(backends.front()));
      if (own && of_access)
        curve.values[x] = *own->access_time();
      else if (own && reference)
        curve.values[x] = *reference->time() / *own->time();
    }
    if (!curve.values.empty()) found.push_back(curve);
  };
  for (const std::string& backend : backends) {
    const Results rungs = path(chosen, backend);
    std::set<std::string> names;
    for (const auto& [x, results] : chosen.by_axis)
      for (const Result* r : results)
        if (handwritten_in(backend)(*r)) names.insert(rung_of(*r));
    add(names.size() == 1 ? *names.begin() : "fastest " + backend, colour(backend), false, handwritten_in(backend));
    if (rungs.size() > 1)
      add(rung_of(*rungs.front()), colour(backend), true,
          [&](const Result& r) { return rung_of(r) == rung_of(*rungs.front()); });
  }
  add("fastest library", library_colour, false, is_library);
  return found;
}

/// Over ranks the yardstick is the library, and which variant is fastest changes with the size.
bool is_beside_library(const Selected& chosen) {
  return chosen.first().cost.message > 0 && fastest(chosen.at_point, is_library);
}

/// The fastest library, and each rung that is the fastest handwritten one at some point, relative to it.
std::vector<Curve> rungs_beside_library(const Selected& chosen) {
  static constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};
  std::vector<Curve> found;
  const auto add = [&](const std::string& drawn_in, const std::string& rung) {
    Curve curve{rung, drawn_in, false, {}};
    for (const auto& [x, results] : chosen.by_axis) {
      const Result *own = fastest(results, [&](const Result& r) { return rung_of(r) == rung; }),
                   *library = fastest(results, is_library);
      if (own && library) curve.values[x] = *library->time() / *own->time();
    }
    if (!curve.values.empty()) found.push_back(curve);
  };
  std::set<std::string> ahead;
  for (const auto& [x, results] : chosen.by_axis)
    if (const Result* best = fastest(results, stands_for_backend)) ahead.insert(rung_of(*best));
  for (const std::string& rung : ahead) add(colours[found.size() % colours.size()], rung);
  add(library_colour, rung_of(*fastest(chosen.at_point, is_library)));
  return found;
}

/// A round number that divides `most` into three to six steps.
double step_of(double most) {
  const double power = std::pow(10, std::floor(std::log10(most / 3)));
  double step = power;
  for (const double factor : {2.0, 2.5, 5.0})
    if (factor * power <= most / 3) step = factor * power;
  return step;
}

/// Moves `wanted`, sorted, so that neighbours are `least` apart and all end at `bottom`.
std::vector<double> apart(std::vector<double> wanted, double least, double bottom) {
  for (std::size_t i = 1; i < wanted.size(); ++i) wanted[i] = std::max(wanted[i], wanted[i - 1] + least);
  for (std::size_t i = wanted.size(); i-- > 0; bottom = wanted[i] - least) wanted[i] = std::min(wanted[i], bottom);
  return wanted;
}

std::string over_axis(const Selected& chosen, double& y) {
  const bool beside_library = is_beside_library(chosen);
  const bool of_access = !beside_library && Quantity(chosen.first()).of_access;
  std::vector<Curve> shown = beside_library ? rungs_beside_library(chosen) : curves(chosen);
  double most = 0;
  std::size_t label_length = 0;
  const auto value_of = [&](double value) { return of_access ? si(value, "s") : times(value); };
  for (const Curve& curve : shown) {
    for (const auto& [x, value] : curve.values) most = std::max(most, value);
    label_length = std::max(label_length, columns(curve.label + value_of(curve.values.rbegin()->second)) + 2);
  }
  most *= 1.05;
  const double height = 215, left = 62,
               right = std::max(left + 200, width - margin - 20 - letter * static_cast<double>(label_length)),
               least = chosen.by_axis.begin()->first, greatest = chosen.by_axis.rbegin()->first;
  std::string note = "lower is faster";
  if (beside_library)
    note = fmt::format("speed relative to the library at each {}; above 1 is faster", chosen.axes.front());
  else if (!of_access)
    note = fmt::format("speed relative to the fastest {} rung at each {}; above 1 is faster",
                       backends_of(chosen.at_point).front(), chosen.axes.front());
  if (std::ranges::any_of(shown, &Curve::dashed)) note += "; dashed: the first rung of a backend";
  std::string drawn = heading(y,
                              beside_library ? "The fastest variants beside the library"
                              : of_access    ? "Time of one operation"
                                             : "What each backend costs",
                              note);
  const double bottom = y + height;
  const auto to_x = [&](double x) { return left + (right - left) * std::log(x / least) / std::log(greatest / least); };
  const auto to_y = [&](double value) { return bottom - height * value / most; };
  for (double tick = 0; tick <= most; tick += step_of(most))
    drawn +=
        line(left, to_y(tick), right, to_y(tick), "grid") +
        text(left - 8, to_y(tick) + 4.5, "name", of_access && tick > 0 ? si(tick, "s") : fmt::format("{:g}", tick));
  const double first_power = std::ceil(std::log2(least)), powers = std::floor(std::log2(greatest)) - first_power,
               stride = std::max(1.0, std::ceil(powers / 6));
  for (double power = first_power; power <= first_power + powers; power += stride) {
    const double x = std::exp2(power);
    drawn += line(to_x(x), bottom, to_x(x), bottom + 5, "grid") +
             text(to_x(x), bottom + 20, "tick", show_value({chosen.axes.front(), static_cast<std::int64_t>(x), false}));
  }
  drawn += text((left + right) / 2, bottom + 40, "tick", chosen.axis());

  std::ranges::stable_sort(shown, std::greater(), [](const Curve& c) { return c.values.rbegin()->second; });
  std::vector<double> ends;
  for (const Curve& curve : shown) ends.push_back(to_y(curve.values.rbegin()->second));
  const std::vector<double> labels = apart(ends, 18, bottom);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Curve& curve = shown[i];
    std::string corners;
    for (const auto& [x, value] : curve.values) {
      corners += fmt::format("{:.1f},{:.1f} ", to_x(x), to_y(value));
      drawn += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", to_x(x), to_y(value),
                           curve.colour);
    }
    const auto& [x, value] = *curve.values.rbegin();
    drawn += fmt::format("<polyline points=\"{}\" class=\"curve\" stroke=\"{}\"{}/>\n", corners, curve.colour,
                         curve.dashed ? " stroke-dasharray=\"5 4\"" : "");
    drawn += line(to_x(x) + 2, ends[i], right + 16, labels[i], "leader");
    drawn += text(right + 20, labels[i] + 4.5, "end", curve.label, value_of(value));
  }
  y = bottom + 52;
  return drawn;
}

}  // namespace

std::string svg_report(const std::vector<ResultFile>& files) {
  const std::vector<ReportCell> cells = report_cells(files);
  const Selected chosen = select(cells);
  double y = 8;
  std::string content = header(chosen, y);
  if (bars(chosen).size() > 2 || chosen.axes.empty()) content += ladder(chosen, y);
  if (!chosen.axes.empty()) content += over_axis(chosen, y);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n"
      "<style>text{{fill:#222;paint-order:stroke;stroke:white;stroke-width:3px}}.title{{font-size:17px;font-weight:"
      "bold}}.heading{{font-size:15px;font-weight:bold}}.note{{fill:#555}}.name{{text-anchor:end}}"
      ".tick{{text-anchor:middle}}.factor{{font-weight:bold}}.grid{{stroke:#ddd}}.leader{{stroke:#aaa}}"
      ".peak{{stroke:#222;stroke-dasharray:2 3}}.curve{{fill:none;stroke-width:2.5}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
      width, y + 10, content);
}

}  // namespace crosswarp
