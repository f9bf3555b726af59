// Runs cells: in this process, or in workers that survive a faulting kernel (bench/workers.hpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/runner.hpp"

namespace crosswarp {

struct Options;

/// A backend's device, opened.
struct DeviceStatus {
  std::optional<DeviceInfo> device;
  std::string why_not;          ///< The reason for no device.
  std::size_t free_memory = 0;  ///< Bytes, at the time of opening.
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// With `ranks` > 1, of the group of as many.
  virtual const DeviceStatus& status(const Backend& backend, std::size_t ranks = 1) = 0;
  /// Runner::measured_bandwidth of the backend's device; 0 without a device.
  virtual double measured_bandwidth(const Backend& backend) = 0;
  /// Device::used_by_others of the backend's device; nothing without a device.
  virtual std::optional<double> used_by_others(const Backend& backend) = 0;
  virtual Result verify(const Cell& cell) = 0;
  /// Runner::run. Empty after an interruption by the user.
  virtual std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                                  LaunchBy launch_by, const StopRule& stop) = 0;
  /// Runner::count of the counters in the options.
  virtual void count(std::vector<Result>& results) = 0;
  /// Runner::energy of the results that have a time.
  virtual void energy(std::vector<Result>& results) = 0;
  /// Runner::accuracy of the results that are ok.
  virtual void accuracy(std::vector<Result>& results) = 0;
  /// Why no further cell can run, although the run is not interrupted; empty while it can.
  virtual std::string why_over() const { return {}; }
  /// After the last cell. False if a worker failed outside of any cell, or if this process must exit without waiting
  /// for its device.
  virtual bool end() = 0;

  std::function<void(const Position&)> watch;  ///< Called a few times per second, by workers only.
};

/// Runs cells in this process. A fault ends the process; a lost device fails all later cells.
class InProcess final : public Executor {
 public:
  explicit InProcess(const Options& options);
  const DeviceStatus& status(const Backend& backend, std::size_t ranks = 1) override;
  double measured_bandwidth(const Backend& backend) override;
  std::optional<double> used_by_others(const Backend& backend) override;
  Result verify(const Cell& cell) override { return runner.verify(cell); }
  std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                          LaunchBy launch_by, const StopRule& stop) override {
    return runner.run(cells, mode, backends, launch_by, stop);
  }
  void count(std::vector<Result>& results) override { runner.count(results, counters_); }
  void energy(std::vector<Result>& results) override { runner.energy(results); }
  void accuracy(std::vector<Result>& results) override { runner.accuracy(results); }
  bool end() override { return !runner.lost_device(); }

  Runner runner;

 private:
  std::map<std::pair<std::string, std::size_t>, DeviceStatus> statuses_;  // by backend and ranks
  std::vector<const Counter*> counters_;
};

/// Adds accuracy to the results that are ok and have none yet. All of one experiment and point.
void add_accuracy(Executor& executor, std::vector<Result>& results);

/// Workers, or InProcess for --in-process and under a profiler.
std::unique_ptr<Executor> make_executor(const Options& options);

}  // namespace crosswarp
