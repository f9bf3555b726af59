// Cells in this very process; and who is asked to run them.
#include "bench/executor.hpp"

#include "bench/options.hpp"
#include "bench/workers.hpp"

namespace crosswarp {

InProcess::InProcess(const Options& options) : runner(options.run), counters_(options.counters) {}

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

std::unique_ptr<Executor> make_executor(const Options& options) {
  // A profiler watches the process that it started, and times nothing that could be lost.
  if (options.in_process || !options.run.why_untimed.empty()) return std::make_unique<InProcess>(options);
  return std::make_unique<Workers>(options);
}

}  // namespace crosswarp
