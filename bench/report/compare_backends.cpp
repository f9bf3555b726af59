// Backends of one run, point by point: they were sampled in the same rounds, so that ratios are paired.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bench/report/compare.hpp"
#include "bench/report/ratios.hpp"
#include "bench/report/result_file.hpp"
#include "core/counters.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t most_of_kernel = 2;  // facts of the kernels shown in a line
constexpr std::size_t most_counters = 4;   // shown in a line: those that differ most

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

using Numbers = std::map<std::string, double>;

double number(const Numbers& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

/// What a difference of `counter` means for the whole, 1 being all of it. Of numbers that count the same thing a factor
/// between two small ones means little: a stall counts by its share of what warps wait for, an instruction by its share
/// of all of them. 0: nothing, as it is the time itself or told elsewhere.
double weight(const Counter& counter, const Numbers& from, const Numbers& to) {
  constexpr double request = 100;  // that reaches L2 costs, in instructions, about so much
  const double a = number(from, std::string(counter.name)), b = number(to, std::string(counter.name));
  const auto share = [&](double whole) { return whole > 0 ? std::abs(a - b) / whole : 0; };
  const auto either = [&](const char* name) { return std::max(number(from, name), number(to, name)); };
  if (counter.group == "speed" && counter.unit != "%") return 0;
  if (counter.unit == "block" || counter.unit == "wave") return 0;  // the kernel's facts say so already
  if (counter.unit == "%") return share(100);
  if (counter.group == "stalls") return share(either("cycles_per_issue"));
  if (counter.unit == "request") return request * share(either("instructions"));
  if (counter.unit == "inst" || counter.unit == "wavefront" || counter.unit == "branch")
    return share(either("instructions"));
  if (counter.unit == "B") return share(either("dram_bytes_read") + either("dram_bytes_written"));
  return 0.5 * share(std::max(a, b));  // averages, which may be of few
}

/// Differences with what they mean, the most first.
using Differences = std::vector<std::pair<double, std::string>>;

std::string in_order(Differences all, std::size_t most) {
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) text += (i ? ", " : "") + all[i].second;
  return text;
}

/// `registers 30 → 64`: what both kernels take, where they differ; that which differs by the largest factor first.
std::string kernel_differences(const Row& from, const Row& to) {
  Differences all;
  for (const auto& [name, value] : from.kernel)
    if (const auto other = to.kernel.find(name); other != to.kernel.end() && other->second != value)
      all.emplace_back(std::abs(std::log(value / other->second)),
                       fmt::format("{} {:.4g} → {:.4g}", name, value, other->second));
  return in_order(std::move(all), most_of_kernel);
}

/// `l2_throughput 91 → 40`: what both have counted, that which means most first.
std::string counter_differences(const Row& from, const Row& to) {
  constexpr double least = 0.05;
  Differences all;
  for (const Counter& counter : all_counters()) {
    const std::string name(counter.name);
    if (!from.counters.contains(name) || !to.counters.contains(name)) continue;
    if (const double w = weight(counter, from.counters, to.counters); w >= least)
      all.emplace_back(w, fmt::format("{} {:.4g} → {:.4g}", name, from.counters.at(name), to.counters.at(name)));
  }
  return in_order(std::move(all), most_counters);
}

std::string differences(const Row& from, const Row& to) {
  const std::string kernel = kernel_differences(from, to), counters = counter_differences(from, to);
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
          gaps.push_back({reference, row, s, row == best, paired_ratio(reference->seconds, row->seconds)});
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
      table.row({"point", first.name(), "time", "other", "time", "× as fast [95 %]", "what differs"},
                TextTable::Colour::faint);
    table.row({row.point, Side::rung(reference), si(location(reference.seconds), "s"), Side::rung(row),
               si(location(row.seconds), "s"), precise(gap.ratio), differences(reference, row)});
  }
  return tables;
}

}  // namespace

void compare_backends(const CompareOptions& comparison) {
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
    page.table(geometric_means(ratios[s], fmt::format("{}, × as fast as {}", sides[s].name(), sides.front().name())));
  page.paragraph(fmt::format("Compared at {} of {} points.", compared.size(), all_points.size()));
  page.write();
}

}  // namespace crosswarp
