// The scheduler. It runs one warp at a time until every lane of it waits or has left: which warp is next, and which
// lane within it, is drawn at random. A fiber serves one thread after the other as long as none of them has to wait.
// Where launches of several streams run at once, warps are drawn from all of them.
#include "backends/simt/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <string>
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
constexpr std::uint64_t most_resident = 32;  // blocks of a launch
constexpr std::uint64_t most_turns_held = 256;
constexpr std::size_t widest_value = 16;

/// Thrown into the threads that wait when a launch is given up.
struct GivenUp {};

enum class Doing : unsigned char { fresh, ready, at_barrier, at_exchange, at_vote, napping, left };

struct Thread {
  Doing state = Doing::fresh;
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

/// A launch in a stream. It stays where it is, and is freed by the caller alone.
struct Work {
  Launch launch;
  std::function<void()> body;
};

}  // namespace

/// A block that runs, or the next ones of a launch whose blocks take turns.
struct Block {
  Stream::State* stream = nullptr;
  Index index;
  std::vector<Thread> threads;
  std::vector<std::byte> shared;
  std::size_t runnable = 0;  // warps
  // Addresses for release_to() and acquire_from(): a warp's by its first thread.
  std::array<char, 2> barriers{};
  std::vector<std::array<char, 2>> meetings;
};

struct Stream::State {
  std::string name;
  std::deque<std::unique_ptr<Work>> work;
  std::vector<std::unique_ptr<Block>> blocks;  // running
  std::vector<Fiber*> idle;
  Timeline timeline;
  char enqueued = 0, begun = 0, ended = 0;  // addresses for release_to() and acquire_from()
};

class Machine {
 public:
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
    if (launch.resident && grid.count() > most_resident)
      throw Error(fmt::format("launch: {} blocks at once; at most {} can be", grid.count(), most_resident));
  }

  void add(Stream::State& stream) { streams_.push_back(&stream); }
  void remove(Stream::State& stream) { std::erase(streams_, &stream); }

  void run() {
    try {
      while (take_turn()) continue;
    } catch (...) {
      give_up();
      throw;
    }
    settle();
  }

  Thread& current() { return *current_; }
  unsigned lane_of(const Thread& thread) const {
    return static_cast<unsigned>(&thread - block_->threads.data()) % launch().warp_size;
  }
  std::span<std::byte> shared() { return block_->shared; }
  void note_store() { stalled_ = 0; }
  std::uint64_t random() { return mix(order_ + ++drawn_ * 0x9e3779b97f4a7c15u); }

  /// Called by the running thread. Returns when what it waits for has come.
  void wait(Doing state, std::source_location where) {
    Thread& me = *current_;
    Block& block = *block_;
    me.state = state;
    me.where = where;
    // Two addresses in turn, since a thread may reach the next rendezvous before another has left this one.
    char& address = state == Doing::at_barrier
                        ? block.barriers[me.barriers++ % 2]
                        : block.meetings[&me - block.threads.data() - lane_of(me)][me.meetings++ % 2];
    release_to(&address);
    suspend();
    acquire_from(&address);
  }

  /// Called by the running thread. Orders nothing.
  void nap(std::source_location where) {
    current_->state = Doing::napping;
    current_->where = where;
    suspend();
  }

 private:
  struct Warp {
    Block* block;
    unsigned number;
  };

  void suspend() {
    current_->fiber->suspend();
    if (giving_up_) throw GivenUp();
  }

  const Launch& launch() const { return block_->stream->work.front()->launch; }

  /// Begins a stream's next launch or advances a warp. Returns false when nothing is left.
  bool take_turn() {
    waiting_.clear();
    for (Stream::State* stream : streams_)
      if (stream->blocks.empty() && !stream->work.empty()) waiting_.push_back(stream);
    const std::size_t choices = waiting_.size() + runnable_.size();
    if (choices == 0) return false;
    if (turns_held_ == 0) {
      held_ = streams_[random() % streams_.size()];
      turns_held_ = 1 + random() % most_turns_held;
    }
    --turns_held_;
    // The one held back takes its turn all the same where the others only wait.
    std::size_t choice = random() % choices;
    for (int again = 0; again < 8 && stalled_ < choices && stream_of(choice) == held_; ++again)
      choice = random() % choices;
    if (choice < waiting_.size()) {
      begin(*waiting_[choice]);
      return true;
    }
    choice -= waiting_.size();
    const Warp warp = runnable_[choice];
    if (advance(*warp.block, warp.number)) {
      require_progress(runnable_.size());
      return true;
    }
    runnable_[choice] = runnable_.back();
    runnable_.pop_back();
    if (--warp.block->runnable == 0 && !release_barrier(*warp.block))
      end(*warp.block);
    else if (warp.block->runnable == 0)
      make_runnable(*warp.block);
    return true;
  }

  Stream::State* stream_of(std::size_t choice) const {
    return choice < waiting_.size() ? waiting_[choice] : runnable_[choice - waiting_.size()].block->stream;
  }

  void begin(Stream::State& stream) {
    const Launch& launch = stream.work.front()->launch;
    order_ = mix(order_ + launch.order.key);
    stalled_ = 0;
    for (std::uint64_t b = 0; b < (launch.resident ? launch.grid.count() : 1); ++b)
      stream.blocks.push_back(std::make_unique<Block>());
    const auto allocate_all = [&] {
      for (std::uint64_t b = 0; b < stream.blocks.size(); ++b) {
        allocate(*stream.blocks[b], stream);
        if (launch.resident) set(*stream.blocks[b], b);
      }
    };
    stream.timeline.pass({&stream.enqueued, &stream.ended}, allocate_all, &stream.begun);
    if (!launch.resident) return run_in_turn(*stream.blocks.front());
    for (const auto& block : stream.blocks) make_runnable(*block);
  }

  void end(Block& block) {
    Stream::State& stream = *block.stream;
    const auto own = std::ranges::find(stream.blocks, &block, &std::unique_ptr<Block>::get);
    ended_blocks_.push_back(std::move(*own));
    stream.blocks.erase(own);
    if (!stream.blocks.empty()) return;
    ended_.push_back(std::move(stream.work.front()));
    stream.work.pop_front();
  }

  /// After all work: only now the caller knows of it. Fibers that begin before must not, which they would by the
  /// caller.
  void settle() {
    for (Stream::State* stream : streams_) acquire_from(&stream->ended);
    ended_blocks_.clear();
    ended_.clear();
  }

  void make_runnable(Block& block) {
    block.runnable = warps_of(block);
    for (unsigned warp = 0; warp < block.runnable; ++warp) runnable_.push_back({&block, warp});
  }

  /// A launch whose blocks run one after the other, and nothing beside them.
  void run_in_turn(Block& block) {
    Stream::State& stream = *block.stream;
    Shuffled blocks(stream.work.front()->launch.grid.count(), random());
    for (std::uint64_t b; blocks.next(b);) {
      stream.timeline.pass(
          {&stream.ended}, [&] { set(block, b); }, &stream.begun);
      std::vector<unsigned> runnable;
      do {
        for (unsigned warp = 0; warp < warps_of(block); ++warp) runnable.push_back(warp);
        while (!runnable.empty()) {
          unsigned& drawn = runnable[random() % runnable.size()];
          if (advance(block, drawn)) {
            require_progress(runnable.size());
            continue;
          }
          drawn = runnable.back();
          runnable.pop_back();
        }
      } while (release_barrier(block));
    }
    end(block);
  }

  static void allocate(Block& block, Stream::State& stream) {
    const Launch& launch = stream.work.front()->launch;
    const Extent& extent = launch.block;
    block.stream = &stream;
    block.threads.resize(extent.count());
    block.meetings.resize(extent.count());
    block.shared.resize(launch.shared_bytes);
    for (unsigned t = 0; t < block.threads.size(); ++t)
      block.threads[t].index = {t % extent.x, t / extent.x % extent.y, t / (extent.x * extent.y)};
  }

  /// Makes it block `b` of its launch.
  static void set(Block& block, std::uint64_t b) {
    const Extent& grid = block.stream->work.front()->launch.grid;
    block.index = {static_cast<unsigned>(b % grid.x), static_cast<unsigned>(b / grid.x % grid.y),
                   static_cast<unsigned>(b / (std::uint64_t{grid.x} * grid.y))};
    for (Thread& thread : block.threads) {
      thread.state = Doing::fresh;
      thread.barriers = thread.meetings = 0;
    }
    std::fill(block.shared.begin(), block.shared.end(), std::byte{0xff});
  }

  static unsigned warps_of(const Block& block) {
    const unsigned size = block.stream->work.front()->launch.warp_size;
    return static_cast<unsigned>((block.threads.size() + size - 1) / size);
  }

  std::span<Thread> lanes_of(Block& block, unsigned warp) {
    const std::size_t size = launch().warp_size, first = warp * size;
    return std::span(block.threads).subspan(first, std::min(size, block.threads.size() - first));
  }

  /// Runs every lane of a warp until it waits or leaves. Returns whether any of them can go on.
  bool advance(Block& block, unsigned warp) {
    block_ = &block;
    const Launch& launch = this->launch();
    blockIdx = block.index;
    blockDim = launch.block;
    gridDim = launch.grid;
    warp_ = lanes_of(block, warp);
    turn_ = Shuffled(warp_.size(), random());
    ++stalled_;
    for (Thread& thread : warp_)
      if (thread.state == Doing::napping) thread.state = Doing::ready;
    while (Thread* thread = upcoming_ ? std::exchange(upcoming_, nullptr) : next()) {
      current_ = thread;
      if (thread->state == Doing::fresh) thread->fiber = &idle_fiber();
      run_current();
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      if (thread->state != Doing::napping) stalled_ = 0;
    }
    return release_lanes();
  }

  /// The next lane of the warp's turn that can run.
  Thread* next() {
    for (std::uint64_t lane; turn_.next(lane);)
      if (warp_[lane].state == Doing::fresh || warp_[lane].state == Doing::ready) return &warp_[lane];
    return nullptr;
  }

  void run_current() {
    Fiber& fiber = *current_->fiber;
    threadIdx = current_->index;
    fiber.resume();
    if (fiber.idle) block_->stream->idle.push_back(&fiber);
  }

  /// Of the stream's own: to ThreadSanitizer a fiber is a thread, which must know nothing of other streams.
  Fiber& idle_fiber() {
    std::vector<Fiber*>& idle = block_->stream->idle;
    if (idle.empty()) {
      fibers_.push_back(std::make_unique<Fiber>([this](Fiber& self) { serve(self); }));
      idle.push_back(fibers_.back().get());
    }
    Fiber& fiber = *idle.back();
    idle.pop_back();
    return fiber;
  }

  /// Main loop of a fiber.
  void serve(Fiber& self) {
    for (;;) {
      self.idle = false;
      Stream::State& stream = *block_->stream;
      acquire_from(&stream.begun);
      try {
        stream.work.front()->body();
      } catch (const GivenUp&) {
      } catch (...) {
        failure_ = std::current_exception();
      }
      release_to(&stream.ended);
      current_->state = Doing::left;
      // Another thread of the warp may start right here, unless it is one that waits on a fiber of its own.
      Thread* const after = Fiber::serves_many && !failure_ && !giving_up_ ? next() : nullptr;
      if (after && after->state == Doing::fresh) {
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

  /// Completes every warp-wide operation whose lanes have all arrived. Returns whether any lane can go on.
  bool release_lanes() {
    LaneMask waiting = 0, napping = 0, left = ~LaneMask{0};  // lanes past the warp's end count as left
    for (unsigned lane = 0; lane < warp_.size(); ++lane) {
      const Doing state = warp_[lane].state;
      if (state == Doing::at_exchange || state == Doing::at_vote) waiting |= bit(lane);
      if (state == Doing::napping) napping |= bit(lane);
      if (state != Doing::left) left &= ~bit(lane);
    }
    bool can_go_on = napping != 0;
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
        can_go_on = true;
      } else if (!can_go_on && (rest & ~come) == 0) {
        const auto missing = static_cast<unsigned>(std::countr_zero(expected & ~come));
        throw Error(fmt::format("{}: lane {} waits for lane {}, which waits at {}", line(first.where), lane_of(first),
                                missing, line(warp_[missing].where)));
      }
      rest &= ~come;
    }
    return can_go_on;
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
      if (thread.state == Doing::at_exchange) {
        if ((come & bit(thread.source)) == 0)
          throw Error(fmt::format("{}: lane {} takes the value of lane {}, which {}", line(thread.where), lane,
                                  thread.source,
                                  left & bit(thread.source) ? "has left or never was" : "does not take part"));
        thread.value = brought[thread.source];
      }
      thread.votes = votes;
      thread.state = Doing::ready;
    }
  }

  /// With no warp runnable: opens the barrier where all threads wait. Returns false once all have left.
  static bool release_barrier(Block& block) {
    const auto waits = [](const Thread& thread) { return thread.state == Doing::at_barrier; };
    const auto first = std::find_if(block.threads.begin(), block.threads.end(), waits);
    if (first == block.threads.end()) return false;
    for (Thread& thread : block.threads) {
      if (thread.state == Doing::left)
        throw Error(fmt::format("{}: {} of {} threads of {} reach this barrier, the others have left",
                                line(first->where), std::ranges::count_if(block.threads, waits), block.threads.size(),
                                name_of(block)));
      if (!same(thread.where, first->where))
        throw Error(fmt::format("{}: some threads of a block wait at this barrier, others at {}", line(first->where),
                                line(thread.where)));
    }
    for (Thread& thread : block.threads) thread.state = Doing::ready;
    return true;
  }

  static std::string name_of(const Block& block) {
    return fmt::format("block ({}, {}, {})", block.index.x, block.index.y, block.index.z);
  }

  /// Throws where so many turns have passed with naps alone that each of `warps` has had its own, many times: nothing
  /// that runs will change the memory that they wait for.
  void require_progress(std::size_t warps) {
    if (stalled_ < 64 * (warps + waiting_.size()) + 256) return;
    std::string waiting;
    for (const Stream::State* stream : streams_)
      for (const auto& block : stream->blocks) {
        const auto thread =
            std::ranges::find(block->threads, Doing::napping, [](const Thread& each) { return each.state; });
        if (thread == block->threads.end()) continue;
        waiting += fmt::format("{}{}, thread {} of {}, at {}", waiting.empty() ? "" : "; ", stream->name,
                               thread - block->threads.begin(), name_of(*block), line(thread->where));
        break;
      }
    throw Error("threads wait for memory that nothing will write: " + waiting);
  }

  /// Unwinds all waiting threads, which frees their fibers, and drops all work.
  void give_up() {
    giving_up_ = true;
    for (Stream::State* stream : streams_)
      for (const auto& block : stream->blocks) {
        block_ = block.get();
        for (Thread& thread : block->threads)
          if (thread.state != Doing::fresh && thread.state != Doing::left) {
            current_ = &thread;
            run_current();
          }
      }
    giving_up_ = false;
    failure_ = nullptr;
    upcoming_ = nullptr;
    runnable_.clear();
    settle();
    for (Stream::State* stream : streams_) {
      stream->blocks.clear();
      stream->work.clear();
    }
  }

  std::vector<Stream::State*> streams_;
  std::vector<Stream::State*> waiting_;  // their next launch can begin
  std::vector<Warp> runnable_;           // of resident launches
  Stream::State* held_ = nullptr;        // its warps are not drawn
  std::uint64_t turns_held_ = 0;
  std::uint64_t stalled_ = 0;  // turns in which threads only napped
  Block* block_ = nullptr;     // of the warp whose turn it is
  std::span<Thread> warp_;
  Shuffled turn_{0, 0};
  Thread* current_ = nullptr;
  Thread* upcoming_ = nullptr;  // drawn by the fiber itself, not by the scheduler
  std::exception_ptr failure_;
  bool giving_up_ = false;
  std::uint64_t order_ = 0, drawn_ = 0;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<std::unique_ptr<Block>> ended_blocks_;  // kept until the caller waits for nothing
  std::vector<std::unique_ptr<Work>> ended_;
};

namespace {

/// Never destroyed: its fibers are suspended in their main loops.
Machine& machine() {
  static Machine& only = *new Machine;
  return only;
}

}  // namespace

Stream::Stream(std::string name) : state_(std::make_unique<State>()) {
  state_->name = std::move(name);
  machine().add(*state_);
}

Stream::~Stream() { machine().remove(*state_); }

void Stream::enqueue(const Launch& launch, std::function<void()> thread) {
  Machine::require_runnable(launch);
  state_->work.push_back(std::unique_ptr<Work>(new Work{launch, std::move(thread)}));
  release_to(&state_->enqueued);
}

void run() { machine().run(); }

unsigned lane() { return machine().lane_of(machine().current()); }

std::span<std::byte> shared_memory() { return machine().shared(); }

void sync_block(std::source_location where) { machine().wait(Doing::at_barrier, where); }

void nap(std::source_location where) { machine().nap(where); }

void note_store() { machine().note_store(); }

bool coin() { return machine().random() % 2 == 0; }

namespace {

/// Waits for `lanes`; the running thread's value is already stored.
void meet(Doing state, LaneMask lanes, std::source_location where) {
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
  meet(Doing::at_exchange, lanes, where);
  std::memcpy(value.data(), me.value.data(), value.size());
}

LaneMask vote(bool predicate, LaneMask lanes, std::source_location where) {
  Thread& me = machine().current();
  me.votes = predicate ? bit(lane()) : 0;
  meet(Doing::at_vote, lanes, where);
  return me.votes;
}

}  // namespace crosswarp::simt
