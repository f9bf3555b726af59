// Result files as `bench --json` writes them.
#pragma once

#include <string>
#include <vector>

#include "bench/recorded_cells.hpp"
#include "core/report.hpp"

namespace crosswarp {

struct ResultFile {
  std::string path;
  Context context;
  RecordedCells cells;
  std::vector<Result> results;       ///< In the order in which they were measured.
  std::vector<Conclusion> findings;  ///< What this program concludes; of experiments it does not know, the file's.

  ResultFile() = default;
  ResultFile(ResultFile&&) = default;  // not copied: results refer to cells
  ResultFile& operator=(ResultFile&&) = default;

  /// The path without its folders.
  std::string name() const;
  /// The value of `key` in the context; `unknown` where there is none.
  std::string said(const std::string& key) const;
};

/// The results that a report shows: all, where nothing is named.
struct Selection {
  std::vector<std::string> experiments, backends;
  bool without_throttled = false;  ///< Without rows, and energy, of a device slowed down for power or heat.
};

/// Throws Error where the file cannot be read or is not one of ours.
ResultFile read_results(const std::string& path);

/// What `selection` takes of the files. Throws Error where one cannot be read or is not one of ours, and, with the
/// nearest match, for a name that none of them has.
std::vector<ResultFile> read_results(const std::vector<std::string>& paths, const Selection& selection);

/// Leaves out rows whose samples were taken while their device was slowed down for power or heat, and energy that was.
void leave_out_throttled(ResultFile& file);

/// One result for each name: repetitions are more placements of a cell, which is ok if they all are.
std::vector<Result> merge_repetitions(const std::vector<Result>& results);

/// `cold`, or `cold/graph` where launched by graph.
inline std::string mode_of(const Result& result) { return to_string(result.mode, result.launch_by); }
/// The name of the same cell by the other way to launch: by graph, or by stream.
std::string launched_otherwise(const Result& result);

}  // namespace crosswarp
