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

std::string factor(const std::optional<Ratio>& ratio) { return ratio ? times(ratio->value) : "-"; }

std::string factor_with_interval(const std::optional<Ratio>& ratio) {
  if (!ratio) return "-";
  if (std::isnan(ratio->interval.low)) return factor(ratio) + " [?]";
  return fmt::format("{} [{}, {}]", times(ratio->value), times(ratio->interval.low), times(ratio->interval.high));
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

std::string TextTable::text(std::size_t width, bool colours) const {
  std::vector<std::size_t> widths;
  for (const Row& row : rows_) {
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (std::size_t c = 0; c + 1 < row.cells.size(); ++c) widths[c] = std::max(widths[c], columns(row.cells[c]));
  }
  std::string all;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const bool last = c + 1 == row.cells.size();
      line += (c ? "  " : "") + (last ? row.cells[c] : pad(row.cells[c], widths[c], c == 0));
    }
    line = cut(line, width);
    while (line.ends_with(' ')) line.pop_back();
    static constexpr const char* codes[] = {"", "\033[32m", "\033[31m", "\033[2m"};
    if (colours && row.colour != Colour::none) line = codes[static_cast<std::size_t>(row.colour)] + line + "\033[0m";
    all += line + "\n";
  }
  return all;
}

std::string TextTable::markdown() const {
  std::string all;
  for (const Row& row : rows_) {
    for (const std::string& cell : row.cells) all += "| " + markdown_cell(cell) + " ";
    all += "|\n";
    if (&row != &rows_.front()) continue;
    for (std::size_t c = 0; c < row.cells.size(); ++c) all += c == 0 || c + 1 == row.cells.size() ? "|---" : "|--:";
    all += "|\n";
  }
  return all;
}

Terminal Terminal::of(int descriptor) {
  if (!isatty(descriptor)) return {};
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const char* no_colour = std::getenv("NO_COLOR");
  return {known ? size.ws_col : std::size_t{80}, !no_colour || !*no_colour};
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
    cells.push_back(remarks(r) + r.cell.variant->idea);
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
          {rung, "-", "-", "-", "-", "-", "-", "-"}, [](Distribution) { return "-"; }, r.label(),
          r.status == Status::skipped ? TextTable::Colour::faint : TextTable::Colour::bad);
      continue;
    }
    row(
        {rung, si(r.time(), "s"), percent(spread(flatten(r.measurement.seconds))), show_rate(r.rate(), r.cost.rated),
         percent(r.of_measured_peak()), factor(r.parent), factor(r.library), factor_with_interval(r.other)},
        [&](Distribution distribution) { return show_ulps(r.accuracy ? r.accuracy->find(distribution) : nullptr); },
        remarks(r) + r.cell.variant->idea,
        &r == fastest && results.size() > 1 ? TextTable::Colour::good : TextTable::Colour::none);
  }
  return title + "\n" + text.text(terminal.width, terminal.colours);
}

}  // namespace crosswarp
