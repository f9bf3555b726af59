// What the measuring needs of a device, whoever makes it: memory, order, time, and facts about itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.hpp"
#include "core/general_numbers.hpp"
#include "core/random.hpp"
#include "core/reference.hpp"

namespace crosswarp {

/// What a device's parts could do at most, in bytes, operations or accesses per second: `memory`, `l2`, `l1`, `shared`;
/// `f32`, `f64`, `i32` …, where a multiply-add is two operations; `tensor_f16` … for matrix units.
using Peaks = std::map<std::string, double, std::less<>>;

/// Facts about one physical device. A rate or size of 0 is one that nobody knows.
struct DeviceInfo {
  std::string key;           ///< `gpu0`, `host`: rows are compared with a ratio only where this is the same.
  std::string name;          ///< `NVIDIA H200`
  std::string architecture;  ///< `sm_90`, `x86_64`
  std::size_t memory = 0;    ///< Bytes in all.
  std::size_t cache = 0;     ///< Bytes of the last cache before memory.
  int compute_units = 0;     ///< Multiprocessors, or cores.
  int threads_per_unit = 0;  ///< Resident at most.
  int warp_size = 1;
  bool emulated = false;                        ///< For correctness alone: it cannot be timed.
  bool graphs = false;                          ///< Launches can be captured: Device::capture().
  double clock = 0;                             ///< Hz, the highest.
  Peaks peaks;                                  ///< Theoretical.
  std::vector<std::string> features;            ///< What variants may need: the device and this build's code have it.
  std::vector<std::string> not_compiled;        ///< Features of the device that this build's code for it lacks.
  std::string how_to_compile;                   ///< So that it has them.
  std::map<std::string, std::string> versions;  ///< Driver, runtime …: goes into the context of results.

  bool has(std::string_view feature) const {
    return std::find(features.begin(), features.end(), feature) != features.end();
  }
  /// `features` is what both have, `not_compiled` what only the device has.
  void set_features(const std::vector<std::string>& of_device, const std::vector<std::string>& of_code);
  /// Why a variant that needs the feature cannot run here.
  std::string lack_of(std::string_view feature) const;
  /// 0 where nobody knows.
  double peak(std::string_view part) const {
    const auto found = peaks.find(part);
    return found == peaks.end() ? 0 : found->second;
  }
};

/// The state of a device at one moment. Unknown where empty or 0.
struct Telemetry {
  double clock = 0;      ///< Hz, of the multiprocessors.
  std::string throttle;  ///< Reasons, comma-separated.
};

/// `count` launches that are timed as one.
struct Batch {
  const std::function<void(std::size_t)>& launch;  ///< Enqueues launch i (host: runs it).
  std::size_t count = 1;
  bool cold = true;   ///< Evict the caches before.
  bool gated = true;  ///< Let nothing start before everything is enqueued, so that launch costs stay out.
                      ///< Not possible for launches that wait for the device.
  std::function<void()> behind = {};        ///< Enqueues what follows the last launch at once; not timed.
  std::function<void()> while_closed = {};  ///< Called when all is enqueued, before a gate is opened.
};

/// Owns a physical device's memory, stream and timer. Errors are thrown as Error.
///
/// Threads: one at a time. All work is ordered: what is enqueued later runs later.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }

  /// At least 256-byte aligned, uninitialised. Throws Error where memory is short.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual std::size_t free_memory() const = 0;
  /// Memory of the host that launches can read, write and copy at the full rate of the link between host and device.
  virtual void* allocate_on_host(std::size_t bytes);
  virtual void release_on_host(void* memory) noexcept;

  virtual void fill(void* memory, unsigned char byte, std::size_t bytes) = 0;
  virtual void read(void* to_host, const void* from_device, std::size_t bytes) = 0;
  virtual void write(void* to_device, const void* from_host, std::size_t bytes) = 0;
  // These three are for memory that the host can touch, unless a device overrides them.
  /// Enqueues a copy between two places of the device's memory, which do not overlap.
  virtual void copy(void* to, const void* from, std::size_t bytes);
  /// Enqueues a test whether any byte of `memory` differs from `byte`: if so, *seen (device memory) becomes 1.
  virtual void note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen);
  /// The same test at once, without waiting for anything that is enqueued.
  virtual bool has_changed(std::span<const std::byte> memory, unsigned char byte);
  /// No launch may touch this memory until it is released: a device that can watch it ends the program when one does.
  virtual void forbid(void* memory, std::size_t bytes) { static_cast<void>(memory), static_cast<void>(bytes); }
  /// to_device[i] = elements(i).
  void generate(std::span<float> to_device, const Lattice& elements) { generate_elements(to_device, {elements}); }
  /// The same in any type.
  virtual void generate_elements(const TypedSpan& to_device, const Elements& elements) = 0;
  /// The same of numbers on which sums round. Throws Error for integers.
  virtual void generate_general(const TypedSpan& to_device, const GeneralNumbers& numbers) = 0;
  /// to_device[i] = order(i). The order must be of as many indices as there are elements.
  virtual void permute(std::span<std::uint32_t> to_device, const Permutation& order) = 0;
  /// Makes one cycle of all slots of `stride` bytes: the slot order(i) begins with the offset in bytes, as 64 bits, of
  /// the slot order(i + 1), the last one's with that of order(0). What else is in a slot stays as it was. `origin` is
  /// added to all offsets: with the address of `on_device` they are pointers.
  virtual void chain(std::span<std::byte> on_device, std::size_t stride, const Permutation& order,
                     std::uint64_t origin) = 0;

  /// Checksum::weighted of the elements' bits (core/checksum.hpp).
  virtual std::uint64_t checksum(std::span<const float> on_device);

  // References, made and compared where the results are (core/reference.hpp): for memory that the host can touch, unless
  // a device overrides them. `to` and `reference` are of float or double.
  /// to = A·B, summed in double and rounded once. Independent of all variants, and far from the fastest.
  virtual void reference_gemm(const Gemm& gemm, const TypedSpan& to);
  /// to[r] = the sum of elements first + r·columns … first + (r+1)·columns - 1, in integers, so exact before it is
  /// rounded once.
  virtual void reference_row_sums(const Lattice& elements, std::uint64_t first, std::uint64_t columns,
                                  const TypedSpan& to);
  /// Holds every element to its bound. `reference` is as long as `actual`. Waits for the device.
  virtual Comparison compare(const TypedSpan& actual, const TypedSpan& reference, const ErrorBound& bound);

  /// Moves to one of many places what the device itself keeps between launches (its stream), since that is worth a
  /// tenth of a microsecond a launch and lies elsewhere in every run. What was bound to the device before stays where
  /// it was.
  virtual void relocate(std::size_t place) { static_cast<void>(place); }

  /// Waits for all work. Throws what any of it raised.
  virtual void synchronize() = 0;

  /// Seconds of device time for the whole batch. Throws what any launch raised.
  virtual double time(const Batch& batch) = 0;

  /// Records launches 0 … count-1 into a graph. The result enqueues the whole graph, owns it, and must not outlive the
  /// device. Throws Error where a launch cannot be captured: it waits for the device, or forks to another stream that
  /// it does not join. The device remains usable.
  virtual std::function<void()> capture(const std::function<void(std::size_t)>& launch, std::size_t count);

  /// Enqueues the least work that can be timed: what it takes is the floor under every small number. `pdl`: by
  /// programmatic dependent launch, where the device has it.
  virtual void launch_empty(bool pdl = false) = 0;

  /// Whether launches run beside the host: then none takes less than launch_empty(), and memory is the device's own. On
  /// a host a launch is a call, and costs next to nothing.
  virtual bool is_asynchronous() const { return false; }

  /// Puts back what launches can change on the device for those that come after them (limits, cache configuration, the
  /// current device, pending errors). Returns what was changed, in words; empty where nothing was.
  virtual std::string restore_state() { return {}; }

  /// Seconds that `sweeps` pure reads of `memory` take, on a kernel written for it; `memory` is at least 16-byte
  /// aligned.
  virtual double time_read(std::span<const std::byte> memory, std::size_t sweeps = 1) = 0;

  virtual Telemetry telemetry() const { return {}; }

  /// Reads hardware counters over one `launch`, which is repeated until all that are wanted are read; each time from
  /// flushed caches where `cold`. Slow, and what is timed after it in the same process is not what it was before.
  /// Throws Error, or says why not, where nothing can be read.
  virtual Counters count(const std::vector<const Counter*>& wanted, const std::function<void()>& launch, bool cold);

  /// Between them profilers show what is enqueued under `name`. See Range.
  virtual void begin_range(const std::string& name) { static_cast<void>(name); }
  virtual void end_range() noexcept {}

  /// A fault has made the device unusable for this process.
  virtual bool lost() const { return false; }

 protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}
  DeviceInfo info_;
};

/// What profilers show under `name` while it lives. Costs nothing where none is attached.
class Range {
 public:
  Range(Device& device, const std::string& name) : device_(device) { device_.begin_range(name); }
  ~Range() { device_.end_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Device& device_;
};

/// The best of several reads of a set far larger than the cache, in bytes per second: the measured ceiling for memory
/// rates. Also brings a device from its idle clock to its working one.
double measure_read_bandwidth(Device& device);

/// The best of several sweeps over sets that stay in the caches nearest to the cores, in bytes per second: what no read
/// is faster than, wherever its data lies.
double measure_cache_bandwidth(Device& device);

}  // namespace crosswarp
