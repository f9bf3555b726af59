// Who runs cells: this process, or workers that a faulting kernel may end (bench/workers.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/runner.hpp"

namespace crosswarp {

struct Options;

/// Where a backend's cells run.
struct Seat {
  std::optional<DeviceInfo> device;
  std::string why_not;          ///< Why there is no device.
  std::size_t free_memory = 0;  ///< Bytes, when it was opened.
};

class Executor {
 public:
  virtual ~Executor() = default;

  virtual const Seat& seat(const Backend& backend) = 0;
  /// Runner::measured_bandwidth of the backend's device; 0 where there is none.
  virtual double measured_bandwidth(const Backend& backend) = 0;
  virtual Result verify(const Cell& cell) = 0;
  /// Runner::run. Empty where the user ended it.
  virtual std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                                  LaunchBy launch_by) = 0;
  /// Runner::count of the counters that were asked for.
  virtual void count(std::vector<Result>& results) = 0;
  /// Runner::accuracy, of results that are ok.
  virtual void accuracy(std::vector<Result>& results) = 0;
  /// No more cells come. False where something went wrong that no cell is to blame for, or where this process must end
  /// without waiting for its device.
  virtual bool end() = 0;

  std::function<void(const Position&)> watch;  ///< Called a few times a second, where something can.
};

/// Runs cells where it is called. A fault ends the process, and a lost device fails all that come after.
class InProcess final : public Executor {
 public:
  explicit InProcess(const Options& options);
  const Seat& seat(const Backend& backend) override;
  double measured_bandwidth(const Backend& backend) override;
  Result verify(const Cell& cell) override { return runner.verify(cell); }
  std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                          LaunchBy launch_by) override {
    return runner.run(cells, mode, backends, launch_by);
  }
  void count(std::vector<Result>& results) override { runner.count(results, counters_); }
  void accuracy(std::vector<Result>& results) override { runner.accuracy(results); }
  bool end() override { return !runner.lost_device(); }

  Runner runner;

 private:
  std::map<std::string, Seat> seats_;
  std::vector<const Counter*> counters_;
};

/// Adds accuracy to all that are ok and have none yet. All of one experiment and point.
void add_accuracy(Executor& executor, std::vector<Result>& results);

/// Workers, unless the user or a profiler wants a single process.
std::unique_ptr<Executor> make_executor(const Options& options);

}  // namespace crosswarp
