// Read, write and copy bandwidth of each level of memory, from the host's to the memory on the chip. Bound by the level
// that the point names; the result of each kernel proves that it read everything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/checksum.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// Array operations: STREAM's four (McCalpin), BabelStream's dot, and the two halves of a copy. Transfers over the link
/// between host and device are copies.
enum class StreamOp { read, write, copy, scale, add, triad, dot };

/// Host memory that launches can access, for the link's bandwidth.
class HostArray {
 public:
  HostArray(Device& device, std::size_t count)
      : device_(&device), memory_(device.allocate_on_host(count * sizeof(float))), count_(count) {}
  ~HostArray() {
    if (memory_) device_->release_on_host(memory_);
  }
  HostArray(HostArray&& other) noexcept
      : device_(other.device_), memory_(std::exchange(other.memory_, nullptr)), count_(other.count_) {}
  HostArray& operator=(HostArray&&) = delete;

  std::span<float> span() const { return {static_cast<float*>(memory_), count_}; }

 private:
  Device* device_;
  void* memory_;
  std::size_t count_;
};

/// By `op`, for all i of arrays of `bytes` bytes of floats:
///
///     read   sum[0] = sweeps · Σ bits(a[i]) modulo 2^32      dot    dot[0] = Σ a[i]·b[i]
///     write  out[i] = scalar          copy, h2d, d2h  out[i] = a[i]          scale  out[i] = scalar·a[i]
///     add    out[i] = a[i] + b[i]     triad           out[i] = a[i] + scalar·b[i]
///
/// Levels on the chip and caches have one array, read `sweeps` times in total by as many multiprocessors as the variant
/// chooses; each reads its own copy where the level is private to it. So the bytes read do not depend on the device.
/// Writes to L2 store the one array `sweeps` times. In
/// `dsmem` each block reads the copy of another block of its cluster.
///
/// All results are exact. Sums of bits wrap around. Lattice numbers are so short that their products and sums never
/// round, in any order, fused or not. Outputs of more than 2^18 elements are checked by a checksum.
class MemoryBandwidth {
 public:
  static constexpr std::string_view name = "memory_bandwidth";
  static constexpr std::string_view summary = "read, write and copy bandwidth, by level of memory";

  struct Args {
    StreamOp op;
    float scalar;                  ///< For write its four bytes are equal, so that a memset can write it.
    std::uint64_t sweeps;          ///< At least 1. 1 in memory and over the link.
    bool in_shared;                ///< Blocks read copies in shared memory (levels shared and dsmem).
    bool a_on_host, out_on_host;   ///< The array is pinned host memory: `a` for h2d, `out` for d2h.
    std::span<const float> a;      ///< Aligned to 256 bytes, as all arrays. Empty for write.
    std::span<const float> b;      ///< For add, triad, dot.
    std::span<float> out;          ///< Poisoned. Empty for read and dot.
    std::span<std::uint32_t> sum;  ///< One word, poisoned: for read.
    std::span<float> dot;          ///< One element, poisoned: for dot.
  };

  static std::vector<Axis> axes();
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static std::vector<Expectation> expectations(const Point& point);
  static std::vector<CeilingPoint> ceilings();
  /// The best handwritten bandwidth beside the library's, by point; bandwidth by bytes in flight.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  /// Bytes in flight on a multiprocessor for a rung of `vector16` with its tuning in its name: what all resident
  /// threads (max 2048) load before they wait. Empty for other rungs.
  static std::optional<int> bytes_in_flight(const std::string& rung);

  MemoryBandwidth(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const;
  Args args(std::size_t set) const;
  void poison();
  Verdict check(ResultIn) const;

 private:
  float scalar() const;
  Lattice element_of_a(std::size_t set) const { return {RandomStream(seed_, 2 * set), bits_}; }
  Lattice element_of_b(std::size_t set) const { return {RandomStream(seed_, 2 * set + 1), bits_}; }
  std::uint32_t word(std::uint64_t i, const Lattice& a, const Lattice& b) const;
  Words words(std::size_t set) const;
  Checksum cached_checksum(std::size_t set) const;
  Verdict check(std::size_t set) const;

  Device& device_;
  std::string word_;  // the point's op: tells h2d and d2h from copy
  StreamOp op_;
  std::uint64_t n_, sweeps_;
  bool in_shared_;
  std::uint64_t run_seed_, seed_;  // seed_: of the generation
  int bits_;                       // of the lattice numbers
  std::vector<HostArray> host_;    // the host's end of the link
  std::vector<Buffer<float>> a_, b_, out_, dot_;
  std::vector<Buffer<std::uint32_t>> sum_;
};

extern template ExperimentEntry describe<MemoryBandwidth>();

}  // namespace crosswarp
