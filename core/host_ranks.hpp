// Ranks on the processor: a thread each, which runs what its rank has enqueued.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/device.hpp"

namespace crosswarp {

/// A rank of a group on the host, and its queue: work runs in the order of enqueuing, on a thread of its own. Memory is
/// the host's: every rank of the process may access it, and those of others that map it.
class HostRank final : public Device {
 public:
  /// `among_processes`: the group's other ranks are processes.
  explicit HostRank(bool among_processes = false);
  ~HostRank() override;

  /// What it throws, the next synchronize() throws.
  void enqueue(std::function<void()> work);

  void* allocate(std::size_t bytes) override;
  /// After all work.
  void release(void* memory) noexcept override;
  std::size_t free_memory() const override { return host_->free_memory(); }
  bool shares_memory() const override { return among_processes_; }
  SharedMemory share(const void* within) override;
  void* map_shared(const SharedMemory& memory) override;
  /// After all work.
  void unmap_shared(void* memory) noexcept override;
  void fill(void* memory, unsigned char byte, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen) override;
  void read(void* to, const void* from, std::size_t bytes) override;
  void write(void* to, const void* from, std::size_t bytes) override;
  void generate_elements(const TypedSpan& to, const Elements& elements) override;
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override;
  void permute(std::span<std::uint32_t> to, const Permutation& order) override;
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override;
  void synchronize() override;
  bool is_asynchronous() const override { return true; }
  void launch_empty(bool) override {
    enqueue([] {});
  }

  double time(const Batch& batch) override;
  void start(const Batch& batch) override;
  void stop() override;
  void open_gate() noexcept override;
  double finish(const Batch& batch) override;
  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override;

 private:
  using Clock = std::chrono::steady_clock;

  void serve();
  void finish_work() noexcept;

  std::shared_ptr<Device> host_;
  bool among_processes_;
  Allocations<int> files_;               // among processes: of the own memory, by descriptor
  std::map<void*, std::size_t> mapped_;  // of others: bytes by address
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;  // the first one is running
  std::exception_ptr failure_;
  bool ends_ = false;
  std::atomic<unsigned> open_{0};  // last gate that may be passed
  unsigned gates_ = 0;
  Clock::time_point start_, stop_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace crosswarp
