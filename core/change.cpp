// Threshold for relevance, rank test for significance.
#include "core/change.hpp"

#include <algorithm>

namespace crosswarp {
namespace {

ChangeKind find(const TwoRuns& cell, const Change& change) {
  const double ratio = change.ratio.value;
  const double factor = std::max(ratio, 1 / ratio);
  if (!(factor >= 1 + cell.least_change)) return ChangeKind::within_noise;  // also for NaN, of two times of 0
  if (change.test) {
    const bool agrees = ratio > 1 ? change.test->superiority > 0.5 : change.test->superiority < 0.5;
    if (change.test->p > family_error || !agrees) return ChangeKind::within_noise;
  } else {
    const Interval& interval = change.ratio.interval;
    const bool holds_one = interval.low < 1 && interval.high > 1;
    if (factor < 1 + change.least_change || holds_one) return ChangeKind::no_verdict;
  }
  if (cell.noisy) return ChangeKind::noisy;
  return ratio > 1 ? ChangeKind::slower : ChangeKind::faster;
}

}  // namespace

std::string to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::within_noise:
      return "within noise";
    case ChangeKind::faster:
      return "faster";
    case ChangeKind::slower:
      return "slower";
    case ChangeKind::no_verdict:
      return "no verdict";
    case ChangeKind::noisy:
      return "noisy";
  }
  return {};
}

std::vector<Change> changes(const std::vector<TwoRuns>& cells, double untested_change) {
  std::vector<RankTest> tests;
  std::vector<double> p;
  for (const TwoRuns& cell : cells) {
    tests.push_back(rank_test(medians(cell.before), medians(cell.after)));
    p.push_back(tests.back().p);
  }
  const std::vector<double> adjusted = holm(p);
  std::vector<Change> all;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const TwoRuns& cell = cells[i];
    Change change;
    change.ratio = location_ratio(cell.after, cell.before);
    change.least_change = cell.least_change;
    const double least = least_p(medians(cell.before).size(), medians(cell.after).size());
    if (least * static_cast<double>(cells.size()) <= family_error)
      change.test = RankTest{tests[i].superiority, adjusted[i]};
    else
      change.least_change = std::max(cell.least_change, untested_change);
    change.kind = find(cell, change);
    all.push_back(change);
  }
  return all;
}

}  // namespace crosswarp
