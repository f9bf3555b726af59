// Cells in this very process; and who is asked to run them.
#include "bench/executor.hpp"

#include "bench/options.hpp"
#include "bench/workers.hpp"

namespace crosswarp {

namespace {

RunOptions with_ceilings(RunOptions run) {
  run.ceilings = Ceilings::of_this_machine();
  return run;
}

}  // namespace

InProcess::InProcess(const Options& options) : runner(with_ceilings(options.run)), counters_(options.counters) {}

const Seat& InProcess::seat(const Backend& backend) {
  const auto [found, is_new] = seats_.try_emplace(backend.name());
  if (is_new) {
    const Runner::Place place = runner.place(backend);
    if (place.device)
      found->second = {place.device->info(), {}, place.device->free_memory()};
    else
      found->second.why_not = place.why_not;
  }
  return found->second;
}

double InProcess::measured_bandwidth(const Backend& backend) {
  Device* device = runner.place(backend).device;
  return device ? runner.measured_bandwidth(*device) : 0;
}

void add_accuracy(Executor& executor, std::vector<Result>& results) {
  std::vector<Result> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].status == Status::ok && !results[i].accuracy) {
      wanted.push_back(results[i]);
      places.push_back(i);
    }
  if (!wanted.empty()) executor.accuracy(wanted);
  for (std::size_t k = 0; k < places.size(); ++k) results[places[k]].accuracy = std::move(wanted[k].accuracy);
}

std::unique_ptr<Executor> make_executor(const Options& options) {
  // A profiler watches the process that it started, and times nothing that could be lost.
  if (options.in_process || !options.run.why_untimed.empty()) return std::make_unique<InProcess>(options);
  return std::make_unique<Workers>(options);
}

}  // namespace crosswarp
