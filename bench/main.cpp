// The command line's way in, and its exit codes.
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "bench/ceilings.hpp"
#include "bench/listing.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/report/compare.hpp"
#include "bench/report/report.hpp"
#include "bench/shell.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr int exit_bad_result = 1;
constexpr int exit_bad_request = 2;

/// A fault in host code ends the process. Results so far are in the journal; this says so in one line.
void on_fault(int signal) {
  const char text[] =
      "bench: failed: a kernel on the host faulted and ended the run; what was finished is in the journal of --json\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
  std::signal(signal, SIG_DFL);
  _exit(exit_bad_result);
}

int act(const Options& options) {
  using Action = Options::Action;
  if (options.action == Action::nothing) return 0;
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

  Runner runner(options.run);
  if (options.action == Action::profile) return profile_cell(options, runner);
  const Plan what = plan(options, runner);
  if (options.action == Action::dry_run) return print_plan(what, runner), 0;
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(fault, on_fault);
  const int code =
      options.action == Action::verify ? print_verdicts(what, runner) : run_benchmarks(options, what, runner);
  if (runner.lost_device()) {  // destructors would wait for a device that never answers
    std::cout << std::flush;
    _exit(exit_bad_result);
  }
  return code;
}

}  // namespace
}  // namespace crosswarp

int main(int argc, char** argv) {
  try {
    return crosswarp::act(crosswarp::parse(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << "\n";
    return crosswarp::exit_bad_request;
  }
}
