// The command line's way in, and its exit codes.
#include <unistd.h>

#include <iostream>

#include "bench/ceilings.hpp"
#include "bench/executor.hpp"
#include "bench/listing.hpp"
#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "bench/report/compare.hpp"
#include "bench/report/report.hpp"
#include "bench/shell.hpp"
#include "bench/worker.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr int exit_bad_result = 1;
constexpr int exit_bad_request = 2;

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

  if (!options.worker.empty()) return serve(options);
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
    std::cout << std::flush;
    _exit(code ? code : exit_bad_result);
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
