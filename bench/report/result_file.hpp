// Result files as `bench --json` writes them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report.hpp"
#include "core/statistics.hpp"

namespace crosswarp {

using Json = nlohmann::ordered_json;

/// Behind the mode of what was launched by graph; the name of the same cell by stream ends before it.
inline constexpr std::string_view by_graph = "/graph";

/// One result of a file. Seconds and bytes per second; no number where the file has null.
struct Row {
  std::string name;  ///< `cuda/reduce_sum/float4/n:1024/type:f32/cold`, and its parts:
  std::string rung, backend, experiment, point, mode;  ///< The mode: `cold`, or `cold/graph` where launched by graph.
  Json axes;
  std::string idea, bound_by, device;  ///< The device is empty where none was opened.
  std::string status, label, note;
  bool library = false;
  std::size_t repetition = 0;
  Quantity rate_of = Quantity::bytes;
  std::optional<double> time, rate, of_peak, floor;
  std::optional<Ratio> over_parent, over_library, over_other;
  Placements seconds;                      ///< Empty unless it is ok.
  std::map<std::string, double> kernel;    ///< Registers, shared memory … of the largest kernel, as far as known.
  std::map<std::string, double> observed;  ///< What the problem found in its outputs.
  std::map<std::string, double> counters;  ///< Hardware counters, as far as known.
  std::optional<Accuracy> accuracy;        ///< Where it was measured.
  Json all;                                ///< What the file has of it, but for the samples.

  bool ok() const { return !seconds.empty(); }
};

struct ResultFile {
  std::string path;
  Context context;
  std::vector<Row> rows;             ///< In the order in which they were measured.
  std::vector<Conclusion> findings;  ///< What this program concludes; of experiments it does not know, the file's.

  /// The path without its folders.
  std::string name() const;
  /// What the context says of `key`; `unknown` where it says nothing.
  std::string said(const std::string& key) const;
};

/// Which of the results a report is of: all, where nothing is named.
struct Selection {
  std::vector<std::string> experiments, backends;
};

/// Throws Error where the file cannot be read or is not one of ours.
ResultFile read_results(const std::string& path);

/// What `selection` takes of the files. Throws Error where one cannot be read or is not one of ours, and, with the
/// nearest match, for a name that none of them has.
std::vector<ResultFile> read_results(const std::vector<std::string>& paths, const Selection& selection);

/// One row for each name: repetitions are more placements of a cell, which is ok if they all are.
std::vector<Row> merge_repetitions(const std::vector<Row>& rows);

}  // namespace crosswarp
