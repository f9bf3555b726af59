// Contention for processors: their use by other processes, and the time that this process waits for one.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <vector>

namespace crosswarp {

/// Seconds of some processors, summed, since the machine started.
struct ProcessorTimes {
  double busy = 0;  ///< Also of other virtual machines, where they are told (steal).
  double all = 0;
};

/// Reads /proc/stat. `counts`: whether processor i counts. Nothing if no processor does.
std::optional<ProcessorTimes> processor_times(std::istream& stat, const std::function<bool(std::size_t)>& counts);
/// The processors that this process may run on.
std::optional<ProcessorTimes> processor_times();

/// Share of the processors that others used in between; `own`: processor seconds of this process in between.
double used_by_others(const ProcessorTimes& before, const ProcessorTimes& after, double own);

/// Processor seconds of this process, of all its threads.
double processor_clock();

/// Use of the processors by other processes.
class OtherProcesses {
 public:
  /// Since the last call, or since construction: over 0.1 s or more, so waits if need be. Nothing if unknown.
  std::optional<double> share();

 private:
  struct Reading {
    std::optional<ProcessorTimes> times = processor_times();
    double own = processor_clock();
  };
  Reading last_;
};

/// What threads did while they did not sleep, in seconds of all threads.
struct ThreadTimes {
  double ran = 0;
  double waited = 0;  ///< Ready to run, without a processor: others had it, or a container's quota was used up.

  ThreadTimes& operator+=(const ThreadTimes& other) {
    ran += other.ran;
    waited += other.waited;
    return *this;
  }
  friend ThreadTimes operator-(const ThreadTimes& a, const ThreadTimes& b) {
    return {a.ran - b.ran, a.waited - b.waited};
  }
  double waited_share() const { return waited > 0 ? waited / (ran + waited) : 0; }
};

/// Times of this process's threads between start() and stop(). A few microseconds, and one for each thread.
class ThreadClock {
 public:
  ThreadClock() = default;
  ~ThreadClock();
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  void start();
  /// Of the threads that were there at start(). Nothing if the kernel does not tell.
  std::optional<ThreadTimes> stop() const;

 private:
  std::optional<double> waited() const;

  std::vector<int> files_;  // a thread each
  std::size_t links_ = 0;   // of /proc/self/task: changes with the number of threads
  double ran_before_ = 0;
  std::optional<double> waited_before_;
};

}  // namespace crosswarp
