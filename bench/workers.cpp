// What fails is told from what was only beside it by where the worker was when it died.
#include "bench/workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "bench/interrupt.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr int glance = 250;  // milliseconds between two looks at a worker

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

/// The one of a device, or any where `key` names none. One that has not opened any yet becomes that of the first.
Workers::Place Workers::place(const std::string& key) {
  Place found = key.empty() ? workers_.begin() : workers_.find(key);
  if (found == workers_.end())
    if (auto idle = workers_.extract(""); !idle.empty()) {
      idle.key() = key;
      found = workers_.insert(std::move(idle)).position;
    }
  if (found == workers_.end()) found = workers_.emplace(key, nullptr).first;
  if (!found->second || !found->second->is_alive()) found->second = std::make_unique<Worker>(options_.arguments);
  return found;
}

/// Asks once more where a worker died of no cell's doing, which may have come from outside.
Workers::Answer Workers::ask(const std::string& key, const Message& request) {
  for (bool again = false;; again = true) {
    const Place place = this->place(key);
    Worker& worker = *place->second;
    worker.position().enter(Position::nobody);
    worker.position().placement = 0;
    worker.channel().send(request);  // if it is gone, waiting tells
    Answer answer = wait_for(worker);
    if (answer.message) return answer;
    workers_.erase(place);
    if (again || interrupted() || answer.culprit != Position::nobody) return answer;
  }
}

Workers::Answer Workers::wait_for(Worker& worker) {
  const auto now = std::chrono::steady_clock::now;
  double silence = 0;  // seconds without a step
  std::uint64_t steps = worker.position().steps;
  for (;;) {
    const auto began = now();
    const bool is_there = worker.channel().wait(glance);
    const Position& position = worker.position();
    if (auto message = worker.channel().next()) {
      if (!message->head.contains("lost")) return {std::move(message), {}, Position::nobody};
      return {{}, message->head.at("lost"), position.cell};
    }
    if (interrupted()) return {{}, "interrupted", Position::nobody};
    if (!is_there) {
      const std::string how = worker.how_it_ended();
      return {{}, "ended its process: " + (how.empty() ? "exit code 0" : how), position.cell};
    }
    if (watch) watch(position);
    // A machine that slept, or a stopped program, is no hang.
    silence += std::min(std::chrono::duration<double>(now() - began).count(), 4e-3 * glance);
    if (position.steps != steps) silence = 0;
    steps = position.steps;
    if (silence > options_.hang_limit)
      return {{}, fmt::format("hung: no sign of life for {:g} s (--hang-limit)", options_.hang_limit), position.cell};
  }
}

const Seat& Workers::seat(const Backend& backend) {
  const std::string name = backend.name();
  const auto [found, is_new] = seats_.try_emplace(name);
  if (!is_new) return found->second;
  Seat& seat = found->second;
  const Answer where = ask("", {{{"do", "look"}, {"backend", name}}, {}});
  if (where.message) keys_[name] = where.message->head.at("key");
  const Answer opened = ask(keys_[name], {{{"do", "seat"}, {"backend", name}}, {}});
  if (!opened.message) {
    seat.why_not = opened.why;
    return seat;
  }
  const nlohmann::ordered_json& head = opened.message->head;
  seat.why_not = head.at("why_not");
  seat.free_memory = head.at("free_memory");
  if (head.contains("device")) seat.device = device_info(head.at("device"));
  return seat;
}

double Workers::measured_bandwidth(const Backend& backend) {
  if (!seat(backend).device) return 0;
  const Answer answer = ask(keys_[backend.name()], {{{"do", "bandwidth"}, {"backend", backend.name()}}, {}});
  if (!answer.message) return 0;
  return bandwidths_[keys_[backend.name()]] = answer.message->head.at("value");
}

/// Lines name the device; this adds what else is known of it.
void Workers::know_device(Result& result) {
  const Seat& where = seat(*result.cell.backend);
  if (where.device && (result.status != Status::skipped || !result.device.name.empty())) result.device = *where.device;
}

/// Puts the answers to `head` about `results` in their place: device by device, and again without the culprit for as
/// long as there is one. `fail` marks a result.
void Workers::settle(std::vector<Result>& results, const nlohmann::ordered_json& head,
                     const std::function<void(Result&, const std::string&)>& fail) {
  std::map<std::string, std::vector<std::size_t>> by_device;
  for (std::size_t i = 0; i < results.size(); ++i) {
    seat(*results[i].cell.backend);
    by_device[keys_[results[i].cell.backend->name()]].push_back(i);
  }
  for (auto& [key, places] : by_device)
    while (!places.empty()) {
      Message request{head, {}};
      if (const auto known = bandwidths_.find(key); known != bandwidths_.end())
        request.head["bandwidth"] = {{"key", key}, {"value", known->second}};
      for (const std::size_t i : places) request.results.push_back(results[i]);
      Answer answer = ask(key, request);
      if (answer.message) {
        for (std::size_t k = 0; k < places.size(); ++k) {
          results[places[k]] = answer.message->results.at(k);
          know_device(results[places[k]]);
        }
        break;
      }
      if (interrupted()) return results.clear();
      const auto fail_at = [&](std::size_t i) {
        fail(results[i], answer.why);
        know_device(results[i]);
      };
      if (answer.culprit < places.size()) {
        fail_at(places[answer.culprit]);
        places.erase(places.begin() + static_cast<std::ptrdiff_t>(answer.culprit));
      } else {
        for (const std::size_t i : places) fail_at(i);
        break;
      }
    }
}

std::vector<Result> Workers::run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                                 LaunchBy launch_by) {
  std::vector<Result> results;
  for (const Cell& cell : cells) results.push_back(to_be_run(cell, mode, launch_by));
  settle(results, {{"do", "run"}, {"backends", backends}}, fail_result);
  return results;
}

Result Workers::verify(const Cell& cell) {
  std::vector<Result> results{to_be_run(cell)};
  settle(results, {{"do", "verify"}}, fail_result);
  return results.empty() ? to_be_run(cell) : results.front();
}

void Workers::count(std::vector<Result>& results) {
  std::vector<Result> counted = results;
  settle(counted, {{"do", "count"}}, [](Result& result, const std::string& why) {
    result.counters = Counters{.counts = {}, .kernels = {}, .why_not = why};
  });
  if (!counted.empty()) results = std::move(counted);
}

void Workers::accuracy(std::vector<Result>& results) {
  std::vector<Result> measured = results;
  settle(measured, {{"do", "accuracy"}},
         [](Result& result, const std::string& why) { result.accuracy = Accuracy{.on = {}, .why_not = why}; });
  if (!measured.empty()) results = std::move(measured);
}

bool Workers::end() {
  bool well = true;
  for (auto& [key, worker] : workers_) {
    if (interrupted()) continue;  // they are ended as they are
    const std::string how = worker->dismiss();
    if (!how.empty()) std::cerr << fmt::format("bench: a worker ended badly after its last cell: {}\n", how);
    well = well && how.empty();
  }
  workers_.clear();
  return well;
}

}  // namespace crosswarp
