// From /proc/stat and /proc/self/task/<thread>/schedstat.
#include "core/contention.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace crosswarp {
namespace {

// Of 0.01 s ticks, ten for each processor.
constexpr double min_interval = 0.1;  // seconds

/// Seconds on run queues, by an open schedstat file. 0 for a thread that has ended.
double run_delay(int file) {
  std::array<char, 64> text{};
  if (pread(file, text.data(), text.size() - 1, 0) <= 0) return 0;
  const char* const second = std::strchr(text.data(), ' ');
  return second ? 1e-9 * std::strtod(second, nullptr) : 0;
}

}  // namespace

std::optional<ProcessorTimes> processor_times(std::istream& stat, const std::function<bool(std::size_t)>& counts) {
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::optional<ProcessorTimes> sum;
  for (std::string line; std::getline(stat, line);) {
    if (!line.starts_with("cpu") || line.starts_with("cpu ")) continue;
    std::istringstream words(line.substr(3));
    std::size_t index = 0;
    enum Column : std::size_t { user, nice, system, idle, iowait, irq, softirq, steal, columns };
    std::array<double, columns> ticks{};
    words >> index;
    for (double& value : ticks) words >> value;
    if (!words || !counts(index)) continue;
    if (!sum) sum.emplace();
    for (std::size_t c = 0; c < columns; ++c) {
      sum->all += tick * ticks[c];
      if (c != idle && c != iowait) sum->busy += tick * ticks[c];
    }
  }
  return sum;
}

std::optional<ProcessorTimes> processor_times() {
  cpu_set_t allowed;
  const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  std::ifstream stat("/proc/stat");
  return processor_times(stat, [&](std::size_t i) { return !is_known || CPU_ISSET(i, &allowed); });
}

double used_by_others(const ProcessorTimes& before, const ProcessorTimes& after, double own) {
  const double all = after.all - before.all;
  return all > 0 ? std::clamp((after.busy - before.busy - own) / all, 0.0, 1.0) : 0;
}

double processor_clock() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::optional<double> OtherProcesses::share() {
  Reading now;
  if (!last_.times || !now.times) return {};
  const auto processors = static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
  if (const double missing = min_interval - (now.times->all - last_.times->all) / processors; missing > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(missing));
    now = {};
  }
  const Reading before = std::exchange(last_, now);
  return used_by_others(*before.times, *now.times, now.own - before.own);
}

ThreadClock::~ThreadClock() {
  for (const int file : files_) close(file);
}

void ThreadClock::start() {
  struct stat tasks {};
  if (stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink != links_) {
    links_ = tasks.st_nlink;
    for (const int file : files_) close(file);
    files_.clear();
    std::error_code failed;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", failed))
      if (const int file = open((thread.path() / "schedstat").c_str(), O_RDONLY | O_CLOEXEC); file >= 0)
        files_.push_back(file);
  }
  waited_before_ = waited();
  ran_before_ = processor_clock();
}

std::optional<ThreadTimes> ThreadClock::stop() const {
  const double ran = processor_clock() - ran_before_;
  const std::optional<double> now = waited();
  if (!now || !waited_before_) return {};
  return ThreadTimes{ran, std::max(0.0, *now - *waited_before_)};
}

std::optional<double> ThreadClock::waited() const {
  if (files_.empty()) return {};
  double seconds = 0;
  for (const int file : files_) seconds += run_delay(file);
  return seconds;
}

}  // namespace crosswarp
