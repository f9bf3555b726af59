// Backends of one run, point by point: they were sampled in the same rounds, so that ratios are paired.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "bench/report/compare.hpp"
#include "bench/report/ratios.hpp"
#include "bench/report/result_file.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t most_counters = 5;  // shown in a line: those that differ most

/// One side of the comparison: a backend, or one of its rungs.
class Side {
 public:
  /// `name`: `cuda` or `cuda/float4`. Throws Error where `rows` have none of it.
  Side(std::string name, const std::vector<Row>& rows) : name_(std::move(name)) {
    std::vector<std::string> known;
    for (const Row& row : rows)
      for (const std::string& candidate : {row.backend, rung(row)}) {
        if (candidate == name_) return;
        if (std::find(known.begin(), known.end(), candidate) == known.end()) known.push_back(candidate);
      }
    throw Error(fmt::format("--backends {}: {}", name_, did_you_mean(name_, known)));
  }
  const std::string& name() const { return name_; }

  /// Whether `row` may stand for this side. Of a backend, what its vendor wrote does not: the question is what a layer
  /// costs those who write kernels in it.
  bool has(const Row& row) const { return row.ok() && (rung(row) == name_ || (row.backend == name_ && !row.library)); }

  /// Without its experiment: `cuda/float4`.
  static std::string rung(const Row& row) {
    std::string name = row.rung;
    return name.erase(row.backend.size(), row.experiment.size() + 1);
  }

 private:
  std::string name_;
};

/// Rows that were measured side by side.
using Rows = std::vector<const Row*>;

std::vector<Rows> points(const std::vector<Row>& rows) {
  std::vector<Rows> all;
  std::map<std::array<std::string, 4>, std::size_t> places;
  for (const Row& row : rows) {
    const auto [place, is_new] = places.try_emplace({row.experiment, row.mode, row.device, row.point}, all.size());
    if (is_new) all.emplace_back();
    all[place->second].push_back(&row);
  }
  return all;
}

const Row* fastest(const Rows& point, const Side& side) {
  const Row* best = nullptr;
  for (const Row* row : point)
    if (side.has(*row) && (!best || location(row->seconds) < location(best->seconds))) best = row;
  return best;
}

/// How far apart two numbers are, whatever they stand for: the absolute logarithm of their ratio.
double distance(double a, double b) {
  return a * b > 0 ? std::abs(std::log(a / b)) : std::numeric_limits<double>::infinity();
}

/// `registers 30 → 64`: what both rows have numbers of, and different ones; the most different first, up to `most`.
std::string differences(const std::map<std::string, double>& from, const std::map<std::string, double>& to,
                        std::size_t most) {
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [name, value] : from)
    if (const auto other = to.find(name); other != to.end() && other->second != value)
      all.emplace_back(-distance(value, other->second), fmt::format("{} {:.4g} → {:.4g}", name, value, other->second));
  std::sort(all.begin(), all.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) text += (i ? ", " : "") + all[i].second;
  return text;
}

std::string differences(const Row& from, const Row& to) {
  const std::string kernel = differences(from.kernel, to.kernel, from.kernel.size());
  const std::string counters = differences(from.counters, to.counters, most_counters);
  return kernel + (kernel.empty() || counters.empty() ? "" : ", ") + counters;
}

/// A row of another side, and what it is set beside.
struct Gap {
  const Row *reference, *row;
  std::size_t side;
  bool fastest;  ///< Of its side.
  Ratio ratio;
};

std::vector<Gap> gaps(const std::vector<Rows>& points, const std::vector<Side>& sides, bool all) {
  std::vector<Gap> gaps;
  for (const Rows& point : points) {
    const Row* reference = fastest(point, sides.front());
    if (!reference) continue;
    for (std::size_t s = 1; s < sides.size(); ++s) {
      const Row* best = fastest(point, sides[s]);
      for (const Row* row : point)
        if (row == best || (all && sides[s].has(*row)))
          gaps.push_back({reference, row, s, row == best, paired_ratio(row->seconds, reference->seconds)});
    }
  }
  return gaps;
}

/// By experiment, mode and device.
std::map<std::string, TextTable> tables(const std::vector<Gap>& gaps, const Side& first) {
  std::map<std::string, TextTable> tables;
  for (const Gap& gap : gaps) {
    const Row &reference = *gap.reference, &row = *gap.row;
    TextTable& table = tables[fmt::format("{}, {}, {}:", row.experiment, row.mode, row.device)];
    if (table.rows() == 0)
      table.row({"point", first.name(), "time", "other", "time", "times as long [95 %]", "what differs"},
                TextTable::Colour::faint);
    table.row({row.point, Side::rung(reference), si(location(reference.seconds), "s"), Side::rung(row),
               si(location(row.seconds), "s"), precise(gap.ratio), differences(reference, row)});
  }
  return tables;
}

}  // namespace

void compare_backends(const Comparison& comparison) {
  const std::string& path = comparison.inputs.at(0);
  const std::vector<Row> rows = merge_repetitions(read_results(path).rows);
  std::vector<Side> sides;
  for (const std::string& name : comparison.backends) sides.emplace_back(name, rows);
  const std::vector<Rows> all_points = points(rows);
  const std::vector<Gap> found = gaps(all_points, sides, comparison.all);
  if (found.empty())
    throw Error(
        fmt::format("{}: no point at which {} and another have times on one device", path, sides.front().name()));

  std::vector<std::map<std::string, std::vector<double>>> ratios(sides.size());  // by side and experiment
  std::set<const Row*> compared;
  for (const Gap& gap : found) {
    if (gap.fastest) ratios[gap.side][gap.row->experiment].push_back(gap.ratio.value);
    compared.insert(gap.reference);
  }
  Page page(comparison.format, comparison.output);
  for (const auto& [title, table] : tables(found, sides.front())) {
    page.paragraph(title);
    page.table(table);
  }
  for (std::size_t s = 1; s < sides.size(); ++s)
    page.table(geometric_means(ratios[s], fmt::format("{} / {}", sides[s].name(), sides.front().name())));
  page.paragraph(fmt::format("Compared at {} of {} points.", compared.size(), all_points.size()));
  page.write();
}

}  // namespace crosswarp
