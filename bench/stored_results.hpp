// Results as they lie in files: what --json writes when a run ends, and the journal it keeps until then.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/report.hpp"

namespace crosswarp {

struct StoredResults {
  Context context;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();  ///< In the order in which they were measured.
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
};

/// The journal of the results file `path`.
std::string journal_of(const std::string& path);
/// Whether there is either, with something in it.
bool has_results(const std::string& path);

/// The results in the file `path`, which may be a journal; where it does not exist, those in its journal. Of two rows
/// of one name and repetition the later one counts. Throws Error where they cannot be read or are none.
StoredResults read_stored(const std::string& path);
/// The same, from the journal where that is newer: after a run that was cut short it holds more.
StoredResults read_newest(const std::string& path);

}  // namespace crosswarp
