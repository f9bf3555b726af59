// Ranks: an experiment over several devices that work on one problem together, each with its own memory and queue.
//
// - A rank is a device with its queue. RankGroup is the Device of all ranks: an experiment allocates rank r's memory on
//   device.rank(r). An ordinary device is the group of one rank, and ordinary experiments know nothing of ranks.
// - Args are per rank: args(set, rank) holds that rank's own spans, and the spans of its peers where its kernels may
//   load and store them. A variant's launch is SPMD: it is called once for each rank, in the order of ranks, with that
//   rank's queue, and enqueues that rank's work alone. queue.workspaces holds every rank's workspace, zeroed before the
//   first launch of any rank: flags and staging, which peers may write.
// - Inputs of ranks are lattices of different random streams, so that sums over ranks are exact; a reference comes from
//   these, never from a rank's memory.
// - Ranks may be processes (core/remote_rank.hpp): the first process has the experiment, and a rank of another is a
//   Device whose calls are messages. What a launch of a rank is given as arguments and workspaces is memory of its own
//   process; addresses of others mean nothing there.
// - A timed sample closes a gate on each rank's queue, enqueues all launches, opens all gates together and takes the
//   slowest rank's time; seconds_by_rank() has all of them. Of launches that wait on the host, all gates open together
//   before the first launch.
// - The order of one queue says nothing about another's. A launch must therefore wait, on the device, until its peers'
//   queues have reached it where it needs their memory (the work before may still write that), and until its peers have
//   ceased to use this rank's memory (the work behind may overwrite it). Problem::check_pipeline() holds it to that.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/device.hpp"

namespace crosswarp {

/// A remark on ranks that are threads or processes of one host: empty unless they are more than the cores that they may
/// use. `cores`: 0 for unknown.
std::string shared_cores(std::size_t ranks, std::size_t cores);

/// Max ranks of one group: kernels take a pointer for each by value.
inline constexpr std::size_t most_ranks = 8;

/// Devices as the ranks of one group. Memory that is allocated on the group itself is the first rank's.
class RankGroup final : public Device {
 public:
  using Facts = std::map<std::string, std::string>;

  /// Requires 2 to `most_ranks` devices of the same kind, those of this process first. `facts`: of the group, for the
  /// context of results: `links`, `transport`, versions of libraries. `remark`: Device::remark(). `meet`: called before
  /// the gates of this process open and after those of others were told to; returns when all have come.
  explicit RankGroup(std::vector<std::shared_ptr<Device>> devices, const Facts& facts = {}, std::string remark = {},
                     std::function<void()> meet = nullptr);

  std::size_t ranks() const override { return devices_.size(); }
  Device& rank(std::size_t rank) override {
    devices_.at(rank)->make_current();
    return *devices_[rank];
  }

  void make_current() override { devices_.front()->make_current(); }

  // Of all ranks.
  std::size_t free_memory() const override;
  void relocate(std::size_t placement) override;
  void synchronize() override;
  /// The slowest rank's time.
  double time(const Batch& batch) override;
  std::span<const double> seconds_by_rank() const override { return seconds_; }
  std::string remark() const override { return remark_; }
  void launch_empty(bool pdl) override;
  bool shares_memory() const override;
  bool is_asynchronous() const override { return first().is_asynchronous(); }
  bool has_own_memory() const override { return first().has_own_memory(); }
  std::string restore_state() override;
  bool lost() const override;

  // Of the first rank.
  void* allocate(std::size_t bytes) override { return rank(0).allocate(bytes); }
  void release(void* memory) noexcept override { first().release(memory); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override { rank(0).fill(memory, byte, bytes); }
  void read(void* to, const void* from, std::size_t bytes) override { rank(0).read(to, from, bytes); }
  void write(void* to, const void* from, std::size_t bytes) override { rank(0).write(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { rank(0).copy(to, from, bytes); }
  void forbid(void* memory, std::size_t bytes) override { rank(0).forbid(memory, bytes); }
  bool any_has_changed(std::span<const std::span<const std::byte>> pieces, unsigned char byte) override {
    return rank(0).any_has_changed(pieces, byte);
  }
  void generate_elements(const TypedSpan& to, const Elements& elements) override {
    rank(0).generate_elements(to, elements);
  }
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override {
    rank(0).generate_general(to, numbers);
  }
  void permute(std::span<std::uint32_t> to, const Permutation& order) override { rank(0).permute(to, order); }
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override {
    rank(0).chain(memory, stride, order, origin);
  }
  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override {
    return rank(0).time_read(memory, sweeps);
  }
  Telemetry telemetry() const override { return first().telemetry(); }
  std::optional<double> used_by_others() override { return first().used_by_others(); }
  void begin_range(const std::string& name) override { first().begin_range(name); }
  void end_range() noexcept override { first().end_range(); }

 private:
  Device& first() const { return *devices_.front(); }

  void flush();
  void open_all_gates();

  std::vector<std::shared_ptr<Device>> devices_;
  std::string remark_;
  std::function<void()> meet_;
  std::vector<double> seconds_;
};

}  // namespace crosswarp
