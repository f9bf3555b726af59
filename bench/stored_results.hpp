// Results as they lie in files: what --json writes when a run ends, and the journal it keeps until then.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.hpp"
#include "core/report.hpp"

namespace crosswarp {

struct StoredResults {
  Context context;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();  ///< In order of measurement.
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
};

/// The journal of the results file `path`.
std::string journal_of(const std::string& path);
/// Whether the file, or its journal, holds results that can be read.
bool is_results_file(const std::string& path);
/// Whether the file or its journal exists and is not empty.
bool has_results(const std::string& path);

/// `out.json: not a result file of bench --json: why`
Error not_results(const std::string& path, const std::exception& why);

/// The results in `path`, which may be a journal; if it does not exist, in its journal. Later rows replace earlier ones
/// of the same name and repetition. Throws Error if they cannot be read.
StoredResults read_stored(const std::string& path);
/// The journal of `path` if that is newer: after a kill it holds more. Else `path`.
std::string newest_of(const std::string& path);

}  // namespace crosswarp
