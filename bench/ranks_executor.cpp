// One thread runs cells, since devices belong to a thread, and may stand still for ever; the caller's watches.
#include "bench/ranks_executor.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "bench/interrupt.hpp"
#include "bench/version.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr double poll_interval = 0.05;  // seconds: the launcher ends this process a second after another has ended

/// The commit, and a hash of the program's file: 64-bit FNV-1a.
std::string build() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::istreambuf_iterator<char> at(file), end; at != end; ++at)
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  return fmt::format("{} ({:016x})", commit(), hash);
}

void fail(Result& result, const std::string& why) {
  result.status = Status::failed;
  result.note = why;
}

}  // namespace

void require_one_build(Processes& processes) {
  const std::string own = build();
  if (processes.rank() > 0) return processes.send(0, std::as_bytes(std::span(own)));
  std::string others;
  for (std::size_t rank = 1; rank < processes.size(); ++rank) {
    const std::vector<std::byte> bytes = processes.receive(rank);
    const std::string theirs(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (theirs != own) others += fmt::format("{}{} has {}", others.empty() ? "" : ", ", processes.name(rank), theirs);
  }
  if (!others.empty())
    throw Error(fmt::format("ranks of several builds: {}, and {} {}", others, processes.name(0), own));
}

/// Runs one task after the other.
class RanksExecutor::Thread {
 public:
  explicit Thread(const Options& options) : thread_([this, &options] { serve(options); }) {}
  ~Thread() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  void start(std::function<void(Executor&)> task) {
    {
      const std::lock_guard lock(mutex_);
      task_ = std::move(task);
    }
    changed_.notify_all();
  }
  /// Leaves it alone: it stands still.
  void abandon() { thread_.detach(); }

 private:
  void serve(const Options& options) {
    InProcess here(options);
    for (std::unique_lock lock(mutex_);;) {
      changed_.wait(lock, [&] { return ends_ || task_; });
      if (!task_) return;
      const auto task = std::exchange(task_, nullptr);
      lock.unlock();
      task(here);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void(Executor&)> task_;
  bool ends_ = false;
  std::thread thread_;  // the last member: it uses the others
};

RanksExecutor::RanksExecutor(const Options& options) : options_(options) {
  static Options mine;  // outlives a thread that is left alone
  mine = options;
  mine.run.position = &position_;
  thread_ = std::make_unique<Thread>(mine);
}

RanksExecutor::~RanksExecutor() = default;

template <class Work>
auto RanksExecutor::ask(Work work) -> std::optional<decltype(work(std::declval<Executor&>()))> {
  using Answer = decltype(work(std::declval<Executor&>()));
  if (!why_over_.empty() || interrupted()) return {};
  const auto answer = std::make_shared<std::promise<Answer>>();
  position_.enter(Position::none);
  position_.placement = 0;
  silence_ = 0;
  thread_->start([answer, work](Executor& here) mutable {
    try {
      answer->set_value(work(here));
    } catch (...) {
      answer->set_exception(std::current_exception());
    }
  });
  std::future<Answer> future = answer->get_future();
  while (future.wait_for(std::chrono::duration<double>(poll_interval)) != std::future_status::ready) {
    why_over_ = trouble();
    if (!why_over_.empty()) return {};
    if (watch) watch(position_);
  }
  return future.get();
}

std::string RanksExecutor::trouble() {
  const Processes& processes = *options_.run.processes;
  if (const std::string rank = processes.ended(); !rank.empty()) return rank + " has ended";
  if (interrupted()) return "interrupted";
  silence_ = position_.steps == steps_ ? silence_ + poll_interval : 0;
  steps_ = position_.steps;
  if (silence_ <= options_.hang_limit) return {};
  const std::string who = processes.laggards();
  return fmt::format("hung: no sign of life for {:g} s (--hang-limit); {}", options_.hang_limit,
                     who.empty() ? "which rank is not known" : who);
}

const DeviceStatus& RanksExecutor::status(const Backend& backend, std::size_t ranks) {
  static const DeviceStatus none{.device = {}, .why_not = "its ranks have ended"};
  const auto status = ask([&backend, ranks](Executor& here) { return &here.status(backend, ranks); });
  return status ? **status : none;
}

double RanksExecutor::measured_bandwidth(const Backend& backend) {
  return ask([&backend](Executor& here) { return here.measured_bandwidth(backend); }).value_or(0);
}

std::optional<double> RanksExecutor::used_by_others(const Backend& backend) {
  return ask([&backend](Executor& here) { return here.used_by_others(backend); }).value_or(std::nullopt);
}

/// The cell that ran when a rank failed, and those that had not finished with it. Empty after an interruption.
std::vector<Result> RanksExecutor::failed(const std::vector<Result>& asked) const {
  if (interrupted() && why_over_ == "interrupted") return {};
  std::vector<Result> results = asked;
  for (std::size_t i = 0; i < results.size(); ++i)
    fail(results[i], i == position_.cell || results.size() == 1 ? why_over_ : "not finished: " + why_over_);
  return results;
}

Result RanksExecutor::verify(const Cell& cell) {
  if (auto result = ask([cell](Executor& here) { return here.verify(cell); })) return *std::move(result);
  Result result;
  result.cell = cell;
  fail(result, why_over_);
  return result;
}

std::vector<Result> RanksExecutor::run(const std::vector<Cell>& cells, Mode mode,
                                       const std::vector<std::string>& backends, LaunchBy launch_by,
                                       const StopRule& stop) {
  if (auto results = ask([=](Executor& here) { return here.run(cells, mode, backends, launch_by, stop); }))
    return *std::move(results);
  std::vector<Result> asked;
  for (const Cell& cell : cells) {
    Result& result = asked.emplace_back();
    result.cell = cell;
    result.mode = mode;
    result.launch_by = launch_by;
    if (cell.variant->not_expressible.empty()) result.cost = cell.experiment->cost(cell.point);
  }
  return failed(asked);
}

void RanksExecutor::count(std::vector<Result>& results) { add(results, &Executor::count); }
void RanksExecutor::energy(std::vector<Result>& results) { add(results, &Executor::energy); }
void RanksExecutor::accuracy(std::vector<Result>& results) { add(results, &Executor::accuracy); }

/// What `measure` adds to results. They stay as they are if a rank failed meanwhile.
void RanksExecutor::add(std::vector<Result>& results, void (Executor::*measure)(std::vector<Result>&)) {
  auto measured = ask([results, measure](Executor& here) mutable {
    (here.*measure)(results);
    return results;
  });
  if (measured) results = *std::move(measured);
}

/// Destroys the devices on their thread, where nothing is lost.
bool RanksExecutor::end() {
  const bool is_well = why_over_.empty() && !interrupted();
  if (!is_well) thread_->abandon();
  thread_.reset();
  return is_well;
}

}  // namespace crosswarp
