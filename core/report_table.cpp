// The table on the terminal.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "core/format.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

/// `1.05 (naive)`: what it is to stands beside it. Empty where there is none.
std::string factor(const std::optional<Ratio>& ratio, const std::string& to = "") {
  if (!ratio) return "";
  return to.empty() ? times(ratio->value) : fmt::format("{} ({})", times(ratio->value), to);
}

std::string factor_with_interval(const std::optional<Ratio>& ratio, const std::string& to) {
  if (!ratio) return "";
  if (std::isnan(ratio->interval.low)) return factor(ratio, to);
  return fmt::format("{} [{}, {}] ({})", times(ratio->value), times(ratio->interval.low), times(ratio->interval.high),
                     to);
}

/// Of loads that the kernel timed itself, its time; launching it is no part of that.
std::string rate_of(const Result& r) {
  const auto by_the_kernel = std::ranges::find(r.observed, "ns_per_load", &Observation::name);
  return by_the_kernel == r.observed.end() ? show_rate(r.rate(), r.cost.rated)
                                           : show_rate(1e9 / by_the_kernel->value, Quantity::accesses);
}

/// The spread of one sample is not known.
std::string spread_of(const Result& r) {
  const std::vector<double> samples = flatten(r.measurement.seconds);
  return samples.size() > 1 ? percent(spread(samples)) : "-";
}

/// What to know about a number, before the idea: notes, what was observed, whether it is proven.
std::string remarks(const Result& r) {
  std::string all = r.note;
  for (const Observation& o : r.observed)
    all += fmt::format("{}{} {:.4g} {}", all.empty() ? "" : ", ", o.name, o.value, o.unit);
  if (r.accuracy && !r.accuracy->why_not.empty())
    all += fmt::format("{}no accuracy: {}", all.empty() ? "" : ", ", r.accuracy->why_not);
  if (r.proof.starts_with("unproven")) all += fmt::format("{}unproven", all.empty() ? "" : ", ");
  return all.empty() ? "" : fmt::format("({}) ", all);
}

std::string cut(const std::string& text, std::size_t width) {
  if (width == 0 || columns(text) <= width) return text;
  std::size_t bytes = 0;
  for (std::size_t column = 0; bytes < text.size(); ++bytes) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (starts && ++column == width) break;
  }
  return text.substr(0, bytes) + "…";
}

/// A title that is longer than the terminal is wide, part by part.
std::string wrapped(std::string title, std::size_t width) {
  constexpr std::string_view between = "  |  ";
  if (width == 0 || columns(title) <= width) return title;
  for (auto at = title.find(between); at != title.npos; at = title.find(between))
    title.replace(at, between.size(), "\n  ");
  return title;
}

std::string pad(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, columns(text)), ' ');
  return left ? text + blanks : blanks + text;
}

bool has_errors(const Result& r) { return r.accuracy.has_value(); }

/// Adds a cell for each distribution.
void add_to(std::vector<std::string>& cells, const std::function<std::string(Distribution)>& cell) {
  for (const Distribution distribution : distributions) cells.push_back(cell(distribution));
}

}  // namespace

void TextTable::row(std::vector<std::string> cells, Colour colour) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), colour});
}

std::vector<bool> TextTable::shown_columns() const {
  std::vector<bool> shown;
  for (const Row& row : rows_) {
    shown.resize(std::max(shown.size(), row.cells.size()), rows_.size() == 1);
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (&row != &rows_.front() && !row.cells[c].empty()) shown[c] = true;
  }
  return shown;
}

std::string TextTable::text(std::size_t width, bool colours) const {
  std::vector<Row> rows = rows_;
  std::vector<bool> shown = shown_columns();
  std::vector<std::size_t> widths;
  const auto measure = [&] {
    widths.assign(shown.size(), 0);
    for (const Row& row : rows)
      for (std::size_t c = 0; c < row.cells.size(); ++c) widths[c] = std::max(widths[c], columns(row.cells[c]));
  };
  const auto fits = [&] {
    measure();
    std::size_t needed = 0;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (shown[c]) needed += c + 1 < widths.size() ? widths[c] + 2 : std::min(widths[c], least_last);
    return width == 0 || needed <= width;
  };
  for (std::size_t step = 0; !fits() && step < steps_.size(); ++step)
    if (const auto& [column, shorter] = steps_[step]; !shorter)
      shown.at(column) = false;
    else
      for (Row& row : rows)
        if (column < row.cells.size()) row.cells[column] = shorter(row.cells[column]);
  measure();
  std::string all;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (!shown[c]) continue;
      const bool last = c + 1 == row.cells.size();
      line += (line.empty() ? "" : "  ") + (last ? row.cells[c] : pad(row.cells[c], widths[c], c == 0));
    }
    if (least_last != std::string::npos) line = cut(line, width);
    while (line.ends_with(' ')) line.pop_back();
    static constexpr const char* codes[] = {"", "\033[32m", "\033[31m", "\033[2m"};
    if (colours && row.colour != Colour::none) line = codes[static_cast<std::size_t>(row.colour)] + line + "\033[0m";
    all += line + "\n";
  }
  return all;
}

std::string TextTable::markdown() const {
  const std::vector<bool> shown = shown_columns();
  std::string all;
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (shown[c]) all += "| " + markdown_cell(row.cells[c]) + " ";
    all += "|\n";
    if (&row != &rows_.front()) continue;
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (shown[c]) all += c == 0 || c + 1 == row.cells.size() ? "|---" : "|--:";
    all += "|\n";
  }
  return all;
}

std::string without_experiment(const std::string& rung) {
  const auto first = rung.find('/'), second = rung.find('/', first + 1);
  return second == rung.npos ? rung : rung.substr(0, first) + rung.substr(second);
}

std::string without_details(const std::string& cell) {
  return cell.substr(0, std::min(cell.find(" ["), cell.find(" (")));
}

Terminal Terminal::of(int descriptor) {
  if (!isatty(descriptor)) return {};
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const auto is_set = [](const char* variable, std::string_view to) {
    const char* value = std::getenv(variable);
    return value && (to.empty() ? *value != 0 : value == to);
  };
  return {known ? size.ws_col : std::size_t{80}, !is_set("NO_COLOR", "") && !is_set("TERM", "dumb")};
}

std::string summary(const VariantEntry& variant) {
  return variant.bound_by.empty() ? variant.idea : variant.idea + "; bound by " + variant.bound_by;
}

std::string show_rate(std::optional<double> rate, Quantity of) {
  switch (of) {
    case Quantity::bytes:
      return si(rate, "B/s");
    case Quantity::flops:
      return si(rate, "FLOP/s");
    case Quantity::accesses:
      return rate ? si(1 / *rate, "s") + " each" : "-";
  }
  return {};
}

std::string show_ulps(const ErrorSummary* errors) {
  return errors ? fmt::format("{:.3g} / {:.3g}", errors->ulp_median, errors->ulp_max) : "-";
}

std::string show_distribution(Distribution distribution) {
  std::string name = to_string(distribution);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string accuracy_table(const std::vector<Result>& results, const Terminal& terminal) {
  if (std::ranges::none_of(results, &has_errors)) return {};
  TextTable text;
  std::vector<std::string> head{"ulps, median / max"};
  add_to(head, [](Distribution distribution) { return show_distribution(distribution); });
  head.emplace_back("idea");
  text.row(std::move(head), TextTable::Colour::faint);
  for (const Result& r : results) {
    if (!r.accuracy) continue;
    std::vector<std::string> cells{r.cell.rung()};
    add_to(cells, [&](Distribution distribution) { return show_ulps(r.accuracy->find(distribution)); });
    cells.push_back(remarks(r) + summary(*r.cell.variant));
    text.row(std::move(cells), r.accuracy->why_not.empty() ? TextTable::Colour::none : TextTable::Colour::bad);
  }
  return text.text(terminal.width, terminal.colours);
}

std::string table(const std::vector<Result>& results, const Terminal& terminal) {
  if (results.empty()) return {};
  const bool with_accuracy = std::ranges::any_of(results, &has_errors);
  const Result& first = results.front();
  std::string title = fmt::format("{}  {}  {}", first.cell.experiment->name, first.cell.point.name(),
                                  to_string(first.mode, first.launch_by));
  std::vector<std::string> devices;
  const Result* fastest = nullptr;
  for (const Result& r : results) {
    if (r.time() && (!fastest || *r.time() < *fastest->time())) fastest = &r;
    if (!r.time() || std::find(devices.begin(), devices.end(), r.device.key) != devices.end()) continue;
    devices.push_back(r.device.key);
    title += fmt::format("  |  {}: {} launch{} a sample, an empty one takes {}", r.device.name, r.measurement.launches,
                         r.measurement.launches == 1 ? "" : "es", si(r.floor, "s"));
  }
  if (with_accuracy) title += "  |  errors in ulps: median / max";
  TextTable text;
  const auto row = [&](std::vector<std::string> cells, const std::function<std::string(Distribution)>& errors,
                       std::string last, TextTable::Colour colour) {
    if (with_accuracy) add_to(cells, errors);
    cells.push_back(std::move(last));
    text.row(std::move(cells), colour);
  };
  row({"rung", "time", "±", "rate", "of peak", "× parent", "× library", "× other [95 %]"}, show_distribution, "idea",
      TextTable::Colour::faint);
  for (const Result& r : results) {
    const std::string rung = r.cell.rung();
    if (r.status != Status::ok) {
      row(
          {rung, "-", "-", "-", "-", "", "", ""}, [](Distribution) { return "-"; }, r.label(),
          r.status == Status::skipped ? TextTable::Colour::faint : TextTable::Colour::bad);
      continue;
    }
    row(
        {rung, si(r.time(), "s"), spread_of(r), rate_of(r),
         percent(r.of_measured_peak()), factor(r.parent, r.cell.variant->improves), factor(r.library),
         factor_with_interval(r.other, without_experiment(r.other_rung))},
        [&](Distribution distribution) { return show_ulps(r.accuracy ? r.accuracy->find(distribution) : nullptr); },
        remarks(r) + summary(*r.cell.variant),
        &r == fastest && results.size() > 1 ? TextTable::Colour::good : TextTable::Colour::none);
  }
  enum Column : std::size_t { rung, time, plus_minus, rate, of_peak, parent, library, other };
  text.narrow(rung, without_experiment);
  text.narrow(other, without_details);
  text.narrow(parent, without_details);
  for (const Column column : {plus_minus, other, of_peak, library, parent}) text.narrow(column);
  return wrapped(title, terminal.width) + "\n" + text.text(terminal.width, terminal.colours);
}

}  // namespace crosswarp
