// Host memory, cache flush and timer. A launch is a call, timed by the steady clock.
#include "core/host_device.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/error.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace crosswarp {
namespace {

constexpr std::size_t unknown_cache = std::size_t{16} << 20;
constexpr std::size_t max_flushed = std::size_t{128} << 20;

std::size_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::size_t kilobytes = 0;
  while (meminfo >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    meminfo.ignore(64, '\n');
  }
  return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string processor_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "host processor";
}

/// Sums all words, on all cores. Memory-bound for sets beyond the caches.
std::uint64_t read_all(const std::byte* memory, std::size_t bytes, std::size_t sweeps = 1) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(memory);
  const std::size_t count = bytes / sizeof(std::uint64_t);
  std::uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
#pragma omp for simd schedule(static) nowait
    for (std::size_t i = 0; i < count; ++i) sum += words[i];
    asm volatile("" ::: "memory");  // keeps the compiler from multiplying one sweep
  }
  return sum;
}

constexpr const char* cache_variable = "CROSSWARP_HOST_CACHE";

/// Bytes of the last-level cache: cache_variable, or what the system reports. That is a whole socket's on virtual
/// machines, which own a part of it. No less than a megabyte: the flush reads a multiple of it.
std::size_t cache_bytes(std::size_t memory) {
  const char* const named = std::getenv(cache_variable);
  if (!named) return static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
  constexpr std::size_t least = std::size_t{1} << 20;
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(named, named + std::strlen(named), bytes);
  if (error != std::errc() || *end != 0 || bytes < least || bytes > memory)
    throw Error(
        fmt::format("{} is '{}'; set it to a number of bytes, at least {} and no more than the memory's, or unset it",
                    cache_variable, named, least));
  return bytes;
}

/// Threads of a parallel region; 1 without OpenMP.
int openmp_threads() {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  ++threads;
  return threads;
}

int chosen_threads = 0;  // of timed launches; 0: as many as OpenMP has

/// Gives parallel regions the chosen number of threads within a scope, and forms their team.
class LaunchThreads {
 public:
  LaunchThreads() {
#ifdef _OPENMP
    if (chosen_threads == 0 || chosen_threads >= before_) return;
    omp_set_num_threads(chosen_threads);
    openmp_threads();
#endif
  }
  ~LaunchThreads() {
#ifdef _OPENMP
    if (omp_get_max_threads() != before_) omp_set_num_threads(before_);
#endif
  }
  LaunchThreads(const LaunchThreads&) = delete;
  LaunchThreads& operator=(const LaunchThreads&) = delete;

 private:
#ifdef _OPENMP
  int before_ = omp_get_max_threads();
#endif
};

class HostDevice final : public Device {
 public:
  HostDevice()
      : Device(host_device_info()),
        evictor_(std::min(2 * (info_.cache > 0 ? info_.cache : unknown_cache), max_flushed), std::byte{1}) {}

  void* allocate(std::size_t bytes) override {
    // Linux overcommits: refusing here is better than the OOM killer later.
    if (bytes > free_memory()) {
      throw Error(
          fmt::format("{} MiB of host memory are not available ({} MiB are)", bytes >> 20, free_memory() >> 20));
    }
    void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!memory) throw Error(fmt::format("the host has no {} MiB of memory left", bytes >> 20));
    return memory;
  }
  void release(void* memory) noexcept override { std::free(memory); }
  std::size_t free_memory() const override { return available_memory(); }

  void fill(void* memory, unsigned char byte, std::size_t bytes) override { std::memset(memory, byte, bytes); }
  void read(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void write(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void generate_elements(const TypedSpan& to, const Elements& elements) override { fill_elements(to, elements); }
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override { fill_general(to, numbers); }
  void permute(std::span<std::uint32_t> to, const Permutation& order) override { fill_permutation(to, order); }
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override {
    fill_chain(memory, stride, order, origin);
  }
  void synchronize() override {}

  double time(const Batch& batch) override {
    if (batch.cold) evict();
    const LaunchThreads threads_of_launches;
    clock_.start();
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < batch.count; ++i) batch.launch(i);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (const auto times = clock_.stop()) threads_ = threads_.value_or(ThreadTimes{}) += *times;
    if (batch.behind) batch.behind();
    return seconds;
  }

  void launch_empty(bool) override {
#pragma omp parallel
    {
      asm volatile("");  // the team is formed and dissolved, which is what a launch costs here
    }
  }

  std::optional<double> used_by_others() override { return others_.share(); }
  std::optional<ThreadTimes> thread_times() const override { return threads_; }

  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override {
    const auto start = std::chrono::steady_clock::now();
    sink_ = read_all(memory.data(), memory.size(), sweeps);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  void evict() { sink_ = read_all(evictor_.data(), evictor_.size()); }

  OtherProcesses others_;
  ThreadClock clock_;
  std::optional<ThreadTimes> threads_;
  std::vector<std::byte> evictor_;
  volatile std::uint64_t sink_ = 0;
};

}  // namespace

DeviceInfo host_device_info() {
  utsname system{};
  uname(&system);
  DeviceInfo info;
  info.key = "host";
  info.name = processor_name();
  info.architecture = system.machine;
  info.memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  info.cache = cache_bytes(info.memory);
  info.compute_units = openmp_threads();
  info.threads_per_unit = 1;
  info.versions["kernel"] = system.release;
  info.versions["compiler"] = __VERSION__;
  if (const char* const named = std::getenv(cache_variable)) info.versions["cache_as_told"] = named;
  return info;
}

int launch_threads() {
  static const int all = openmp_threads();
  return chosen_threads > 0 ? std::min(chosen_threads, all) : all;
}

void set_launch_threads(int threads) { chosen_threads = threads; }

std::shared_ptr<Device> open_host_device() {
  static const std::shared_ptr<Device> host = std::make_shared<HostDevice>();
  return host;
}

}  // namespace crosswarp
