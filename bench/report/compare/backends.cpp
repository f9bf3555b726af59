// Compares backends of one run point by point: sampled in the same rounds, so ratios are paired.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bench/report/compare/compare.hpp"
#include "bench/report/compare/ratios.hpp"
#include "bench/report/result_file.hpp"
#include "core/counters.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/names.hpp"
#include "core/random_findings.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t most_of_kernel = 2;  // facts of the kernels shown in a line
constexpr std::size_t most_counters = 4;   // shown in a line: those that differ most

/// One side of the comparison: a backend, or one of its rungs.
class Side {
 public:
  /// `name`: `cuda` or `cuda/float4`. Throws Error where `results` have none of it.
  Side(std::string name, const std::vector<Result>& results) : name_(std::move(name)) {
    std::vector<std::string> known;
    for (const Result& r : results)
      for (const std::string& candidate : {r.cell.variant->backend, rung(r)}) {
        if (candidate == name_) return;
        const bool is_alike = (candidate.find('/') == candidate.npos) == (name_.find('/') == name_.npos);
        if (is_alike && std::find(known.begin(), known.end(), candidate) == known.end()) known.push_back(candidate);
      }
    throw Error(fmt::format("--backends {}: {}", name_, did_you_mean(name_, known)));
  }
  const std::string& name() const { return name_; }

  /// Whether `r` may stand for this side. Of a backend, libraries and escape hatches do not: the question is what a
  /// layer costs those who write kernels in it.
  bool has(const Result& r) const {
    return r.time() && (rung(r) == name_ || (r.cell.variant->backend == name_ && r.cell.variant->stands_for_backend()));
  }

  /// Without its experiment: `cuda/float4`.
  static std::string rung(const Result& r) { return without_experiment(r.cell.rung()); }

 private:
  std::string name_;
};

/// Results that were measured side by side.
using Rungs = std::vector<const Result*>;

std::vector<Rungs> points(const std::vector<Result>& results) {
  std::vector<Rungs> all;
  std::map<std::array<std::string, 4>, std::size_t> index;
  for (const Result& r : results) {
    const auto [at, is_new] =
        index.try_emplace({r.cell.variant->experiment, mode_of(r), r.device.name, r.cell.point.name()}, all.size());
    if (is_new) all.emplace_back();
    all[at->second].push_back(&r);
  }
  return all;
}

const Result* fastest(const Rungs& point, const Side& side) {
  const Result* best = nullptr;
  for (const Result* r : point)
    if (side.has(*r) && (!best || *r->time() < *best->time())) best = r;
  return best;
}

double number(const Counters& counters, std::string_view name) { return counters[name].value_or(0); }

/// What a difference of `counter` means for the whole, 1 being all of it. Of numbers that count the same thing a factor
/// between two small ones means little: a stall counts by its share of what warps wait for, an instruction by its share
/// of all of them. 0: nothing, as it is the time itself or told elsewhere.
double weight(const Counter& counter, const Counters& from, const Counters& to) {
  constexpr double request = 100;  // that reaches L2 costs, in instructions, about so much
  const double a = number(from, counter.name), b = number(to, counter.name);
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
std::string kernel_differences(const Result& from, const Result& to) {
  Differences all;
  for (const Field& field : fields()) {
    if (!field.is_in(Field::kernel)) continue;
    const Json a = field.get(from), b = field.get(to);
    if (a.is_number() && b.is_number() && a != b)
      all.emplace_back(std::abs(std::log(a.get<double>() / b.get<double>())),
                       fmt::format("{} {:.4g} → {:.4g}", field.name, a.get<double>(), b.get<double>()));
  }
  return in_order(std::move(all), most_of_kernel);
}

/// `l2_throughput 91 → 40`: what both have counted, that which means most first.
std::string counter_differences(const Result& from, const Result& to) {
  constexpr double least = 0.05;
  if (!from.counters || !to.counters) return {};
  Differences all;
  for (const Counter& counter : all_counters()) {
    const auto a = (*from.counters)[counter.name], b = (*to.counters)[counter.name];
    if (!a || !b) continue;
    if (const double w = weight(counter, *from.counters, *to.counters); w >= least)
      all.emplace_back(w, fmt::format("{} {:.4g} → {:.4g}", counter.name, *a, *b));
  }
  return in_order(std::move(all), most_counters);
}

std::string differences(const Result& from, const Result& to) {
  const std::string kernel = kernel_differences(from, to), counters = counter_differences(from, to);
  return kernel + (kernel.empty() || counters.empty() ? "" : ", ") + counters;
}

/// A result of another side, and what it is set beside.
struct Pairing {
  const Result *reference, *result;
  std::size_t side;
  bool fastest;  ///< Of its side.
  Ratio ratio;
};

/// `why_not`: why points have no ratio.
std::vector<Pairing> gaps(const std::vector<Rungs>& points, const std::vector<Side>& sides, bool all,
                          std::set<std::string>& why_not) {
  std::vector<Pairing> gaps;
  for (const Rungs& point : points) {
    const Result* reference = fastest(point, sides.front());
    if (!reference) continue;
    for (std::size_t s = 1; s < sides.size(); ++s) {
      const Result* best = fastest(point, sides[s]);
      for (const Result* r : point)
        if (const std::string why = why_no_ratio(*reference, *r); r == best && !why.empty())
          why_not.insert(why);
        else if (why.empty() && (r == best || (all && sides[s].has(*r))))
          gaps.push_back({reference, r, s, r == best, time_ratio(*reference, *r)});
    }
  }
  return gaps;
}

/// `float4` of `cuda/float4`.
std::string without_backend(const std::string& rung) { return rung.substr(rung.find('/') + 1); }

/// `1.2 J, 850 GFLOP/J`
std::string energy(const Result& r) {
  const std::string per_joule = field(r.cost.rated == Quantity::flops ? "flops_per_joule" : "bytes_per_joule").show(r);
  return field("joules").show(r) + (per_joule.empty() ? "" : ", " + per_joule);
}

/// By experiment, mode and device.
std::map<std::string, TextTable> tables(const std::vector<Pairing>& gaps, const Side& first) {
  std::map<std::string, TextTable> tables;
  for (const Pairing& gap : gaps) {
    const Result &reference = *gap.reference, &other = *gap.result;
    TextTable& table =
        tables[fmt::format("{}, {}, {}:", other.cell.variant->experiment, mode_of(other), other.device.name)];
    if (table.rows() == 0) {
      table.row(
          {"point", first.name(), "time", "other", "time", "other × as fast [95 %]", "energy", "its", "what differs"},
          TextTable::Colour::faint);
      enum Column : std::size_t { point, rung, time, other_rung, other_time, ratio, joules, other_joules, differences };
      table.narrow(differences);
      for (const Column column : {joules, other_joules}) table.narrow(column);
      table.narrow(ratio, without_details);
      table.narrow(rung, without_backend);
      table.narrow(time);
      table.narrow(other_time);
    }
    table.row({other.cell.point.name(), Side::rung(reference), si(reference.time(), "s"), Side::rung(other),
               si(other.time(), "s"), precise(gap.ratio), energy(reference), energy(other),
               differences(reference, other)});
  }
  return tables;
}

}  // namespace

void compare_backends(const CompareOptions& comparison) {
  const std::string& path = comparison.inputs.at(0);
  ResultFile file = read_results(path);
  if (comparison.without_throttled) leave_out_throttled(file);
  const std::vector<Result> results = merge_repetitions(file.results);
  std::vector<Side> sides;
  for (const std::string& name : comparison.backends) sides.emplace_back(name, results);
  const std::vector<Rungs> all_points = points(results);
  std::set<std::string> why_not;
  const std::vector<Pairing> found = gaps(all_points, sides, comparison.all, why_not);
  if (found.empty())
    throw Error(fmt::format("{}: no point at which {} and another have times on one device{}", path,
                            sides.front().name(),
                            why_not.empty() ? "" : fmt::format(" that compare ({})", fmt::join(why_not, ", "))));

  std::vector<std::map<std::string, std::vector<double>>> ratios(sides.size());  // by side and experiment
  std::set<const Result*> compared;
  for (const Pairing& gap : found) {
    if (gap.fastest) ratios[gap.side][averaging_group(*gap.result)].push_back(gap.ratio.value);
    compared.insert(gap.reference);
  }
  Page page(comparison.format, comparison.output);
  for (const auto& [title, table] : tables(found, sides.front())) {
    page.paragraph(title);
    page.table(table);
  }
  for (std::size_t s = 1; s < sides.size(); ++s)
    page.table(geometric_means(ratios[s], fmt::format("{}, × as fast as {}", sides[s].name(), sides.front().name())));
  const bool has_intervals =
      std::ranges::none_of(found, [](const Pairing& gap) { return std::isnan(gap.ratio.interval.low); });
  page.paragraph(fmt::format("Compared at {} of {} points, by samples of the same rounds where a file has them.",
                             compared.size(), all_points.size()) +
                 (has_intervals ? "" : " [?]: no interval, for want of placements.") +
                 (why_not.empty() ? "" : fmt::format(" No ratio where threads differ: {}.", fmt::join(why_not, ", "))));
  page.write();
}

}  // namespace crosswarp
