// Facts of the build, the command line and the devices, as text.
#include "bench/context.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <set>
#include <thread>

#include "bench/version.hpp"
#include "core/host_device.hpp"

namespace crosswarp {
namespace {

constexpr double busy = 0.1;  // share of a device: on a host it lengthens a launch on all cores by as much, or more

std::string prefix_of(const DeviceInfo& info) { return "device." + info.key + "."; }

void add_device(Context& context, const DeviceInfo& info) {
  const std::string prefix = prefix_of(info);
  for (const auto& [what, is] : info.versions) context[prefix + what] = is;
  context[prefix + "name"] = info.name;
  context[prefix + "architecture"] = info.architecture;
  context[prefix + "memory_bytes"] = std::to_string(info.memory);
  context[prefix + "cache_bytes"] = std::to_string(info.cache);
  context[prefix + "compute_units"] = std::to_string(info.compute_units);
  if (info.clock > 0) context[prefix + "clock_mhz"] = fmt::format("{:.0f}", info.clock / 1e6);
  if (info.peak("memory") > 0)
    context[prefix + "theoretical_bytes_per_second"] = fmt::format("{:.4g}", info.peak("memory"));
}

}  // namespace

Context context_of(const Options& options, const Plan& plan, Executor& executor) {
  std::array<char, 256> host_name{};
  gethostname(host_name.data(), host_name.size() - 1);
  const DeviceInfo host = host_device_info();
  Context context{{"date", fmt::format("{:%FT%T+00:00}", fmt::gmtime(std::time(nullptr)))},
                  {"host_name", host_name.data()},
                  {"executable", std::filesystem::path(options.program).filename()},
                  {"library", "crosswarp"},
                  {"version", version()},
                  {"commit", commit()},
                  {"library_build_type", build_type()},
                  {"flags", flags()},
                  {"cpu", host.name},
                  {"cpus", std::to_string(std::thread::hardware_concurrency())},
                  {"host_kernel", host.versions.at("kernel")},
                  {"seed", std::to_string(options.run.seed)},
                  {"min_time_s", fmt::format("{}", options.run.stop.min_time)},
                  {"precision", fmt::format("{}", options.run.stop.precision)},
                  {"placements", std::to_string(options.run.stop.placements)},
                  {"request", options.request}};
  std::string backends;
  for (const std::string& name : plan.backends) {
    backends += (backends.empty() ? "" : ",") + name;
    const Backend& backend = Registry::instance().backend(name);
    for (const auto& [what, is] : backend.versions()) context[what] = is;
    std::set<std::size_t> groups{1};
    for (const Group& group : plan.groups)
      for (const Cell& cell : group.cells)
        if (cell.backend == &backend) groups.insert(cell.experiment->ranks(cell.point));
    for (const std::size_t ranks : groups)
      if (const DeviceStatus& status = executor.status(backend, ranks); status.device)
        add_device(context, *status.device);
  }
  context["backends"] = backends;
  return context;
}

void add_measured_bandwidths(Context& context, const Options& options, const Plan& plan, Executor& executor) {
  if (!options.run.why_untimed.empty()) return;
  for (const std::string& name : plan.backends) {
    const Backend& backend = Registry::instance().backend(name);
    const DeviceStatus& status = executor.status(backend);
    if (!status.device) continue;
    std::string& fact = context[prefix_of(*status.device) + "measured_bytes_per_second"];
    if (fact.empty()) fact = fmt::format("{:.4g}", executor.measured_bandwidth(backend));
  }
}

std::string warning_of_use(const DeviceInfo& device, std::optional<double> by_others) {
  if (by_others.value_or(0) < busy) return {};
  return fmt::format("other processes use {:.0f} % of {}: stop them, or times are noisy", 100 * *by_others,
                     device.name);
}

std::vector<std::string> add_use_by_others(Context& context, const std::string& when, const Plan& plan,
                                           Executor& executor) {
  std::vector<std::string> warnings;
  for (const std::string& name : plan.backends) {
    const Backend& backend = Registry::instance().backend(name);
    const DeviceStatus& status = executor.status(backend);
    if (!status.device) continue;
    const auto [fact, is_new] = context.try_emplace(prefix_of(*status.device) + "used_by_others_" + when);
    if (!is_new) continue;  // another backend's device, too
    const std::optional<double> share = executor.used_by_others(backend);
    if (!share) {
      context.erase(fact);
      continue;
    }
    fact->second = fmt::format("{:.2f}", *share);
    if (std::string warning = warning_of_use(*status.device, share); !warning.empty())
      warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace crosswarp
