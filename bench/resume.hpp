// What an earlier run left: results that need not be taken again.
#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"

namespace crosswarp {

struct Earlier {
  Context context;
  std::vector<JsonRow> rows;    ///< As they stand in the file.
  std::vector<Result> results;  ///< The same, in the same order.
};

/// The request (bench/options.hpp) of the run whose results are in `path` or in its journal. Throws Error where there
/// are none, or where they do not say.
std::string read_request(const std::string& path);

/// The results in `path`, or in its journal where that is newer, as it is when a run was cut short. Throws Error where
/// they cannot be read, or where they and a run whose context is `now` do not belong into one file, because device,
/// build, seed or rules of measuring differ.
Earlier read_earlier(const std::string& path, const Context& now);

/// Whether a run that goes on leaves this result as it is: it does not where the cell failed.
bool is_finished(const Result& result);

}  // namespace crosswarp
