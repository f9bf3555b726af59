// Runs cells: prepares the problem, verifies, times side by side, verifies again.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ceilings.hpp"
#include "core/position.hpp"
#include "core/result.hpp"
#include "core/sampler.hpp"

namespace crosswarp {

struct RunOptions {
  std::size_t device = 0;  ///< The place in each backend's list.
  std::uint64_t seed = 1;
  StopRule stop = {};
  Ceilings ceilings = {};        ///< Measured by earlier runs; new ones are added. The memory's is not among them.
  std::string why_untimed = {};  ///< Why times would say nothing here (a profiler is attached): then none are kept.
  Position* position = nullptr;  ///< Noted before each launch, where somebody watches.
};

/// Opens devices as they are needed and keeps them. Cells of one point on one physical device share their inputs.
class Runner {
 public:
  explicit Runner(RunOptions options) : options_(options) {}

  /// The device on which `cell` runs, or why there is none.
  struct Place {
    Device* device = nullptr;
    std::string why_not;
  };
  Place place(const Backend& backend);

  /// Why `cell` is skipped on its device; empty where it can run.
  std::string skipped(const Cell& cell);

  /// One launch on each of `sets` inputs, checked.
  Result verify(const Cell& cell, std::size_t sets = 1);

  /// Cells of one experiment and point: verify, warm up, sample round-robin, verify again. Where one of them makes the
  /// device unusable, the position stays at that cell, and what comes after it fails. By graph, rows that cannot be
  /// captured are skipped.
  std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                          LaunchBy launch_by = LaunchBy::stream);

  /// Reads hardware counters over one launch of each result that has a time. All of one experiment, point and mode.
  /// What is timed afterwards is not comparable to what was timed before.
  void count(std::vector<Result>& results, const std::vector<const Counter*>& wanted);

  /// Measures the error of each result that is ok, on general inputs. All of one experiment and point.
  void accuracy(std::vector<Result>& results);

  /// Launches a cell `launches` times, alone and with nothing held back, for a profiler that watches. Each launch
  /// stands in a range of the cell's id; `mode` says what is in the caches. Times nothing.
  Result profile(const Cell& cell, Mode mode, std::size_t launches);

  /// Whether a device that was opened has become unusable.
  bool lost_device() const;

  /// The measured memory ceiling of `device`, taken on first use. 0 where nothing is timed.
  double measured_bandwidth(Device& device);

  /// Takes it as given for the device of that key, as another process measured it.
  void assume_bandwidth(const std::string& key, double bandwidth) { bandwidths_[key] = bandwidth; }

  /// The measured rate of a part of `device`: of memory as above, of others by RunOptions. 0 where nobody knows.
  double measured_peak(Device& device, std::string_view part);

 private:
  /// Rate of reads from the nearest caches: the ceiling for memory rates of a device without a theoretical peak.
  double cache_bandwidth(Device& device);
  void measure_cache_bandwidth(Device& device);
  /// Minimum seconds by measured ceilings; 0 for unknown.
  double least_measured_time(Device& device, const Cost& cost);
  struct Batching;
  struct Contestant;
  struct Inputs;
  struct Floors;
  Result start(const Cell& cell);
  /// To be called before anything is launched for the cell at place `cell`. Throws Error where the device is lost.
  void enter(const Device& device, std::size_t cell = Position::nobody);
  void verify_on(Device& device, Problem& problem, const Bound& bound, std::size_t sets, Result& result,
                 std::size_t cell);
  void run_on(Device& device, std::vector<Result>& all, const std::vector<std::size_t>& places, Mode mode,
              LaunchBy launch_by);
  void accuracy_on(Device& device, std::vector<Result>& results, const std::vector<std::size_t>& places);
  /// Returns the seconds that changing the inputs took.
  double run_placement(Device& device, Inputs& inputs, const Batching& batching, std::vector<Contestant>& contestants,
                       Floors& floors);
  void conclude(Device& device, Result& result, double footprint, const Batching& batching);

  RunOptions options_;
  std::map<std::string, std::shared_ptr<Device>> devices_;  // by backend
  std::map<std::string, std::string> why_not_;              // by backend
  std::map<std::string, double> bandwidths_;                // of memory, by device
};

}  // namespace crosswarp
