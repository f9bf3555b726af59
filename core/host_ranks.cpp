// A thread for each rank, a queue under a lock, and a gate that all threads leave together.
#include "core/host_ranks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/host_device.hpp"

namespace crosswarp {
namespace {

const std::function<void(std::size_t)> nothing = [](std::size_t) {};

DeviceInfo describe() {
  DeviceInfo info = host_device_info();
  info.compute_units = 1;
  return info;
}

/// A file without a name: others open it by the process and the descriptor.
struct FileOfProcess {
  pid_t process;
  int descriptor;
};

[[noreturn]] void fail(const std::string& what) {
  throw Error(fmt::format("{}: {}", what, std::strerror(errno)), errno);
}

void* map_file(int descriptor, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) fail("memory shared by processes cannot be mapped");
  return memory;
}

/// Closes it at the end, unless it was taken.
class Descriptor {
 public:
  Descriptor(int descriptor, const char* what) : descriptor_(descriptor) {
    if (descriptor < 0) fail(what);
  }
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }
  int take() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

}  // namespace

HostRank::HostRank(bool among_processes)
    : Device(describe()), host_(open_host_device()), among_processes_(among_processes), thread_([this] { serve(); }) {}

HostRank::~HostRank() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HostRank::serve() {
  for (std::unique_lock lock(mutex_);;) {
    changed_.wait(lock, [&] { return ends_ || !work_.empty(); });
    if (work_.empty()) return;
    const std::function<void()>& work = work_.front();
    lock.unlock();
    try {
      work();
    } catch (...) {
      const std::lock_guard failed(mutex_);
      failure_ = std::current_exception();
    }
    lock.lock();
    work_.pop_front();
    if (work_.empty()) changed_.notify_all();
  }
}

void HostRank::enqueue(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void HostRank::synchronize() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return work_.empty(); });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void* HostRank::allocate(std::size_t bytes) {
  if (!among_processes_) return host_->allocate(bytes);
  const std::size_t some = std::max<std::size_t>(1, bytes);
  if (some > free_memory()) throw Error(fmt::format("{} MiB of host memory are not available", some >> 20));
  Descriptor file(memfd_create("crosswarp", MFD_CLOEXEC), "memory to share");
  if (ftruncate(file.get(), static_cast<off_t>(some)) != 0) fail("memory to share");
  void* const memory = map_file(file.get(), some);
  files_.add(memory, some, file.take());
  return memory;
}

void HostRank::finish_work() noexcept {
  try {
    synchronize();
  } catch (...) {  // of work whose result nobody wants any more
  }
}

void HostRank::release(void* memory) noexcept {
  finish_work();
  if (const auto* const own = files_.around(memory)) {
    munmap(own->base, own->bytes);
    close(own->facts);
    files_.remove(memory);
  } else {
    host_->release(memory);
  }
}

SharedMemory HostRank::share(const void* within) {
  const auto* const own = files_.around(within);
  if (!own) throw Error("memory that this rank does not own cannot be shared");
  const FileOfProcess file{getpid(), own->facts};
  const auto handle = std::as_bytes(std::span(&file, 1));
  return {own->base, own->bytes, {handle.begin(), handle.end()}};
}

void* HostRank::map_shared(const SharedMemory& memory) {
  FileOfProcess of{};
  if (memory.handle.size() != sizeof of) throw Error("memory shared by a device of another kind");
  std::memcpy(&of, memory.handle.data(), sizeof of);
  const std::string path = fmt::format("/proc/{}/fd/{}", of.process, of.descriptor);
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC), path.c_str());
  void* const mapped = map_file(file.get(), memory.bytes);
  mapped_[mapped] = memory.bytes;
  return mapped;
}

void HostRank::unmap_shared(void* memory) noexcept {
  finish_work();
  if (const auto found = mapped_.find(memory); found != mapped_.end()) {
    munmap(memory, found->second);
    mapped_.erase(found);
  }
}

void HostRank::fill(void* memory, unsigned char byte, std::size_t bytes) {
  if (bytes > 0) enqueue([=] { std::memset(memory, byte, bytes); });
}

void HostRank::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) enqueue([=] { std::memcpy(to, from, bytes); });
}

void HostRank::note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen) {
  enqueue([=, this] { Device::note_change(memory, byte, seen); });
}

void HostRank::read(void* to, const void* from, std::size_t bytes) {
  synchronize();
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void HostRank::write(void* to, const void* from, std::size_t bytes) {
  synchronize();
  if (bytes > 0) std::memcpy(to, from, bytes);
}

// Inputs are made on all cores, by the caller.

void HostRank::generate_elements(const TypedSpan& to, const Elements& elements) {
  synchronize();
  fill_elements(to, elements);
}

void HostRank::generate_general(const TypedSpan& to, const GeneralNumbers& numbers) {
  synchronize();
  fill_general(to, numbers);
}

void HostRank::permute(std::span<std::uint32_t> to, const Permutation& order) {
  synchronize();
  fill_permutation(to, order);
}

void HostRank::chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) {
  synchronize();
  fill_chain(memory, stride, order, origin);
}

double HostRank::time(const Batch& batch) {
  start(batch);
  try {
    for (std::size_t i = 0; i < batch.count; ++i) batch.launch(i);
    stop();
    if (batch.behind) batch.behind();
    if (batch.while_closed) batch.while_closed();
  } catch (...) {
    open_gate();
    throw;
  }
  open_gate();
  return finish(batch);
}

/// Waits for the gate without sleeping: waking up takes longer than a short launch.
void HostRank::start(const Batch& batch) {
  synchronize();
  if (batch.cold) host_->time({.launch = nothing, .count = 0});  // which flushes the caches
  const unsigned gate = ++gates_;
  if (!batch.gated) open_gate();
  enqueue([this, gate] {
    while (open_.load(std::memory_order_acquire) != gate) std::this_thread::yield();
    start_ = Clock::now();
  });
}

void HostRank::stop() {
  enqueue([this] { stop_ = Clock::now(); });
}

void HostRank::open_gate() noexcept { open_.store(gates_, std::memory_order_release); }

double HostRank::finish(const Batch&) {
  synchronize();
  return std::chrono::duration<double>(stop_ - start_).count();
}

double HostRank::time_read(std::span<const std::byte> memory, std::size_t sweeps) {
  synchronize();
  return host_->time_read(memory, sweeps);
}

}  // namespace crosswarp
