// Without --json, every access to the file may fail.
#include "bench/kept_results.hpp"

#include <fmt/format.h>

#include "bench/report/output.hpp"
#include "core/error.hpp"
#include "core/run_folder.hpp"

namespace crosswarp {

/// A failure of an action closes a file that nobody asked for.
template <class Action>
void KeptResults::attempt(const Action& action) try {
  action();
} catch (const Error& why) {
  if (is_asked_) throw;
  file_.reset();
  path_.clear();
  say(fmt::format("results are {}: {}", has_begun_ ? "kept only in part" : "not kept", why.what()));
}

KeptResults::KeptResults(const Options& options) : is_asked_(!options.json.empty()), path_(options.json) {
  const bool replaces = is_asked_ && (options.force_overwrite || options.json == options.resume);
  if (!is_asked_ && !options.run.why_untimed.empty()) return;
  attempt([&] {
    if (!is_asked_) path_ = RunFolder::of_user().new_file();
    file_.emplace(path_, replaces ? Existing::replace : Existing::refuse, is_asked_ ? "--json" : "");
  });
}

void KeptResults::begin(const Context& context, const std::vector<JsonRow>& earlier) {
  attempt([&] {
    if (!file_) return;
    file_->begin(context, earlier);
    has_begun_ = true;
    note();
  });
}

/// Makes it the last run of report, compare and --resume without files.
void KeptResults::note() const {
  if (!is_asked_) return RunFolder::of_user().remove_old();
  try {
    RunFolder::of_user().note(path_);
    RunFolder::of_user().remove_old();
  } catch (const Error&) {  // no folder: the results are in their file
  }
}

void KeptResults::add(const Result& result) {
  attempt([&] {
    if (file_) file_->add(result);
  });
}

void KeptResults::add(const Conclusion& conclusion) {
  if (file_) file_->add(conclusion);
}

void KeptResults::add(const Context& facts) {
  if (file_) file_->add(facts);
}

void KeptResults::finish() {
  if (!file_) return;
  if (is_asked_ || !file_->is_empty()) return attempt([&] { file_->finish(); });
  file_->discard();
  file_.reset();
}

std::string KeptResults::how_to_resume() const {
  if (path_.empty()) return "no results were kept";
  if (!file_) return "before its first result";
  if (file_->is_empty()) return fmt::format("before its first result: bench --resume {} begins again", path_);
  return fmt::format("finished cells are in {}: bench --resume{} continues", path_, is_asked_ ? " " + path_ : "");
}

}  // namespace crosswarp
