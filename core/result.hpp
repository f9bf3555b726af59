// What is known about one cell after it was run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "core/statistics.hpp"

namespace crosswarp {

/// How a cell is timed: `cold` flushes the caches, then takes k launches on k distinct inputs as one sample; `hot`
/// takes k launches on the same input; `single` takes one launch behind the flush.
enum class Mode { cold, hot, single };
std::string to_string(Mode mode);

/// How the launches of a sample reach the device: `stream`: enqueued one by one; `graph`: captured once, and enqueued
/// as one graph. Rows of one are never compared with rows of the other.
enum class LaunchBy { stream, graph };
std::string to_string(LaunchBy launch_by);

/// `cold`, or `cold/graph`: what follows the point in a name. A stream goes without saying.
std::string to_string(Mode mode, LaunchBy launch_by);

/// What is noted on times that include the way of the result to the host.
inline constexpr const char* result_on_host = "result on the host: includes the synchronisation";

enum class Status { ok, wrong, skipped, failed, implausible };
std::string to_string(Status status);

struct Measurement {
  Placements seconds;        ///< Device time of one launch: one number for each sample (sample time / launches).
  std::size_t launches = 1;  ///< Launches in each sample.
  std::string stopped;       ///< Why sampling ended in the last placement.
  double cpu_seconds = 0;    ///< Host processor time of one launch, with its share of the flush.
  Telemetry before, after;
};

struct Result {
  Cell cell;
  Mode mode = Mode::cold;
  LaunchBy launch_by = LaunchBy::stream;
  std::size_t repetition = 0;
  Status status = Status::skipped;
  std::string note;  ///< Why it is not ok; or what to know about a number that is.
  Verdict verdict;
  Cost cost;
  Measurement measurement;
  KernelUse kernel;                   ///< The largest kernel that it launches; zeros where nobody could tell.
  DeviceInfo device;                  ///< Without a key where none was opened.
  double measured_peak = 0;           ///< Of the device's part that the cost is held to, as measured; 0: unknown.
  double floor = 0;                   ///< Seconds of an empty launch, measured the same way in the same rounds.
  std::optional<Counters> counters;   ///< Where they were asked for.
  std::vector<Observation> observed;  ///< The median over placements of what the problem observed.
  std::optional<Accuracy> accuracy;   ///< Where it was asked for, and something rounds.
  std::string proof;  ///< `proven: l1_hit_rate 99.8 %`, `unproven: …`; empty where nothing is to be proven.

  std::optional<Ratio> parent;   ///< Time of the rung that it improves on, over its own.
  std::optional<Ratio> library;  ///< Time of the fastest library row on the device, over its own.
  std::optional<Ratio> other;    ///< Time of the other backend's fastest row on the device, over its own.
  std::string other_rung;        ///< Which row that was.

  /// `cuda/reduce_sum/float4/n:1024/type:f32/cold`
  std::string name() const { return cell.id() + "/" + to_string(mode, launch_by); }
  /// `ok`, `skipped: needs wgmma`: the status, with its reason where it is not ok.
  std::string label() const;

  /// None of these has a value unless the status is ok.
  std::optional<double> time() const;  ///< Seconds of a launch: location() of the samples.
  std::optional<double> rate() const;  ///< Of what the cost rates, per second.
  std::optional<double> bytes_per_second() const;
  std::optional<double> flops_per_second() const;
  std::optional<double> of_measured_peak() const;
  std::optional<double> of_theoretical_peak() const;
};

/// The least time that `device` could take for one launch by the theoretical rate of what `cost` is held to, which for
/// memory takes the cache into account: what is faster was not measured, whatever the clock says. 0 where the rates are
/// unknown. `footprint` and `cost`: of one set;
/// `sets`: how many distinct ones a sample touches.
double least_time(const DeviceInfo& device, const Cost& cost, double footprint, std::size_t sets, Mode mode);

/// Results that have a time, for Experiment::findings.
std::vector<Outcome> outcomes(const std::vector<Result>& results);

/// Fills in parent, library and other of results that ran in the same rounds. `backends`: as the user ordered them; the
/// rows of each are compared with the first other one.
void compare(std::vector<Result>& results, const std::vector<std::string>& backends);

}  // namespace crosswarp
