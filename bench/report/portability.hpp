// What portable backends cost against the reference backend, and why: the decision page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/report/report.hpp"

namespace crosswarp {

/// A variant and its fastest counterpart at a point.
struct SameAlgorithm {
  const Result *reference, *portable;
  Ratio ratio;  ///< Times as fast the reference is.
};

/// A portable backend against the reference backend at one point, in one mode, on one device. Vendors' libraries are in
/// `library` only, escape hatches in `escape_hatch`.
struct PortabilityRow {
  std::string backend;               ///< The portable one.
  const Result* best;                ///< The fastest of the reference backend.
  const Result* library = nullptr;   ///< Null for none, as below.
  const Result* naive = nullptr;     ///< Lowest rung of the portable backend's ladder.
  const Result* portable = nullptr;  ///< The fastest of the portable backend; of equals the one like `best`.
  /// Times as fast as `portable` `best` is; infinite without `portable`, 0 where `why_no_ratio` says why.
  Ratio ratio = {};
  std::string why_no_ratio = {};                         ///< The numbers of host threads differ; then there is no gap.
  const Result* escape_hatch = nullptr;                  ///< The fastest of its backend that takes one.
  Ratio escape_ratio = {};                               ///< Times as fast as `escape_hatch` `best` is.
  bool by_steps = false;                                 ///< Times are those of a step, by launches of two lengths.
  std::string best_runs_on = {}, portable_runs_on = {};  ///< `CUDA, HIP, emulation`, by results and this build.
  std::optional<SameAlgorithm> same = {};  ///< Of the fastest portable variant whose counterpart ran, `portable` first.
  Gap gap = {};                            ///< Class and reason of `ratio`.
  std::string evidence = {};       ///< Its evidence where both sides have it: `instructions 5 M → 14.1 M`; or empty.
  std::string contradiction = {};  ///< `declared none, measured 1.33`, of `same`; empty where they agree.
};

/// The results of several files, with the rows that they make. Of a cell in several files, the one with most placements
/// counts, the newest of these; its counters may be another's.
class PortabilityTable {
 public:
  /// `backends`: the reference and the others; empty for the reference backend and all others. Throws Error if no point
  /// has times of both.
  PortabilityTable(const std::vector<ResultFile>& files, std::vector<std::string> backends);

  /// Widest gap first.
  const std::vector<PortabilityRow>& rows() const { return rows_; }
  /// Of each experiment the points with the widest, the median and the narrowest gap, and of points without portable
  /// variant the largest of each class.
  std::vector<PortabilityRow> representative() const;
  /// Of each of `points`, as `reduce_sum/n:1024/type:f32`; axes may be left out. `with_widest`: and of each experiment
  /// the point with the widest gap. Throws Error for a point without a row.
  std::vector<PortabilityRow> at(const std::vector<std::string>& points, bool with_widest) const;
  const std::string& reference() const { return reference_; }

 private:
  std::vector<Result> results_;
  std::vector<std::size_t> sources_;  // index of the file, by result
  std::string reference_;
  std::vector<PortabilityRow> rows_;
};

/// Writes a line per class, then the rows, as text or Markdown. Throws Error if a file cannot be read or written, or if
/// there is no row.
void write_portability(const ReportRequest& request);

}  // namespace crosswarp
