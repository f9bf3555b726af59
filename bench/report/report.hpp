// `bench report`: results of earlier runs as a page, Markdown, SVG, or findings.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

struct ReportRequest {
  std::vector<std::string> inputs;
  Selection selection;
  /// `html`, `md`, `svg`, `findings`, `text`; empty: by the output's extension, default `md`.
  std::string format;
  bool portability = false;              ///< The table of portable backends against the reference: `md` or `text`.
  std::vector<std::string> points = {};  ///< Its points; empty for representative ones.
  bool all = false;                      ///< All points.
  bool with_widest = false;              ///< With `points`: each experiment's widest gap, too.
  bool check = false;                    ///< Instead of a report: check_folder() of the only input.
  std::string output;                    ///< Output file (default: stdout).
};

/// Throws Error if a file cannot be read or written, the format is unknown, or plotly is missing.
void write_report(const ReportRequest& request);

}  // namespace crosswarp
