// A fake device with simulated time, and a tiny experiment.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"
#include "core/result.hpp"

namespace crosswarp::fake {

/// Memory of the host; launches run where they are called, and take the time that they add to `elapsed`.
class FakeDevice final : public Device {
 public:
  explicit FakeDevice(DeviceInfo info) : Device(std::move(info)) {}

  void* allocate(std::size_t bytes) override {
    if (bytes > info_.memory) throw Error("the fake has no memory left");
    ++allocations;
    sizes.insert(bytes);
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  void release(void* memory) noexcept override {
    --allocations;
    std::free(memory);
  }
  std::size_t free_memory() const override { return free(); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override { std::memset(memory, byte, bytes); }
  void read(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void write(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void generate_elements(const TypedSpan& to, const Elements& elements) override { fill_elements(to, elements); }
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override { fill_general(to, numbers); }
  void permute(std::span<std::uint32_t> to, const Permutation& order) override { fill_permutation(to, order); }
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override {
    fill_chain(memory, stride, order, origin);
  }
  void relocate(std::size_t place) override { places.push_back(place); }
  void synchronize() override {
    events += 's';
    if (capturing) throw Error("nobody may wait while the fake captures");
  }
  void make_current() override { ++made_current; }
  double time(const Batch& batch) override {
    elapsed = 0;
    ++batches_of[batch.count];
    ++batches;
    cold += batch.cold;
    gated += batch.gated;
    // Launches run where they are called, so the gate is looked at before them. What does not wait for it runs here.
    if (batch.gated && outside) outside();
    if (batch.while_closed) batch.while_closed();
    behind_gate = batch.gated;
    for (std::size_t i = 0; i < batch.count; ++i) batch.launch(i);
    behind_gate = false;
    const double seconds = elapsed;
    if (batch.behind) batch.behind();
    if (later) std::exchange(later, {})();
    return seconds;
  }
  /// Launches run when they are captured, too, which a real device's do not.
  std::function<void()> capture(const std::function<void(std::size_t)>& launch, std::size_t count) override {
    if (!info_.graphs) return Device::capture(launch, count);
    const auto all = [launch, count] {
      for (std::size_t i = 0; i < count; ++i) launch(i);
    };
    ++captures;
    capturing = true;
    try {
      all();
    } catch (const std::exception& error) {
      capturing = false;
      throw Error(std::string("cannot be captured: ") + error.what());
    }
    capturing = false;
    return [this, all] {
      graph_runs = true;
      all();
      graph_runs = false;
    };
  }
  void launch_empty(bool pdl) override { elapsed += empty_time() - (pdl ? pdl_saves : 0); }
  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override {
    ++reads;
    cache_reads += sweeps > 1;
    return static_cast<double>(memory.size() * sweeps) / 1e9;
  }
  bool lost() const override { return is_lost; }
  Counters count(const std::vector<const Counter*>& wanted, const std::function<void()>& launch, bool from_cold,
                 const ProfiledProcess& process) override {
    launch();
    counted_cold = from_cold;
    counted_by = process;
    return counts(wanted);
  }
  bool is_asynchronous() const override { return asynchronous; }
  bool has_own_memory() const override { return own_memory; }
  std::optional<ThreadTimes> thread_times() const override { return threads; }
  Telemetry telemetry() const override { return state(); }
  std::optional<double> energy() const override { return joules(); }
  std::string restore_state() override { return std::exchange(changed_state, {}); }
  void begin_range(const std::string& name) override {
    ranges.insert(name);
    events += '(';
  }
  void end_range() noexcept override { events += ')'; }

  DeviceInfo& facts() { return info_; }

  double elapsed = 0;  // seconds
  std::function<std::size_t()> free = [] { return std::size_t{1} << 20; };
  std::function<double()> empty_time = [] { return 1e-6; };
  std::function<Telemetry()> state = [] { return Telemetry(); };
  std::function<std::optional<double>()> joules = [] { return std::optional<double>(); };  // its energy counter
  double pdl_saves = 0;                                                                    // seconds of an empty launch
  std::optional<ThreadTimes> threads;
  ProfiledProcess counted_by;
  bool is_lost = false;
  std::function<Counters(const std::vector<const Counter*>&)> counts = [](const auto&) -> Counters {
    throw Error("nobody may count");
  };
  bool counted_cold = false;
  bool asynchronous = false, own_memory = false;
  std::function<void()> outside, later;  // work that does not wait for a gate; that goes on behind the last launch
  std::string changed_state;             // by a launch
  std::set<std::string> ranges;          // that profilers were shown
  std::string events;                    // `(` and `)`: a range began and ended; `s`: somebody waited
  int allocations = 0, reads = 0, cache_reads = 0;
  std::vector<std::size_t> places;        // to which it was relocated
  std::set<std::size_t> sizes;            // of all allocations
  int batches = 0, cold = 0, gated = 0;   // how many were timed, and how many of them so
  std::map<std::size_t, int> batches_of;  // by the number of launches
  bool capturing = false, graph_runs = false, behind_gate = false;
  int captures = 0;
  int made_current = 0;
};

inline std::shared_ptr<FakeDevice> make_device(const std::string& key = "fake0") {
  DeviceInfo info;
  info.key = key;
  info.name = "Fake 1";
  info.architecture = "fk_1";
  info.memory = std::size_t{1} << 30;
  info.graphs = true;
  return std::make_shared<FakeDevice>(std::move(info));
}

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(std::string name, std::shared_ptr<FakeDevice> device = {})
      : name_(std::move(name)), device_(std::move(device)) {}
  std::string name() const override { return name_; }
  std::vector<DeviceInfo> devices() const override {
    return device_ ? std::vector{device_->info()} : std::vector<DeviceInfo>{};
  }
  std::string why_none() const override { return "nobody built one"; }
  std::shared_ptr<Device> open(std::size_t) const override { return device_; }
  Execution execution() const override { return runs; }
  void use_threads(int threads) const override {
    if (runs.is_chosen) runs.threads = threads > 0 ? threads : most_threads;
  }
  std::vector<KernelUse> kernels_of(Device&, const std::function<void()>& launch) const override {
    if (!kernels.empty()) launch();
    return kernels;
  }

  static constexpr int most_threads = 8;
  mutable Execution runs;
  std::vector<KernelUse> kernels;  // of a launch, whatever it is

 private:
  std::string name_;
  std::shared_ptr<FakeDevice> device_;
};

/// out[i] = in[0] for all i < n; every set of inputs has a value of its own, in every generation.
class Fill {
 public:
  static constexpr std::string_view name = "fill";
  static constexpr std::string_view summary = "n times the same number";

  struct Args {
    std::span<float> out;
    std::span<const float> in;
    bool is_shorter;
    float value() const { return in[0] + (is_shorter ? 1.0f : 0.0f); }
  };

  static std::vector<Axis> axes() {
    return {{.name = "n", .meaning = "elements", .bench = {std::int64_t{4}, std::int64_t{16}}, .most = 1 << 30},
            {.name = "offset", .meaning = "elements", .bench = {std::int64_t{0}}, .implied = std::int64_t{0}},
            {.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f16", "f32"}}};
  }
  static Point point(std::int64_t n, std::int64_t offset = 0) {
    return product(axes(), {{n}, {offset}, {"f32"}}).front();
  }
  static std::vector<TestPoint> test_points() { return {{point(1)}, {point(100, 3), true}}; }
  static Cost cost(const Point& p) {
    return {.bytes_written = 4.0 * static_cast<double>(p.integer("n")), .left_out = left_out};
  }
  static std::size_t footprint(const Point& p) { return 4 * static_cast<std::size_t>(p.integer("n")); }

  Fill(Device& device, const Point& p, std::uint64_t seed, std::size_t sets) : device_(device), seed_(seed) {
    for (std::size_t set = 0; set < sets; ++set) {
      out_.emplace_back(device, static_cast<std::size_t>(p.integer("n")),
                        static_cast<std::size_t>(p.integer("offset")));
      in_.emplace_back(device, 1).poison();
    }
    std::this_thread::sleep_for(preparing_takes);
    ++prepared;
    most_alive = std::max(most_alive, ++alive);
  }
  ~Fill() { --alive; }

  Args args(std::size_t set) const { return {out_.at(set).span(), in_.at(set).span(), is_shorter_}; }
  void refill(std::uint64_t generation) {
    ++refills;
    generation_ = generation;
    for (std::size_t set = 0; set < in_.size(); ++set) in_[set].span()[0] = input(set);
  }
  Memory outputs(std::size_t set) const { return {out_.at(set).bytes()}; }
  void poison() {
    for (auto& out : out_) out.poison();
  }
  Verdict check(ResultIn where) const {
    looked_in = where;
    for (std::size_t set = 0; set < out_.size(); ++set) {
      if (!out_[set].guards_intact()) return {.where = "a guard band was written to"};
      for (std::size_t i = 0; i < out_[set].size(); ++i)
        if (const float value = expected_value(set); out_[set].read(i) != value)
          return {.where = mismatch("out[" + std::to_string(i) + "]", out_[set].read(i), value)};
    }
    return {.ok = true, .error = 0, .where = {}};
  }

  bool refill_general(Distribution distribution, std::uint64_t draw) {
    ++general_refills;
    if (rounds) device_.generate_general(in_[0].span(), GeneralNumbers(distribution, generation_seed(seed_, draw), 1));
    return rounds;
  }
  Errors errors(ResultIn) const {
    Errors errors;
    for (const float element : out_[0].read()) errors.add(element, {args(0).value(), 0});
    return errors;
  }

  /// Outputs are one larger.
  void shorten(bool is) { is_shorter_ = is; }
  std::vector<Observation> observe() const { return observed(); }
  static bool exists(const Point& p) { return p.integer("n") != senseless; }
  static std::vector<Expectation> expectations(const Point&) { return expected; }
  static std::vector<CeilingPoint> ceilings() { return {{"l1", point(4)}}; }
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes) {
    return {sentence(std::to_string(outcomes.size()) + " outcomes")};
  }

  static constexpr std::int64_t senseless = 13;
  static inline std::function<std::vector<Observation>()> observed = [] { return std::vector<Observation>{}; };
  static inline std::vector<Expectation> expected;
  static inline double left_out = 0;
  static inline bool rounds = true;
  static inline int general_refills = 0;
  static inline int refills = 0, prepared = 0, alive = 0, most_alive = 0;
  static inline std::chrono::milliseconds preparing_takes{0};
  static inline ResultIn looked_in = ResultIn::device;

 private:
  float input(std::size_t set) const { return static_cast<float>(100 * seed_ + 1000 * generation_ + set); }
  float expected_value(std::size_t set) const { return input(set) + (is_shorter_ ? 1.0f : 0.0f); }

  Device& device_;
  std::uint64_t seed_, generation_ = 0;
  bool is_shorter_ = false;
  std::vector<Buffer<float>> out_, in_;
};

/// What a fake variant is launched with.
struct Launch {
  FakeDevice& device;
  const Fill& problem;
  std::size_t set;
  std::span<std::byte> workspace;
  LaunchLog& log;

  /// The right result, in `seconds`.
  void fill(double seconds = 1e-3) const {
    const Fill::Args args = problem.args(set);
    std::fill(args.out.begin(), args.out.end(), args.value());
    device.elapsed += seconds;
  }
};

inline VariantEntry variant(
    const std::string& backend, const std::string& name,
    std::function<void(const Launch&)> launch = [](const Launch& l) { l.fill(); }) {
  VariantEntry entry;
  entry.backend = backend;
  entry.experiment = "fill";
  entry.name = name;
  entry.source = name + ".cpp";
  entry.idea = "the idea of " + name;
  entry.bound_by = "the limit of " + name;
  entry.tunings.resize(1);
  // Shared, so that what a launch remembers outlives one binding, as static variables of a real variant do.
  const auto shared = std::make_shared<std::function<void(const Launch&)>>(std::move(launch));
  entry.bind = [shared](Device& device, const Problem& problem, const Tuning&) {
    Bound bound{{}, std::make_shared<std::vector<Buffer<std::byte>>>(), std::make_shared<LaunchLog>()};
    bound.workspaces->emplace_back(device, 16);
    const Fill& fill = static_cast<const ProblemOf<Fill>&>(problem).prepared();
    bound.launch = [shared, &device, &fill, workspaces = bound.workspaces, log = bound.log](std::size_t set) {
      (*shared)({static_cast<FakeDevice&>(device), fill, set, workspaces->front().span(), *log});
    };
    return bound;
  };
  return entry;
}

/// A registry of fakes. `fake` and `other` share a device, `far` has one of its own, `none` has none.
struct Lab {
  Lab() {
    registry.add(std::make_unique<FakeBackend>("fake", device));
    registry.add(std::make_unique<FakeBackend>("other", device));
    registry.add(std::make_unique<FakeBackend>("far", far));
    registry.add(std::make_unique<FakeBackend>("none"));
  }
  FakeBackend& backend(const std::string& name) const {
    return const_cast<FakeBackend&>(static_cast<const FakeBackend&>(registry.backend(name)));
  }
  Cell add(const VariantEntry& entry, const Point& point = Fill::point(4)) {
    registry.add(entry, describe<Fill>());
    return cell(entry.id(), point);
  }
  Cell cell(const std::string& id, const Point& point = Fill::point(4), std::size_t tuning = 0) const {
    const VariantEntry& v = registry.variants().at(id);
    return {&registry.backend(v.backend), &registry.experiments().at("fill"), &v, &v.tunings.at(tuning), point};
  }

  std::shared_ptr<FakeDevice> device = make_device(), far = make_device("fake1");
  Registry registry;
};

/// As the runner leaves a result that is right, with these samples of one placement.
inline Result timed(const Cell& cell, std::vector<double> seconds) {
  Result r;
  r.cell = cell;
  r.status = Status::ok;
  r.verdict = {.ok = true, .error = 0, .where = {}};
  r.cost = cell.experiment->cost(cell.point);
  r.device = cell.backend->devices().at(0);
  if (!seconds.empty()) r.measurement.seconds.push_back(std::move(seconds));
  return r;
}

}  // namespace crosswarp::fake
