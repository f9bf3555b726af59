// The JSON file of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "core/report.hpp"

namespace crosswarp {

/// Writes to --json, noted in the user's folder, or, without it, to a new file there. Throws Error only for --json:
/// without it, a file that cannot be written costs one line on standard error, and the run goes on.
class KeptResults {
 public:
  /// Opens the file. None for a run that times nothing.
  explicit KeptResults(const Options& options);

  void begin(const Context& context, const std::vector<JsonRow>& earlier);
  void add(const Result& result);
  void add(const Conclusion& conclusion);
  void add(const Context& facts);
  /// Leaves no file in the user's folder if there is no result.
  void finish();
  /// Closes the file as it was before begin().
  void abandon() { file_.reset(); }

  /// `finished cells are in out.json: bench --resume out.json continues`
  std::string how_to_resume() const;
  /// The file's path; empty for none.
  std::string path() const { return file_ ? path_ : ""; }

 private:
  template <class Action>
  void attempt(const Action& action);
  void note() const;

  bool is_asked_;  // --json or --resume
  bool has_begun_ = false;
  std::string path_;
  std::optional<JsonFile> file_;
};

}  // namespace crosswarp
