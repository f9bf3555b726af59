// `bench report`: results of earlier runs as a page, as Markdown, or as a drawing.
#pragma once

#include <string>
#include <vector>

#include "bench/report/result_file.hpp"

namespace crosswarp {

struct ReportRequest {
  std::vector<std::string> inputs;
  Selection selection;
  std::string format;  ///< `html`, `md`, `svg`, `findings`; empty: by the output's extension, else `md`.
  std::string output;  ///< A file, or empty for standard output.
};

/// Throws Error where a file cannot be read or written, where the format is none, and where what draws is not
/// installed.
void write_report(const ReportRequest& request);

}  // namespace crosswarp
