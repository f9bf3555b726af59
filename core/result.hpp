// The result of one cell: verdict, samples, rates, comparisons.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/energy.hpp"
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

/// `cold`, or `cold/graph`: the end of a cell's name, which leaves out the stream.
std::string to_string(Mode mode, LaunchBy launch_by);

/// The note on times that include the copy of the result to the host.
inline constexpr const char* result_on_host = "result on the host: includes the synchronisation";

enum class Status { ok, wrong, skipped, failed, implausible };
std::string to_string(Status status);

/// Wall time by phase, in seconds.
struct Phases {
  double preparing = 0;  ///< Allocating, filling inputs.
  double verifying = 0;
  double timing = 0;  ///< Samples, with flushes and empty launches.

  double sum() const { return preparing + verifying + timing; }
  Phases& operator+=(const Phases& other);
  Phases operator/(double divisor) const { return {preparing / divisor, verifying / divisor, timing / divisor}; }
};

struct Measurement {
  Placements seconds;            ///< Device time of one launch: one number for each sample (sample time / launches).
  Placements shorter;            ///< The same of shortened launches, in the same rounds: sample i beside sample i.
  std::vector<double> by_rank;   ///< Over ranks: each rank's own seconds of a launch, the median of its samples.
  std::vector<double> single;    ///< Over ranks: seconds of one launch behind a gate of its own, for percentiles.
  std::size_t launches = 1;      ///< Launches in each sample.
  std::string stopped;           ///< Why sampling ended in the last placement.
  double cpu_seconds = 0;        ///< Host processor time of one launch, with its share of the flush.
  std::optional<double> waited;  ///< Share of their time that threads waited for a processor; none for a GPU.
  Telemetry before, after;
  Phases wall;  ///< Its equal part of the time spent on all rows of its point.
};

/// What limits a result.
struct BoundInWords {
  std::string words;           ///< `memory: 99 % of measured peak; at most 1.01 × to gain`
  std::optional<double> gain;  ///< How many times as fast it could be at most: by the nearest ceiling.
};

/// Number of the method by which times are taken: raised when what a time is changes. Times of two methods do not
/// compare.
inline constexpr int timing_method = 1;

/// A kernel of a launch, and how many times in a row the launch runs it.
struct LaunchedKernel {
  KernelUse use;
  std::size_t times = 1;
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
  std::string tuned_by_table;            ///< The tuning that the table of `bench tune` had for it; empty for none.
  KernelUse kernel;                      ///< The largest kernel that it launches; zeros if unknown.
  std::vector<LaunchedKernel> launched;  ///< All kernels of a launch, in order; empty for fewer than two.
  std::string commit;                    ///< Of the program that measured it; empty if unknown.
  std::string date;                      ///< When that program's run began, in ISO 8601; empty if unknown.
  int method = 1;                        ///< timing_method of that program.
  bool stale = false;                    ///< Its kernel is known to have changed since.
  Execution execution;                   ///< Of its backend when it ran.
  DeviceInfo device;                     ///< Without a key if none was opened, and in results read from a file.
  double measured_peak = 0;              ///< Of the part of the device that the cost is held to; 0: unknown.
  double floor = 0;                      ///< Seconds of an empty launch, measured the same way in the same rounds.
  double floor_p90 = 0;                  ///< Its 90th percentile.
  std::optional<Counters> counters;      ///< With --counters.
  std::vector<Observation> observed;     ///< The median over placements of what the problem observed.
  std::optional<Accuracy> accuracy;      ///< With --accuracy, if results round.
  std::optional<Energy> energy;          ///< With --energy.
  std::string proof;                     ///< `proven: l1_hit_rate 99.8 %`, `unproven: …`; empty without expectations.

  std::optional<Ratio> parent;   ///< Time of the rung that it improves on, over its own.
  std::optional<Ratio> library;  ///< Time of the fastest library row on the device, over its own.
  std::optional<Ratio> other;    ///< Time of the other backend's fastest row on the device, over its own.
  std::string other_rung;        ///< Which row that was.
  std::string why_no_other;      ///< Why there is no ratio to that row: its number of threads differs.

  std::optional<Gap> recorded_gap;  ///< As a file has it, of a variant that this build lacks.

  /// `cuda/reduce_sum/float4/n:1024/type:f32/cold`
  std::string name() const { return cell.id() + "/" + to_string(mode, launch_by); }
  /// `ok`, `skipped: needs wgmma`: the status, with its reason where it is not ok.
  std::string label() const;

  /// Why its variant is slower than its counterpart at this point.
  Gap gap() const { return recorded_gap.value_or(cell.variant->gap(cell.point)); }

  /// None of these has a value unless the status is ok.
  std::optional<double> time() const;  ///< Seconds of a launch: location() of the samples.
  std::optional<double> rate() const;  ///< Of what the cost rates, per second.
  std::optional<double> bytes_per_second() const;
  std::optional<double> flops_per_second() const;
  std::optional<double> flops_per_joule() const;
  std::optional<double> bytes_per_joule() const;
  std::optional<double> of_measured_peak() const;
  std::optional<double> of_theoretical_peak() const;
  /// Seconds of a dependent step: the difference of launches of two lengths, sample by sample. Without what a launch
  /// costs beside its steps, and without a clock in the kernel. Empty where none was shortened.
  Placements step_seconds() const;
  /// location() of these.
  std::optional<double> step_time() const;
  /// Seconds of one access, where these are counted: by the kernel's own clock, else by launches of two lengths, else
  /// by the launch's time.
  std::optional<double> access_time() const;

  /// Ranks of the experiment; 0 if it spans none.
  std::size_t ranks() const;
  /// Over ranks: bytes of the operation a second (nccl-tests' algbw), and those that cross a rank's link (busbw).
  std::optional<double> algorithm_bandwidth() const;
  std::optional<double> bus_bandwidth() const;
  /// Percentile of the seconds of one launch; nothing for too few of them.
  std::optional<double> percentile(int percent) const;

  /// Of the part of the device that the cost is held to; 0 where nobody knows.
  double theoretical_peak() const { return device.peak(cost.ceiling); }
};

/// Whether the measured peak is too low: a busy device was measured, or the rung is better than the one that measured
/// it. The memory's may be exceeded out of the caches.
bool is_above_measured_peak(const Result& result);

/// Why the device was slowed down at the end of its samples, if for power or heat: `power cap`. Else empty.
std::string throttled(const Result& result);

/// Physical lower limit of a launch's time on `device`, by the theoretical rate of the part that `cost` is held to; for
/// memory it takes the cache into account. A shorter time is a measurement error. 0 where the rates are unknown.
/// `footprint` and `cost`: of one set; `sets`: how many distinct ones a sample touches.
double least_time(const DeviceInfo& device, const Cost& cost, double footprint, std::size_t sets, Mode mode);

/// The results that have a time, for Experiment::findings; random points make no curve, and are left out.
std::vector<Outcome> outcomes(const std::vector<Result>& results);

/// Whether rows of one run, point and mode were sampled in the same rounds: rows with slow launches are timed by
/// themselves, with fewer launches in a sample.
inline bool same_rounds(const Result& a, const Result& b) { return a.measurement.launches == b.measurement.launches; }

/// Why the times of two results make no ratio: `1 thread against 2`, where both are known and differ. Else empty.
std::string why_no_ratio(const Result& a, const Result& b);

/// Time of `numerator` over that of `denominator`, paired by rounds where they share them.
Ratio time_ratio(const Result& numerator, const Result& denominator, bool same_run = true);

/// Fills in parent, library and other of results that ran in the same rounds. `backends`: in the user's order; each row
/// is compared with the first other backend.
void compare(std::vector<Result>& results, const std::vector<std::string>& backends);

}  // namespace crosswarp
