// Device interface: memory, stream order, timing, and device properties.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contention.hpp"
#include "core/counters.hpp"
#include "core/general_numbers.hpp"
#include "core/peer_memory.hpp"
#include "core/random.hpp"
#include "core/reference.hpp"

namespace crosswarp {

/// Peak rates by device part, in bytes, operations or accesses per second: `memory`, `l2`, `l1`, `shared`; `f32`,
/// `f64`, `i32` …, where a multiply-add is two operations; `tensor_f16` … for matrix units.
using Peaks = std::map<std::string, double, std::less<>>;

/// Properties of a physical device. A rate or size of 0 is unknown.
struct DeviceInfo {
  std::string key;           ///< `gpu0`, `host`. Rows are compared by ratios only if their keys are equal.
  std::string name;          ///< `NVIDIA H200`
  std::string architecture;  ///< `sm_90`, `x86_64`
  std::size_t memory = 0;    ///< Bytes.
  std::size_t cache = 0;     ///< Bytes of the last-level cache.
  int compute_units = 0;     ///< Multiprocessors, or cores.
  int threads_per_unit = 0;  ///< Max resident threads.
  int warp_size = 1;
  bool emulated = false;                        ///< For correctness only, never timed.
  bool graphs = false;                          ///< Supports Device::capture().
  double clock = 0;                             ///< Max clock in Hz.
  Peaks peaks;                                  ///< Theoretical.
  std::vector<std::string> features;            ///< Supported by the device and by this build's code.
  std::vector<std::string> not_compiled;        ///< Supported by the device, but not by this build's code.
  std::string how_to_compile;                   ///< How to build code that supports them.
  std::map<std::string, std::string> versions;  ///< Driver, runtime …, for the context of results.

  bool has(std::string_view feature) const {
    return std::find(features.begin(), features.end(), feature) != features.end();
  }
  /// Sets `features` (in both lists) and `not_compiled` (of the device only).
  void set_features(const std::vector<std::string>& of_device, const std::vector<std::string>& of_code);
  /// Why a variant that needs `feature` is skipped.
  std::string lack_of(std::string_view feature) const;
  /// 0 for unknown.
  double peak(std::string_view part) const {
    const auto found = peaks.find(part);
    return found == peaks.end() ? 0 : found->second;
  }
  /// Of one compute unit in a cycle of the max clock; `unknown` where the peak is not known.
  double peak_per_cycle(std::string_view part, double unknown) const {
    const double rate = peak(part);
    return rate > 0 && compute_units > 0 && clock > 0 ? rate / (compute_units * clock) : unknown;
  }
};

/// Clock and throttling at one moment. Empty or 0 for unknown.
struct Telemetry {
  double clock = 0;      ///< Hz, of the multiprocessors.
  std::string throttle;  ///< Comma-separated reasons.
};

/// Launches timed as one sample.
struct Batch {
  const std::function<void(std::size_t)>& launch;  ///< Enqueues launch i (host: runs it).
  std::size_t count = 1;
  bool cold = true;                   ///< Flush caches first.
  bool gated = true;                  ///< Hold all launches back until all are enqueued, so that launch costs stay out.
                                      ///< Impossible for launches that wait for the device.
  std::function<void()> behind = {};  ///< Enqueues untimed work directly behind the last launch.
  std::function<void()> while_closed = {};  ///< Called after all is enqueued, before the gate opens.
};

/// A variant bound to one rank, with arguments as bytes: where the experiment is in another process than the rank
/// (core/remote_rank.hpp).
class RankBound {
 public:
  virtual ~RankBound() = default;
  /// Bytes of workspace.
  virtual std::size_t workspace() const = 0;
  /// By rank; before prepare() and launch(). `shared`: other ranks' memory that launches use, workspaces included.
  virtual void take_workspaces(std::span<const std::span<std::byte>> workspaces, std::size_t own_rank,
                               std::span<const RankMemory> shared) = 0;
  virtual void prepare(std::span<const std::byte> args) = 0;
  /// Enqueues the rank's work.
  virtual void launch(std::span<const std::byte> args) = 0;
};

/// Owns a physical device's memory, stream and timer. Throws Error. For one thread at a time. Work runs in the order of
/// enqueuing.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }

  // Ranks (core/ranks.hpp). An ordinary device is the group of one rank.
  virtual std::size_t ranks() const { return 1; }
  /// The device of a rank, for work on that rank's memory and queue: as from make_current().
  virtual Device& rank(std::size_t rank) { return static_cast<void>(rank), *this; }
  /// Makes it the calling thread's device, where a runtime has one for each thread.
  virtual void make_current() {}
  /// Seconds of the last time() by rank. Empty for an ordinary device.
  virtual std::span<const double> seconds_by_rank() const { return {}; }
  /// What to know about all times on it, such as a transport that is not the one asked for; empty for nothing.
  virtual std::string remark() const { return {}; }
  /// For a rank of another process (core/remote_rank.hpp): binds a variant there. Null for a device of this process.
  virtual std::unique_ptr<RankBound> bind_remotely(const std::string& variant, const std::string& tuning,
                                                   std::span<const std::byte> args) {
    return static_cast<void>(variant), static_cast<void>(tuning), static_cast<void>(args), nullptr;
  }

  /// Uninitialised memory, aligned to 256 bytes or more. Throws Error if memory is short.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual std::size_t free_memory() const = 0;

  // Memory that launches of other processes on this host use (core/peer_memory.hpp).
  virtual bool shares_memory() const { return false; }
  /// The allocation around an address. Requires shares_memory().
  virtual SharedMemory share(const void* within);
  /// Another process's memory, for launches on this device. Requires shares_memory().
  virtual void* map_shared(const SharedMemory& memory);
  /// To be called before the owner releases it.
  virtual void unmap_shared(void* memory) noexcept { static_cast<void>(memory); }

  /// Pinned host memory: launches access it at the full rate of the link.
  virtual void* allocate_on_host(std::size_t bytes);
  virtual void release_on_host(void* memory) noexcept;

  virtual void fill(void* memory, unsigned char byte, std::size_t bytes) = 0;
  virtual void read(void* to_host, const void* from_device, std::size_t bytes) = 0;
  virtual void write(void* to_device, const void* from_host, std::size_t bytes) = 0;
  // The defaults of these three require memory that the host can access.
  /// Enqueues a copy within the device's memory, without overlap.
  virtual void copy(void* to, const void* from, std::size_t bytes);
  /// Enqueues a test: *seen (device memory) becomes 1 if any byte of `memory` differs from `byte`.
  virtual void note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen);
  /// The same test, now: does not wait for enqueued work.
  virtual bool has_changed(std::span<const std::byte> memory, unsigned char byte);
  /// Whether any byte of any of `pieces` differs from `byte`, after enqueued work. For many small pieces.
  virtual bool any_has_changed(std::span<const std::span<const std::byte>> pieces, unsigned char byte);
  /// Forbids launches to access this memory until its release. A device with a memory checker ends the program if one
  /// does.
  virtual void forbid(void* memory, std::size_t bytes) { static_cast<void>(memory), static_cast<void>(bytes); }
  /// to_device[i] = elements(i).
  void generate(std::span<float> to_device, const Lattice& elements) { generate_elements(to_device, {elements}); }
  /// The same for any type.
  virtual void generate_elements(const TypedSpan& to_device, const Elements& elements) = 0;
  /// The same with numbers whose sums round. Throws Error for integers.
  virtual void generate_general(const TypedSpan& to_device, const GeneralNumbers& numbers) = 0;
  /// to_device[i] = order(i). Requires order.size elements.
  virtual void permute(std::span<std::uint32_t> to_device, const Permutation& order) = 0;
  /// Links slots of `stride` bytes into one cycle for pointer chasing: slot order(i) begins with the 64-bit byte offset
  /// of slot order(i + 1), plus `origin`; the rest of a slot is unchanged. With the address of `on_device` as `origin`
  /// the offsets are pointers.
  virtual void chain(std::span<std::byte> on_device, std::size_t stride, const Permutation& order,
                     std::uint64_t origin) = 0;

  /// Position-weighted checksum of the elements' bits (core/checksum.hpp).
  virtual std::uint64_t checksum(std::span<const float> on_device);

  // References on the device (core/reference.hpp). The defaults require memory that the host can access. `to` and
  // `reference` are of float or double.
  /// to = scale·A·B, accumulated in double and rounded once. Shares no code with variants.
  virtual void reference_gemm(const Gemm& gemm, const TypedSpan& to);
  /// to[r] = the sum of row r: exact integers, rounded once.
  virtual void reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to);
  /// Compares every element with its bound. Requires equal sizes. Waits for the device.
  Comparison compare(const TypedSpan& actual, const TypedSpan& reference, const ErrorBound& bound) {
    const std::pair pair(actual, reference);
    return compare({&pair, 1}, bound);
  }
  /// The same for several pairs of results and references; indices count on from pair to pair.
  virtual Comparison compare(std::span<const std::pair<TypedSpan, TypedSpan>> pairs, const ErrorBound& bound);

  /// Takes another stream for placement `placement`: which one is worth 0.1 µs per launch, and differs between runs.
  /// Bound variants keep theirs.
  virtual void relocate(std::size_t placement) { static_cast<void>(placement); }

  /// Waits for all work, and throws its errors.
  virtual void synchronize() = 0;

  /// Device time of the whole batch in seconds. Throws the errors of launches.
  virtual double time(const Batch& batch) = 0;

  // The steps of time(), for a group that takes each on all of its ranks before the next. The defaults throw Error.
  /// Flushes caches, closes the gate and marks the start, as `batch` says.
  virtual void start(const Batch& batch);
  /// Marks the end, behind the launches.
  virtual void stop();
  virtual void open_gate() noexcept {}
  /// Waits for the end. Seconds since the start. Throws the errors of launches.
  virtual double finish(const Batch& batch);

  /// Captures launches 0 … count-1 into a graph. The result owns and enqueues it, and must not outlive the device.
  /// Throws Error if a launch cannot be captured, because it waits for the device or forks to a stream without joining
  /// it; the device remains usable.
  virtual std::function<void()> capture(const std::function<void(std::size_t)>& launch, std::size_t count);

  /// Enqueues an empty kernel: its time is the floor under all small times. `pdl`: by programmatic dependent launch, if
  /// the device supports it.
  virtual void launch_empty(bool pdl = false) = 0;

  /// Whether launches run asynchronously: then launch_empty() is the floor of their times. On a host a launch is a call.
  virtual bool is_asynchronous() const { return false; }

  /// Whether the device's memory is its own, so that free_memory() shows what launches take. A host's belongs to all of
  /// its processes.
  virtual bool has_own_memory() const { return false; }

  /// Restores device state that a launch may have changed for later ones: limits, cache configuration, current device,
  /// pending errors. Returns the changes as text; empty for none.
  virtual std::string restore_state() { return {}; }

  /// Seconds of `sweeps` reads of `memory` by a kernel that only reads. Requires 16-byte alignment.
  virtual double time_read(std::span<const std::byte> memory, std::size_t sweeps = 1) = 0;

  virtual Telemetry telemetry() const { return {}; }
  /// Joules that the device has used since some moment, by a counter of its own. Nothing if it has none.
  virtual std::optional<double> energy() const { return {}; }

  /// Share of the device that other processes use, measured since the last call or since opening. Nothing if unknown.
  virtual std::optional<double> used_by_others() { return {}; }
  /// What threads did in the timed windows of all time() so far. Nothing if launches need no thread, or if unknown.
  virtual std::optional<ThreadTimes> thread_times() const { return {}; }

  /// Reads hardware counters over one `launch`, replayed until all wanted counters are read, each time with flushed
  /// caches if `cold`; or over the last launch of `process`, where the vendor's profiler must start the program. Slow;
  /// later times of this process are not comparable. If nothing can be read, throws Error or returns the reason.
  virtual Counters count(const std::vector<const Counter*>& wanted, const std::function<void()>& launch, bool cold,
                         const ProfiledProcess& process);

  /// Profiler range around enqueued work; see Range.
  virtual void begin_range(const std::string& name) { static_cast<void>(name); }
  virtual void end_range() noexcept {}

  /// Whether a fault has made the device unusable for this process.
  virtual bool lost() const { return false; }

 protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}
  DeviceInfo info_;
};

/// Profiler range for the lifetime of this object. Free without a profiler.
class Range {
 public:
  Range(Device& device, const std::string& name) : device_(device) { device_.begin_range(name); }
  ~Range() { device_.end_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Device& device_;
};

/// Memory bandwidth in bytes per second: the best of several reads of far more than the cache. Also raises an idle
/// device to its working clock.
double measure_read_bandwidth(Device& device);

/// Bandwidth of the caches nearest to the cores in bytes per second: the best of several sweeps. No read is faster.
double measure_cache_bandwidth(Device& device);

}  // namespace crosswarp
