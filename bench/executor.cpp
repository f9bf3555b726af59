// Cells in this process, and the choice between the two executors.
#include "bench/executor.hpp"

#include "bench/options.hpp"
#include "bench/ranks_executor.hpp"
#include "bench/workers.hpp"

namespace crosswarp {

InProcess::InProcess(const Options& options) : runner(options.run), counters_(options.counters) {}

const DeviceStatus& InProcess::status(const Backend& backend, std::size_t ranks) {
  const auto [found, is_new] = statuses_.try_emplace({backend.name(), ranks});
  if (is_new) {
    const Runner::OpenDevice opened = runner.device(backend, ranks);
    if (opened.device)
      found->second = {opened.device->info(), {}, opened.device->free_memory()};
    else
      found->second.why_not = opened.why_not;
  }
  return found->second;
}

double InProcess::measured_bandwidth(const Backend& backend) {
  Device* device = runner.device(backend).device;
  return device ? runner.measured_bandwidth(*device) : 0;
}

std::optional<double> InProcess::used_by_others(const Backend& backend) {
  Device* device = runner.device(backend).device;
  return device ? device->used_by_others() : std::nullopt;
}

void add_accuracy(Executor& executor, std::vector<Result>& results) {
  std::vector<Result> wanted;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].status == Status::ok && !results[i].accuracy) {
      wanted.push_back(results[i]);
      indices.push_back(i);
    }
  if (!wanted.empty()) executor.accuracy(wanted);
  for (std::size_t k = 0; k < indices.size(); ++k) results[indices[k]].accuracy = std::move(wanted[k].accuracy);
}

std::unique_ptr<Executor> make_executor(const Options& options) {
  if (options.run.processes) return std::make_unique<RanksExecutor>(options);
  // A profiler follows the process that it started.
  if (options.in_process || !options.run.why_untimed.empty()) return std::make_unique<InProcess>(options);
  return std::make_unique<Workers>(options);
}

}  // namespace crosswarp
