// The scheduler. It runs one warp at a time until every lane of it waits or has left: which warp is next, and which
// lane within it, is drawn at random. A fiber serves one thread after the other as long as none of them has to wait.
#include "backends/simt/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "backends/simt/fiber.hpp"
#include "core/error.hpp"

namespace crosswarp::simt {

Index threadIdx, blockIdx;
Extent blockDim, gridDim;

namespace {

constexpr std::uint64_t most_threads = 1024;             // of a block, on every GPU
constexpr std::uint64_t most_blocks = (1ull << 31) - 1;  // in x; 65535 in y and z
constexpr std::size_t most_shared = 227 << 10;
constexpr std::size_t widest_value = 16;

/// Thrown into the threads that wait when a launch is given up.
struct GivenUp {};

enum class State : unsigned char { fresh, ready, at_barrier, at_exchange, at_vote, left };

struct Thread {
  State state = State::fresh;
  Fiber* fiber = nullptr;
  Index index;
  std::source_location where;  // it waits here
  LaneMask lanes = 0;          // with these
  unsigned source = 0;
  std::size_t bytes = 0;
  alignas(widest_value) std::array<std::byte, widest_value> value;
  unsigned barriers = 0, meetings = 0;  // so far
  LaneMask votes = 0;                   // before the vote its own, after it everybody's
};

std::string line(const std::source_location& where) { return fmt::format("{}:{}", where.file_name(), where.line()); }

bool same(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

LaneMask bit(unsigned lane) { return LaneMask{1} << lane; }

/// Visits 0 … n-1 in a random order that needs no memory: the multiples of an odd number modulo a power of two.
class Shuffled {
 public:
  Shuffled(std::uint64_t n, std::uint64_t random)
      : n_(n), mask_(std::bit_ceil(n) - 1), step_((random >> 32) | 1), at_(random & mask_) {}
  bool next(std::uint64_t& i) {
    while (visited_++ <= mask_) {
      i = at_;
      at_ = (at_ + step_) & mask_;
      if (i < n_) return true;
    }
    return false;
  }

 private:
  std::uint64_t n_, mask_, step_, at_, visited_ = 0;
};

class Machine {
 public:
  void run(const Launch& launch, const std::function<void()>& body) {
    require_runnable(launch);
    launch_ = &launch;
    body_ = &body;
    threads_.assign(launch.block.count(), {});
    shared_ = std::vector<std::byte>(launch.shared_bytes);
    blockDim = launch.block;
    gridDim = launch.grid;
    for (unsigned t = 0; t < threads_.size(); ++t)
      threads_[t].index = {t % blockDim.x, t / blockDim.x % blockDim.y, t / (blockDim.x * blockDim.y)};
    try {
      Shuffled blocks(launch.grid.count(), random());
      for (std::uint64_t b; blocks.next(b);) {
        blockIdx = {static_cast<unsigned>(b % gridDim.x), static_cast<unsigned>(b / gridDim.x % gridDim.y),
                    static_cast<unsigned>(b / (std::uint64_t{gridDim.x} * gridDim.y))};
        run_block();
      }
    } catch (...) {
      give_up();
      throw;
    }
  }

  Thread& current() { return *current_; }
  unsigned lane_of(const Thread& thread) const {
    return static_cast<unsigned>(&thread - threads_.data()) % launch_->warp_size;
  }
  std::span<std::byte> shared() { return shared_; }

  /// Called by the running thread. Returns when what it waits for has come.
  void wait(State state, std::source_location where) {
    Thread& me = *current_;
    me.state = state;
    me.where = where;
    // Two addresses in turn, since a thread may reach the next rendezvous before another has left this one.
    char& address = state == State::at_barrier ? barriers_[me.barriers++ % 2]
                                               : meetings_[&me - threads_.data() - lane_of(me)][me.meetings++ % 2];
    release_to(&address);
    me.fiber->suspend();
    if (giving_up_) throw GivenUp();
    acquire_from(&address);
  }

 private:
  static void require_runnable(const Launch& launch) {
    const Extent &grid = launch.grid, &block = launch.block;
    if (block.count() == 0 || block.count() > most_threads || block.z > 64)
      throw Error(
          fmt::format("launch: a block of {}×{}×{} threads; 1 to {} can be", block.x, block.y, block.z, most_threads));
    if (grid.count() == 0 || grid.x > most_blocks || grid.y > 65535 || grid.z > 65535)
      throw Error(fmt::format("launch: a grid of {}×{}×{} blocks", grid.x, grid.y, grid.z));
    if (launch.shared_bytes > most_shared)
      throw Error(
          fmt::format("launch: {} bytes of shared memory; at most {} can be", launch.shared_bytes, most_shared));
  }

  std::uint64_t random() { return mix(launch_->order.key + ++drawn_ * 0x9e3779b97f4a7c15u); }

  void run_block() {
    const auto warps = static_cast<unsigned>((threads_.size() + launch_->warp_size - 1) / launch_->warp_size);
    for (Thread& thread : threads_) {
      thread.state = State::fresh;
      thread.barriers = thread.meetings = 0;
    }
    std::fill(shared_.begin(), shared_.end(), std::byte{0xff});
    release_to(&begun_);
    do {
      runnable_.clear();
      for (unsigned warp = 0; warp < warps; ++warp) runnable_.push_back(warp);
      while (!runnable_.empty()) {
        unsigned& drawn = runnable_[random() % runnable_.size()];
        if (advance(drawn)) continue;
        drawn = runnable_.back();
        runnable_.pop_back();
      }
    } while (release_barrier());
    acquire_from(&ended_);
  }

  std::span<Thread> lanes_of(unsigned warp) {
    const std::size_t first = std::size_t{warp} * launch_->warp_size;
    return std::span(threads_).subspan(first, std::min<std::size_t>(launch_->warp_size, threads_.size() - first));
  }

  /// Runs every lane of a warp until it waits or leaves. Returns whether any of them can go on.
  bool advance(unsigned warp) {
    warp_ = lanes_of(warp);
    turn_ = Shuffled(warp_.size(), random());
    while (Thread* thread = upcoming_ ? std::exchange(upcoming_, nullptr) : next()) {
      current_ = thread;
      if (thread->state == State::fresh) thread->fiber = &idle_fiber();
      run_current();
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    return release_lanes();
  }

  /// The next lane of the warp's turn that can run.
  Thread* next() {
    for (std::uint64_t lane; turn_.next(lane);)
      if (warp_[lane].state == State::fresh || warp_[lane].state == State::ready) return &warp_[lane];
    return nullptr;
  }

  void run_current() {
    Fiber& fiber = *current_->fiber;
    threadIdx = current_->index;
    fiber.resume();
    if (fiber.idle) idle_.push_back(&fiber);
  }

  Fiber& idle_fiber() {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>([this](Fiber& self) { serve(self); }));
      idle_.push_back(fibers_.back().get());
    }
    Fiber& fiber = *idle_.back();
    idle_.pop_back();
    return fiber;
  }

  /// Main loop of a fiber.
  void serve(Fiber& self) {
    for (;;) {
      self.idle = false;
      acquire_from(&begun_);
      try {
        (*body_)();
      } catch (const GivenUp&) {
      } catch (...) {
        failure_ = std::current_exception();
      }
      release_to(&ended_);
      current_->state = State::left;
      // Another thread of the warp may start right here, unless it is one that waits on a fiber of its own.
      Thread* const after = Fiber::serves_many && !failure_ && !giving_up_ ? next() : nullptr;
      if (after && after->state == State::fresh) {
        after->fiber = &self;
        current_ = after;
        threadIdx = after->index;
        continue;
      }
      upcoming_ = after;
      self.idle = true;
      self.suspend();
    }
  }

  /// Completes every warp-wide operation whose lanes have all arrived. Returns whether there was one.
  bool release_lanes() {
    LaneMask waiting = 0, left = ~LaneMask{0};  // lanes past the warp's end count as left
    for (unsigned lane = 0; lane < warp_.size(); ++lane) {
      const State state = warp_[lane].state;
      if (state == State::at_exchange || state == State::at_vote) waiting |= bit(lane);
      if (state != State::left) left &= ~bit(lane);
    }
    bool released = false;
    for (LaneMask rest = waiting; rest != 0;) {
      const Thread& first = warp_[static_cast<unsigned>(std::countr_zero(rest))];
      const LaneMask expected = first.lanes & ~left;
      LaneMask come = 0;
      for (LaneMask others = rest; others != 0; others &= others - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(others));
        if (warp_[lane].lanes == first.lanes && warp_[lane].state == first.state) come |= bit(lane);
      }
      if (come == expected) {
        complete(come, left);
        released = true;
      } else if (!released && (rest & ~come) == 0) {
        const auto missing = static_cast<unsigned>(std::countr_zero(expected & ~come));
        throw Error(fmt::format("{}: lane {} waits for lane {}, which waits at {}", line(first.where), lane_of(first),
                                missing, line(warp_[missing].where)));
      }
      rest &= ~come;
    }
    return released;
  }

  void complete(LaneMask come, LaneMask left) {
    std::array<std::array<std::byte, widest_value>, 64> brought;
    LaneMask votes = 0;
    for (LaneMask lanes = come; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      brought[lane] = warp_[lane].value;
      votes |= warp_[lane].votes;
    }
    for (LaneMask lanes = come; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      Thread& thread = warp_[lane];
      if (thread.state == State::at_exchange) {
        if ((come & bit(thread.source)) == 0)
          throw Error(fmt::format("{}: lane {} takes the value of lane {}, which {}", line(thread.where), lane,
                                  thread.source,
                                  left & bit(thread.source) ? "has left or never was" : "does not take part"));
        thread.value = brought[thread.source];
      }
      thread.votes = votes;
      thread.state = State::ready;
    }
  }

  /// With no warp runnable: opens the barrier where all threads wait. Returns false once all have left.
  bool release_barrier() {
    const auto waits = [](const Thread& thread) { return thread.state == State::at_barrier; };
    const auto first = std::find_if(threads_.begin(), threads_.end(), waits);
    if (first == threads_.end()) return false;
    for (Thread& thread : threads_) {
      if (thread.state == State::left)
        throw Error(fmt::format("{}: {} of {} threads of block ({}, {}, {}) reach this barrier, the others have left",
                                line(first->where), std::count_if(threads_.begin(), threads_.end(), waits),
                                threads_.size(), blockIdx.x, blockIdx.y, blockIdx.z));
      if (!same(thread.where, first->where))
        throw Error(fmt::format("{}: some threads of a block wait at this barrier, others at {}", line(first->where),
                                line(thread.where)));
    }
    for (Thread& thread : threads_) thread.state = State::ready;
    return true;
  }

  /// Unwinds all waiting threads, which frees their fibers.
  void give_up() {
    giving_up_ = true;
    for (Thread& thread : threads_)
      if (thread.state != State::fresh && thread.state != State::left) {
        current_ = &thread;
        run_current();
      }
    giving_up_ = false;
    failure_ = nullptr;
    upcoming_ = nullptr;
  }

  const Launch* launch_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  std::vector<Thread> threads_;
  std::vector<std::byte> shared_;
  std::vector<unsigned> runnable_;
  std::span<Thread> warp_;
  Shuffled turn_{0, 0};
  Thread* current_ = nullptr;
  Thread* upcoming_ = nullptr;  // drawn by the fiber itself, not by the scheduler
  std::exception_ptr failure_;
  bool giving_up_ = false;
  std::uint64_t drawn_ = 0;
  char begun_ = 0, ended_ = 0;  // addresses for release_to() and acquire_from()
  std::array<char, 2> barriers_{};
  std::array<std::array<char, 2>, most_threads> meetings_{};  // by a warp's first thread
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
};

/// Never destroyed: its fibers are suspended in their main loops.
Machine& machine() {
  static Machine& only = *new Machine;
  return only;
}

}  // namespace

void run(const Launch& launch, const std::function<void()>& thread) { machine().run(launch, thread); }

unsigned lane() { return machine().lane_of(machine().current()); }

std::span<std::byte> shared_memory() { return machine().shared(); }

void sync_block(std::source_location where) { machine().wait(State::at_barrier, where); }

namespace {

/// Waits for `lanes`; the running thread's value is already stored.
void meet(State state, LaneMask lanes, std::source_location where) {
  if ((lanes & bit(lane())) == 0)
    throw Error(fmt::format("{}: lane {} calls it, and is not in its mask {:#x}", line(where), lane(), lanes));
  machine().current().lanes = lanes;
  machine().wait(state, where);
}

}  // namespace

void exchange(std::span<std::byte> value, unsigned source, LaneMask lanes, std::source_location where) {
  Thread& me = machine().current();
  std::memcpy(me.value.data(), value.data(), value.size());
  me.source = source;
  meet(State::at_exchange, lanes, where);
  std::memcpy(value.data(), me.value.data(), value.size());
}

LaneMask vote(bool predicate, LaneMask lanes, std::source_location where) {
  Thread& me = machine().current();
  me.votes = predicate ? bit(lane()) : 0;
  meet(State::at_vote, lanes, where);
  return me.votes;
}

}  // namespace crosswarp::simt
