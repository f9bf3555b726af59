// The worker's last position identifies the failing cell.
#include "bench/workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "bench/interrupt.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr int poll_interval = 250;  // milliseconds

Result to_be_run(const Cell& cell, Mode mode = Mode::cold, LaunchBy launch_by = LaunchBy::stream) {
  Result result;
  result.cell = cell;
  result.mode = mode;
  result.launch_by = launch_by;
  if (cell.variant->not_expressible.empty()) result.cost = cell.experiment->cost(cell.point);
  return result;
}

void fail_result(Result& result, const std::string& why) {
  result.status = Status::failed;
  result.note = why;
}

}  // namespace

Workers::Workers(const Options& options) : options_(options) {}

/// The worker of a device, or any worker for an empty key. A worker without a device takes the first key asked for.
Workers::WorkerEntry Workers::worker_for(const std::string& key) {
  WorkerEntry found = key.empty() ? workers_.begin() : workers_.find(key);
  if (found == workers_.end())
    if (auto idle = workers_.extract(""); !idle.empty()) {
      idle.key() = key;
      found = workers_.insert(std::move(idle)).position;
    }
  if (found == workers_.end()) found = workers_.emplace(key, nullptr).first;
  if (!found->second || !found->second->is_alive()) found->second = std::make_unique<Worker>(options_.arguments);
  return found;
}

/// Asks a second time if the worker died outside of any cell: something else may have killed it.
Workers::Answer Workers::ask(const std::string& key, const Message& request) {
  for (bool again = false;; again = true) {
    const WorkerEntry entry = worker_for(key);
    Worker& worker = *entry->second;
    worker.position().enter(Position::none);
    worker.position().placement = 0;
    worker.channel().send(request);  // wait_for() notices a worker that is gone
    Answer answer = wait_for(worker);
    if (answer.message) return answer;
    workers_.erase(entry);
    if (again || interrupted() || answer.culprit != Position::none) return answer;
  }
}

Workers::Answer Workers::wait_for(Worker& worker) {
  const auto now = std::chrono::steady_clock::now;
  double silence = 0;  // seconds without progress
  std::uint64_t steps = worker.position().steps;
  for (;;) {
    const auto began = now();
    const bool is_there = worker.channel().wait(poll_interval);
    const Position& position = worker.position();
    if (auto message = worker.channel().next()) {
      if (!message->head.contains("lost")) return {std::move(message), {}, Position::none};
      return {{}, message->head.at("lost"), position.cell};
    }
    if (interrupted()) return {{}, "interrupted", Position::none};
    if (!is_there) {
      const std::string how = worker.how_it_ended();
      return {{}, "ended its process: " + (how.empty() ? "exit code 0" : how), position.cell};
    }
    if (watch) watch(position);
    // A suspended machine or program is no hang.
    silence += std::min(std::chrono::duration<double>(now() - began).count(), 4e-3 * poll_interval);
    if (position.steps != steps) silence = 0;
    steps = position.steps;
    if (silence > options_.hang_limit)
      return {{}, fmt::format("hung: no sign of life for {:g} s (--hang-limit)", options_.hang_limit), position.cell};
  }
}

const DeviceStatus& Workers::status(const Backend& backend, std::size_t ranks) {
  const std::string name = backend.name();
  const auto [found, is_new] = statuses_.try_emplace({name, ranks});
  DeviceStatus& status = found->second;
  if (!is_new) return status;
  if (!keys_.contains(name))
    if (const Answer key = ask("", {{{"do", "device_key"}, {"backend", name}}, {}}); key.message)
      keys_[name] = key.message->head.at("key");
  const Answer opened = ask(keys_[name], {{{"do", "status"}, {"backend", name}, {"ranks", ranks}}, {}});
  if (!opened.message) {
    status.why_not = opened.why;
    return status;
  }
  const nlohmann::ordered_json& head = opened.message->head;
  status.why_not = head.at("why_not");
  status.free_memory = head.at("free_memory");
  if (head.contains("device")) status.device = device_info(head.at("device"));
  return status;
}

double Workers::measured_bandwidth(const Backend& backend) {
  if (!status(backend).device) return 0;
  const Answer answer = ask(keys_[backend.name()], {{{"do", "bandwidth"}, {"backend", backend.name()}}, {}});
  if (!answer.message) return 0;
  return bandwidths_[keys_[backend.name()]] = answer.message->head.at("value");
}

std::optional<double> Workers::used_by_others(const Backend& backend) {
  if (!status(backend).device) return {};
  const Answer answer = ask(keys_[backend.name()], {{{"do", "used_by_others"}, {"backend", backend.name()}}, {}});
  if (!answer.message || !answer.message->head.contains("value")) return {};
  return answer.message->head.at("value").get<double>();
}

/// Completes the device, of which a result's line has only the name.
void Workers::restore_device(Result& result) {
  const auto& device = status(*result.cell.backend, result.cell.experiment->ranks(result.cell.point)).device;
  if (device && (result.status != Status::skipped || !result.device.name.empty())) result.device = *device;
}

/// Sends the request to each result's device and stores the answers in `results`; empty after an interruption. A result
/// whose cell ended its worker is marked by `fail`, and the others of that device are asked for again.
void Workers::ask_for_each(std::vector<Result>& results, const nlohmann::ordered_json& head, const Fail& fail) {
  std::map<std::string, std::vector<std::size_t>> by_device;  // indices of results
  for (std::size_t i = 0; i < results.size(); ++i) {
    status(*results[i].cell.backend);
    by_device[keys_[results[i].cell.backend->name()]].push_back(i);
  }
  const auto fail_at = [&](std::size_t i, const std::string& why) {
    fail(results[i], why);
    restore_device(results[i]);
  };
  for (auto& [key, indices] : by_device)
    while (!indices.empty()) {
      Message request{head, {}};
      if (const auto known = bandwidths_.find(key); known != bandwidths_.end())
        request.head["bandwidth"] = {{"key", key}, {"value", known->second}};
      for (const std::size_t i : indices) request.results.push_back(results[i]);
      Answer answer = ask(key, request);
      if (answer.message) {
        for (std::size_t k = 0; k < indices.size(); ++k) {
          results[indices[k]] = std::move(answer.message->results.at(k));
          restore_device(results[indices[k]]);
        }
        break;
      }
      if (interrupted()) return results.clear();
      if (answer.culprit >= indices.size()) {
        for (const std::size_t i : indices) fail_at(i, answer.why);
        break;
      }
      fail_at(indices[answer.culprit], answer.why);
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(answer.culprit));
    }
}

std::vector<Result> Workers::run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                                 LaunchBy launch_by, const StopRule& stop) {
  std::vector<Result> results;
  for (const Cell& cell : cells) results.push_back(to_be_run(cell, mode, launch_by));
  ask_for_each(results, {{"do", "run"}, {"backends", backends}, {"stop", to_json(stop)}}, fail_result);
  return results;
}

Result Workers::verify(const Cell& cell) {
  std::vector<Result> results{to_be_run(cell)};
  ask_for_each(results, {{"do", "verify"}}, fail_result);
  return results.empty() ? to_be_run(cell) : results.front();
}

void Workers::count(std::vector<Result>& results) {
  std::vector<Result> counted = results;
  ask_for_each(counted, {{"do", "count"}}, [](Result& result, const std::string& why) {
    result.counters = Counters{.counts = {}, .kernels = {}, .why_not = why};
  });
  if (!counted.empty()) results = std::move(counted);
}

void Workers::energy(std::vector<Result>& results) {
  std::vector<Result> measured = results;
  ask_for_each(measured, {{"do", "energy"}},
               [](Result& result, const std::string& why) { result.energy.emplace().why_not = why; });
  if (!measured.empty()) results = std::move(measured);
}

void Workers::accuracy(std::vector<Result>& results) {
  std::vector<Result> measured = results;
  ask_for_each(measured, {{"do", "accuracy"}},
               [](Result& result, const std::string& why) { result.accuracy = Accuracy{.on = {}, .why_not = why}; });
  if (!measured.empty()) results = std::move(measured);
}

bool Workers::end() {
  bool well = true;
  for (auto& [key, worker] : workers_) {
    if (interrupted()) continue;  // destructors kill them
    const std::string how = worker->dismiss();
    if (!how.empty()) std::cerr << fmt::format("bench: a worker failed after its last cell: {}\n", how);
    well = well && how.empty();
  }
  workers_.clear();
  return well;
}

}  // namespace crosswarp
