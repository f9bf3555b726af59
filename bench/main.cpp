// The command line's way in, and its exit codes.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <set>

#include "bench/executor.hpp"
#include "bench/interrupt.hpp"
#include "bench/listing.hpp"
#include "bench/measure_ceilings.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/report/compare.hpp"
#include "bench/report/report.hpp"
#include "bench/shell.hpp"
#include "bench/stored_results.hpp"
#include "bench/worker.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"

namespace crosswarp {
namespace {

constexpr int exit_bad_result = 1;
constexpr int exit_bad_request = 2;

/// Refuses what cannot be read and written in one command, before any work is done.
void check_files(const Options& options) {
  using Action = Options::Action;
  const bool is_run = options.action == Action::run, replaces = options.force_overwrite;
  const bool has_own_results = options.json == options.resume || !has_results(options.json);
  if (is_run && !replaces && !options.json.empty() && !has_own_results)
    throw Error(fmt::format(
        "--json {0}: has results already; --resume {0} goes on with their run, --force-overwrite replaces them",
        options.json));
  std::vector<NamedFile> files;
  const auto add = [&](const char* option, const std::string& path, bool is_output, bool may_exist) {
    if (path.empty()) return;
    files.push_back({option, path, is_output});
    if (is_output) OutputFile(option, path, may_exist ? Existing::replace : Existing::refuse);
  };
  for (const auto* inputs : {&options.report.inputs, &options.comparison.inputs, &options.modules})
    for (const std::string& path : *inputs) add("", path, false, true);
  add("-o", options.report.output, true, true);
  add("-o", options.comparison.output, true, true);
  add("--json", options.json, true, replaces || options.json == options.resume);
  if (is_run && !options.json.empty()) add("--json", journal_of(options.json), true, true);
  add("--csv", options.csv, true, replaces || !options.resume.empty());
  require_distinct(files);
}

/// Until main() has its own exit code, an exit() that something else calls (a module's code, a driver) is no success.
bool has_ended = false;

const pid_t this_process = getpid();

void refuse_foreign_exit(int status, void*) {
  if (has_ended || status != 0 || getpid() != this_process) return;  // children may end as they like
  std::cerr << "bench: ended by an exit() that is not its own\n" << std::flush;
  std::_Exit(exit_bad_request);
}

/// Descriptors that the caller closed would go to the next file that is opened, and get what is printed.
void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void note_former_names(const Filter& filter) {
  std::set<std::string> notes;  // several backends may have the variant
  for (const VariantEntry* variant : Registry::instance().selected_by_former_name(filter))
    notes.insert(fmt::format("bench: --variant {} is now called {}\n", variant->formerly, variant->name));
  for (const std::string& note : notes) std::cerr << note;
}

int act(const Options& options) {
  using Action = Options::Action;
  if (options.action == Action::nothing) return 0;
  if (!options.worker.empty()) return serve(options);
  check_files(options);
  note_former_names(options.filter);
  if (options.action == Action::list) {
    if (options.json.empty()) return print_list(options.filter), 0;
    return write_list(options.filter, options.json), 0;
  }
  if (options.action == Action::devices) return print_devices(), 0;
  if (options.action == Action::measure) return measure_ceilings(options), 0;
  if (options.action == Action::report) return write_report(options.report), 0;

  if (options.action == Action::compare) {
    if (options.comparison.backends.empty()) return compare_runs(options.comparison) ? 0 : exit_bad_result;
    return compare_backends(options.comparison), 0;
  }

  if (options.action == Action::profile || options.action == Action::dry_run) {
    InProcess here(options);
    if (options.action == Action::profile) return profile_cell(options, here.runner);
    return print_plan(plan(options, here), here.runner), 0;
  }
  const std::unique_ptr<Executor> executor = make_executor(options);
  const Plan what = plan(options, *executor);
  const int code = options.action == Action::verify ? print_verdicts(what, *executor, options.accuracy)
                                                    : run_benchmarks(options, what, *executor);
  if (!executor->end()) {  // destructors would wait for a device that never answers
    const bool is_said = static_cast<bool>(std::cout << std::flush);
    _exit(!is_said ? exit_bad_request : code ? code : exit_bad_result);
  }
  return code;
}

}  // namespace
}  // namespace crosswarp

int main(int argc, char** argv) {
  using namespace crosswarp;
  hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of the file size is an error of write(), like a full disk
  on_exit(refuse_foreign_exit, nullptr);
  int code = exit_bad_request;
  try {
    code = act(parse(argc, argv));
    // What nobody could read must not look like a success.
    if (!(std::cout << std::flush) && !interrupted()) throw Error("standard output cannot be written");
  } catch (const std::exception& error) {
    code = exit_bad_request;
    std::cerr << "bench: " << printable(error.what()) << "\n";
  }
  has_ended = true;
  return code;
}
