// Results of an earlier run, for --resume.
#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"

namespace crosswarp {

struct Earlier {
  Context context;
  std::vector<JsonRow> rows;    ///< As in the file.
  std::vector<Result> results;  ///< The same, parsed.
};

/// Options::request of the run with results in `path` or its journal. Throws Error for no results or no request.
std::string read_request(const std::string& path);

/// The results in `path`, or in its journal if that is newer (after an interruption). Throws Error if they cannot be
/// read, and if device, build, seed or stopping rule differ from those of `now`.
Earlier read_earlier(const std::string& path, const Context& now);

/// The facts of a run and of the earlier one that it continues. `commit` names those of both.
Context continued(Context now, const Context& earlier);

/// Whether a resumed run keeps this result. Failed cells run again.
bool is_finished(const Result& result);

}  // namespace crosswarp
