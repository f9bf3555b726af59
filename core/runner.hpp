// Runs cells: verifies them and times those of one point side by side.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ceilings.hpp"
#include "core/position.hpp"
#include "core/processes.hpp"
#include "core/result.hpp"
#include "core/sampler.hpp"
#include "core/tuning_table.hpp"

namespace crosswarp {

struct RunOptions {
  std::size_t device = 0;                 ///< Index in each backend's list of devices.
  std::vector<std::size_t> devices = {};  ///< Of the ranks, in their order; empty: the first ones of the list.
  std::uint64_t seed = 1;
  StopRule stop = {};
  TuningTable tunings = {};        ///< Of `bench tune`, for variants that are tuned by it.
  Ceilings ceilings = {};          ///< From earlier runs; new measurements are added. Without the memory's.
  std::string why_untimed = {};    ///< A reason to keep no times, such as an attached profiler.
  Processes* processes = nullptr;  ///< Ranks are processes, and this is the first; null for ranks of this process.
  double energy_window = 2;        ///< Seconds of each row, for energy().
  Position* position = nullptr;    ///< Updated before each launch; may be null.
  /// The command line by which this program launches one cell for a profiler. Null where it cannot.
  std::function<std::vector<std::string>(const Cell&, Mode)> profile_command = {};
};

/// Launches per sample, for all rows of a point: as many as distinct inputs fit into a small share of the memory and
/// have their references made in time, `most` at most. Short kernels are averaged over many; long ones, by what the
/// device could reach, need no averaging.
std::size_t launches_per_sample(const DeviceInfo& device, const Cell& cell, Mode mode, std::size_t most);

/// Opens devices on first use and keeps them. Cells of one point on one physical device share their inputs.
class Runner {
 public:
  explicit Runner(RunOptions options) : options_(std::move(options)) {}

  /// A backend's device, or the reason for having none.
  struct OpenDevice {
    Device* device = nullptr;
    std::string why_not;
  };
  OpenDevice device(const Backend& backend, std::size_t ranks = 1);
  /// The device of a cell: a group of ranks where its experiment spans them.
  OpenDevice device(const Cell& cell) { return device(*cell.backend, cell.experiment->ranks(cell.point)); }

  /// Why `cell` is skipped on its device; empty if it can run.
  std::string skipped(const Cell& cell);

  /// Checks one launch on each of `sets` inputs.
  Result verify(const Cell& cell, std::size_t sets = 1);

  /// Cells of one experiment and point: verifies, warms up, samples round-robin, verifies again. If a cell makes the
  /// device unusable, the position stays at that cell, and all later cells fail. With graphs, rows that cannot be
  /// captured are skipped. `stop`: instead of the options' rule.
  std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                          LaunchBy launch_by = LaunchBy::stream, const std::optional<StopRule>& stop = {});

  /// Reads hardware counters over one launch of each result that has a time. All of one experiment, point and mode.
  /// Later times are not comparable to earlier ones.
  void count(std::vector<Result>& results, const std::vector<const Counter*>& wanted);

  /// Measures the energy of each result that has a time, on one input, back to back. All of one experiment and point.
  /// Heats the device: later times are not comparable to earlier ones.
  void energy(std::vector<Result>& results);

  /// Measures the errors of each result that is ok, on general inputs. All of one experiment and point.
  void accuracy(std::vector<Result>& results);

  /// Launches a cell `launches` times for a profiler: alone, untimed, without a gate, each launch in a range with the
  /// cell's id. Between the begin and the end of a range the device does nothing but that launch. `mode` decides
  /// whether caches are flushed before it.
  Result profile(const Cell& cell, Mode mode, std::size_t launches);

  /// Whether an open device has become unusable.
  bool lost_device() const;

  /// The measured memory bandwidth of `device`, taken on first use. 0 if nothing is timed.
  double measured_bandwidth(Device& device);

  /// Sets the memory bandwidth of the device with this key, measured by another process.
  void assume_bandwidth(const std::string& key, double bandwidth) { bandwidths_[key] = bandwidth; }

  /// The measured rate of a device part; 0 for unknown.
  double measured_peak(Device& device, std::string_view part);

 private:
  class PointRun;

  Result start(const Cell& cell);
  /// Opens the devices of an experiment over `ranks`. Throws Error, with the option that is at fault.
  std::shared_ptr<Device> open(const Backend& backend, std::size_t ranks) const;
  /// The cell's tuning; the table's in place of the default one, where the variant is tuned by it.
  const Tuning& tuning_of(const Result& result) const;
  ProfiledProcess profiled(const Result& result, std::size_t index) const;
  /// Required before anything is launched for the cell at this index. Throws Error on a lost device.
  void enter(Device& device, std::size_t cell = Position::none);
  /// Returns the wall seconds of one launch; of several sets, without a verdict if that exceeds `max_launch`.
  double verify_on(Device& device, Problem& problem, const Bound& bound, std::size_t sets, Result& result,
                   std::size_t cell, double max_launch = std::numeric_limits<double>::infinity());
  void run_point(Device& device, std::vector<Result>& results, const std::vector<std::size_t>& indices,
                 const StopRule& stop);
  void accuracy_on(Device& device, std::vector<Result>& results, const std::vector<std::size_t>& indices);
  void check_limits(Device& device, Result& result, double footprint, std::size_t sets);
  /// Bandwidth of reads from the nearest caches: limits memory rates on a device without a theoretical peak.
  double cache_bandwidth(Device& device);
  void measure_cache_bandwidth(Device& device);
  /// Minimum seconds by measured ceilings; 0 for unknown.
  double least_measured_time(Device& device, const Cost& cost);

  RunOptions options_;
  using DeviceKey = std::pair<std::string, std::size_t>;  // backend, ranks
  std::map<DeviceKey, std::shared_ptr<Device>> devices_;
  std::map<DeviceKey, std::string> why_not_;
  std::map<std::string, double> bandwidths_;  // of memory, by device key
  std::map<std::string, double> idle_watts_;  // by device key
};

}  // namespace crosswarp
