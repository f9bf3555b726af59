// From the command line to one function per action, and its exit code.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <set>

#include "bench/compact_results.hpp"
#include "bench/executor.hpp"
#include "bench/interrupt.hpp"
#include "bench/last_runs.hpp"
#include "bench/listing.hpp"
#include "bench/load.hpp"
#include "bench/measure_ceilings.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/profiler.hpp"
#include "bench/ranks_executor.hpp"
#include "bench/report/compare/compare.hpp"
#include "bench/report/folder_check.hpp"
#include "bench/report/output.hpp"
#include "bench/report/report.hpp"
#include "bench/resume.hpp"
#include "bench/run.hpp"
#include "bench/stored_results.hpp"
#include "bench/worker.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "core/processes.hpp"
#include "core/rank_server.hpp"
#include "core/remote_rank.hpp"

namespace crosswarp {
namespace {

constexpr int exit_bad_result = 1;
constexpr int exit_bad_request = 2;

void load_modules(const std::vector<std::string>& arguments) {
  const ModuleRequest request = module_request(arguments);
  for (const std::string& path : request.paths) load_module(path, request.hang_limit);
}

/// Loads modules, parses, and adds the arguments of the run that --resume continues.
Options read_command_line(std::vector<std::string> arguments) {
  load_modules(arguments);
  Options options = parse(arguments);
  if (options.worker.empty() && !options.resume.empty()) {
    if (options.resumes_last_run) {
      options.resume = last_run("--resume");
      std::ranges::replace(arguments, "--resume", "--resume=" + options.resume);
    }
    arguments = resumed(arguments, read_request(options.resume));
    load_modules(arguments);
    options = parse(arguments);
  }
  options.run.why_untimed = profiler_attached();
  options.run.profile_command = [options](const Cell& cell, Mode mode) { return profile_command(options, cell, mode); };
  options.run.ceilings = Ceilings::of_this_machine();
  // Tunings that are named are meant.
  if (options.filter.tunings.empty() && options.cells.empty())
    options.run.tunings = TuningTable(TuningTable::file_of_user());
  return options;
}

/// Checks all files of a command before any work is done: outputs can be written, and are neither inputs nor each
/// other.
void check_files(const Options& options) {
  using Action = Options::Action;
  const bool is_run = options.action == Action::run, replaces = options.force_overwrite;
  const bool has_own_results = options.json == options.resume || !has_results(options.json);
  if (is_run && !replaces && !options.json.empty() && !has_own_results)
    throw Error(fmt::format(
        "--json {0}: has results already; --resume {0} continues their run, --force-overwrite replaces them",
        options.json));
  std::vector<NamedFile> files;
  const auto add = [&](const char* option, const std::string& path, bool is_output, bool may_exist) {
    if (path.empty()) return;
    files.push_back({option, path, is_output});
    if (is_output) OutputFile(option, path, may_exist ? Existing::replace : Existing::refuse);
  };
  add("--cells", options.cells, false, true);
  for (const auto* inputs : {&options.report.inputs, &options.comparison.inputs, &options.modules})
    for (const std::string& path : *inputs) add("", path, false, true);
  add("-o", options.report.output, true, true);
  add("-o", options.comparison.output, true, true);
  add("--json", options.json, true, replaces || options.json == options.resume);
  if (is_run && !options.json.empty()) add("--json", journal_of(options.json), true, true);
  add("--output", options.tuning_output, true, true);
  add("--csv", options.csv, true, replaces || !options.resume.empty());
  if (is_run)
    add("--benchmark_out", options.benchmark_flag("--benchmark_out"), true, replaces || !options.resume.empty());
  if (options.tunes) {
    const std::string table = options.tuning_output.empty() ? TuningTable::file_of_user() : options.tuning_output;
    if (const std::string problem = TuningTable(table).problem(); !problem.empty())
      throw Error(fmt::format("tune: {}; name another file by --output, or move it away", problem));
  }
  require_distinct(files);
  for (const auto& [option, path, is_output] : files)
    if (is_output && option != "--json" && (is_growing(path) || is_growing(journal_of(path))))
      throw Error(fmt::format("{} {}: another run is writing it", option, path));
  for (const std::string& page : {options.report.output, options.comparison.output})
    if (!page.empty() && is_results_file(page)) throw Error(fmt::format("-o {}: holds results of bench --json", page));
}

/// Takes the last runs where report or compare names no file, and says which.
void take_last_runs(Options& options) {
  using Action = Options::Action;
  const bool reports = options.action == Action::report, compares = options.action == Action::compare;
  std::vector<std::string>& inputs = reports ? options.report.inputs : options.comparison.inputs;
  if ((!reports && !compares) || !inputs.empty()) return;
  if (compares && options.comparison.backends.empty())
    inputs = last_comparable_results("compare");
  else
    inputs = {last_results(reports ? "report" : "compare")};
  say(fmt::format("takes {}", fmt::join(inputs, " and ")));
}

/// The processes of a launcher, of one build. Null for one process.
class Launched {
 public:
  Launched() : processes(joined_processes()) {}
  ~Launched() {
    if (!processes) return;
    if (is_first()) dismiss_ranks(*processes);
    processes->finish();
  }
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;
  bool is_first() const { return !processes || processes->rank() == 0; }

  Processes* const processes;
};

/// All that other processes than the first do.
int serve_first(Processes& processes, const std::vector<std::string>& arguments) {
  load_modules(arguments);
  serve_rank(processes);
  return 0;
}

/// Whether main() has its exit code. An earlier exit(0), called by a module or a driver, is a failure.
bool has_ended = false;

const pid_t this_process = getpid();

void refuse_foreign_exit(int status, void*) {
  if (has_ended || status != 0 || getpid() != this_process) return;  // a child process may exit
  std::cerr << "bench: exit() was called by a module or library\n" << std::flush;
  std::_Exit(exit_bad_request);
}

/// Opens closed standard streams: else the next file to open would get their descriptors, and their text.
void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int run_or_verify(const Options& options) {
  if (const std::string& problem = options.run.ceilings.problem(); !problem.empty())
    say(printable(problem) + "; ignored");
  if (const std::string& problem = options.run.tunings.problem(); !problem.empty())
    say(printable(problem) + "; ignored");
  const std::unique_ptr<Executor> executor = make_executor(options);
  const Plan what = plan(options, *executor);
  const int code = options.action == Options::Action::verify ? print_verdicts(what, *executor, options.accuracy)
                                                             : run_benchmarks(options, what, *executor);
  if (executor->end()) return code;
  // Destructors would wait for a lost device.
  const bool is_printed = static_cast<bool>(std::cout << std::flush);
  _exit(!is_printed ? exit_bad_request : code ? code : exit_bad_result);
}

int dry_run(const Options& options) {
  InProcess here(options);
  print_plan(plan(options, here), here.runner);
  return 0;
}

int list(const Options& options) {
  options.json.empty() ? print_list(options.filter) : write_list(options.filter, options.json);
  return 0;
}

/// Stores a file of results compactly, in its place. Throws Error where it is none.
void store(const std::string& path) {
  if (path.ends_with(".journal"))
    throw Error(fmt::format("store {}: is the journal of a run, which --resume continues; name its file", path));
  const std::string newest = newest_of(path);
  read_results(newest);  // throws where a report of it would
  const StoredResults results = read_stored(newest);
  write_compact(results, path);
  say(fmt::format("stored {} rows in {}", results.rows.size(), path));
}

int compare(const CompareOptions& options) {
  if (options.backends.empty()) return compare_runs(options) ? 0 : exit_bad_result;
  return compare_backends(options), 0;
}

int act(Options options) {
  if (!options.worker.empty()) return serve(options);
  take_last_runs(options);
  check_files(options);
  switch (options.action) {
    case Options::Action::run:
    case Options::Action::verify:
      return run_or_verify(options);
    case Options::Action::list:
      return list(options);
    case Options::Action::dry_run:
      return dry_run(options);
    case Options::Action::profile:
      return profile_cell(options);
    case Options::Action::devices:
      return print_devices(), 0;
    case Options::Action::measure:
      return measure_ceilings(options), 0;
    case Options::Action::report:
      if (options.report.check) return check_folder(options.report.inputs.front()) ? 0 : exit_bad_result;
      return write_report(options.report), 0;
    case Options::Action::store:
      for (const std::string& path : options.to_store) store(path);
      return 0;
    case Options::Action::compare:
      return compare(options.comparison);
    case Options::Action::explain_counters:
      return print_counters(), 0;
    case Options::Action::print_text:
      std::cout << options.text;
  }
  return 0;
}

}  // namespace
}  // namespace crosswarp

int main(int argc, char** argv) {
  using namespace crosswarp;
  hold_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // write() then reports a file size limit, like a full disk
  on_exit(refuse_foreign_exit, nullptr);
  int code = exit_bad_request;
  try {
    const std::vector<std::string> arguments(argv, argv + argc);
    const Launched launched;
    if (launched.processes) require_one_build(*launched.processes);
    code = launched.is_first() ? act(read_command_line(arguments)) : serve_first(*launched.processes, arguments);
    // Output that was lost is no success.
    if (!(std::cout << std::flush) && !interrupted()) throw Error("standard output cannot be written");
  } catch (const std::exception& error) {
    code = exit_bad_request;
    say(printable(error.what()));
  }
  has_ended = true;
  return code;
}
