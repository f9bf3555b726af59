// Axes, costs, oracle and findings of op_latency. Host code only, so kernels do not include it.
#include "experiments/op_latency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/format.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"
#include "experiments/chain_steps.hpp"

namespace crosswarp {
namespace {

constexpr std::uint64_t unwritten = ~std::uint64_t{0};

std::int64_t steps(const Point& point) {
  if (const std::int64_t given = point.integer("steps")) return given;
  return OpLatency::op_of(point) == OpLatency::Op::sin ? 256 : 4096;
}

/// Half, in whole rounds; 0 where that is none.
std::int64_t half_of_steps(const Point& point) {
  const std::int64_t half = steps(point) / 2;
  return OpLatency::op_of(point) == OpLatency::Op::fma_f16x2 ? half / f16_pair.round_steps * f16_pair.round_steps
                                                             : half;
}

std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
float to_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

}  // namespace

std::vector<Axis> OpLatency::axes() {
  std::vector<Value> ops;
  for (const std::string_view op : op_names) ops.emplace_back(std::string(op));
  const Value own = std::int64_t{0};
  return {{.name = "op", .meaning = "operation", .bench = ops, .allowed = ops},
          {.name = "steps",
           .meaning = "dependent steps of the shorter run; 0: the operation's default",
           .bench = {own},
           .most = 1 << 16,
           .implied = own}};
}

/// Whole rounds of half-precision pairs. Few enough steps that the bound of an approximation does not hide one.
bool OpLatency::exists(const Point& point) {
  const std::int64_t steps = point.integer("steps");
  switch (op_of(point)) {
    case Op::fma_f16x2:
      return steps % f16_pair.round_steps == 0;
    case Op::sin:
      return steps <= 256;
    case Op::rcp:
    case Op::sqrt:
      return steps <= 4096;
    default:
      return true;
  }
}

std::vector<Point> OpLatency::headline_points() { return {point_with(axes(), {{"op", "fma_f32"}})}; }

std::vector<TestPoint> OpLatency::test_points() {
  std::vector<TestPoint> points;
  for (std::size_t op = 0; op < op_names.size(); ++op)
    for (const std::int64_t steps : {1, 63, 130, 512})
      if (const Point point = at(Op(op), steps); exists(point)) points.push_back({point, false});
  return points;
}

OpLatency::Op OpLatency::op_of(const Point& point) {
  return Op(std::find(op_names.begin(), op_names.end(), point.word("op")) - op_names.begin());
}

Point OpLatency::at(Op op, std::int64_t steps) {
  return product(axes(), {{std::string(op_names[std::size_t(op)])}, {steps}}).front();
}

Cost OpLatency::cost(const Point& point) {
  const std::int64_t shorter = half_of_steps(point);
  return {.accesses = static_cast<double>(4 * steps(point)),
          .left_out = static_cast<double>(shorter > 0 ? 4 * (steps(point) - shorter) : 0),
          .rated = Quantity::accesses,
          .ceiling = {}};
}

std::size_t OpLatency::footprint(const Point&) { return 64 * 24 + 10 * Buffer<std::byte>::guard; }

OpLatency::OpLatency(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      op_(op_of(point)),
      steps_(steps(point)),
      shorter_(half_of_steps(point)),
      lanes_(static_cast<std::size_t>(std::max(1, device.info().warp_size))),
      seed_(seed) {
  a_ = op_ == Op::mad_i32 ? 1664525 : op_ == Op::fma_f16x2 ? f16_pair.factor() : oscillating_factor(all_steps());
  b_ = op_ == Op::mad_i32 ? 1013904223 : op_ == Op::rcp ? double{Rotation::b()} : oscillating_addend;
  for (std::size_t set = 0; set < sets; ++set) {
    starts_.emplace_back(device, lanes_);
    next_.emplace_back(device, lanes_);
    ends_.emplace_back(device, lanes_);
    words_.emplace_back(device, lanes_);
    elapsed_.emplace_back(device, 2);
  }
  expected_.resize(sets);
}

void OpLatency::refill(std::uint64_t generation) {
  const std::vector<std::uint32_t> next = two_cycles();
  for (std::size_t set = 0; set < starts_.size(); ++set) {
    std::vector<std::uint64_t> starts(lanes_);
    const RandomStream random(generation_seed(seed_, generation), set);
    for (std::size_t lane = 0; lane < lanes_; ++lane) starts[lane] = start(lane, random(lane));
    expected_[set].clear();
    for (const std::int64_t steps : {steps_, shorter_})
      for (const std::uint64_t bits : starts) expected_[set][steps].push_back(end(bits, 4 * steps, next));
    starts_[set].write(std::span<const std::uint64_t>(starts));
    next_[set].write(std::span<const std::uint32_t>(next));
  }
}

OpLatency::Args OpLatency::args(std::size_t set) const {
  return {op_,
          static_cast<unsigned>(taken_),
          a_,
          b_,
          starts_[set].span(),
          next_[set].span(),
          ends_[set].span(),
          words_[set].span(),
          elapsed_[set].span()};
}

void OpLatency::poison() {
  for (std::size_t set = 0; set < ends_.size(); ++set) {
    ends_[set].poison();
    words_[set].poison();
    elapsed_[set].poison();
  }
}

Verdict OpLatency::check(ResultIn) const {
  device_.synchronize();
  Verdict worst{.ok = true, .error = 0, .bound = bound(), .where = {}};
  if (!guards_intact(ends_, starts_, next_, words_, elapsed_))
    return {.ok = false, .where = "a guard band beside starts, ends or words was written to"};
  for (std::size_t set = 0; set < ends_.size(); ++set) {
    const std::vector<std::uint64_t> ends = ends_[set].read();
    const std::vector<std::uint64_t>& expected = expected_[set].at(taken_);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const double is = number(ends[lane]), should_be = number(expected[lane]);
      const double off = ends[lane] == expected[lane] ? 0 : error(is, should_be);
      if (off <= worst.error) continue;
      worst.error = off;
      if (off <= worst.bound) continue;
      worst.ok = false;
      worst.where = mismatch("lane " + std::to_string(lane) + " of input " + std::to_string(set), is, should_be);
      if (std::isnan(off)) return worst;
    }
  }
  return worst;
}

std::vector<Observation> OpLatency::observe() const {
  constexpr double least_nanoseconds = 50'000;  // the device's timer ticks once per microsecond
  std::vector<double> cycles;
  double nanoseconds = 0;
  for (const auto& buffer : elapsed_) {
    const std::vector<Elapsed> took = buffer.read();
    if (took[0].cycles == unwritten || took[1].cycles == unwritten) return {};
    cycles.push_back((static_cast<double>(took[1].cycles) - static_cast<double>(took[0].cycles)) /
                     static_cast<double>(steps_));
    nanoseconds += static_cast<double>(took[1].nanoseconds) - static_cast<double>(took[0].nanoseconds);
  }
  std::nth_element(cycles.begin(), cycles.begin() + std::ptrdiff_t(cycles.size() / 2), cycles.end());
  std::vector<Observation> observed{{"cycles_per_op", "cycle", cycles[cycles.size() / 2]}};
  if (nanoseconds > least_nanoseconds)
    observed.push_back(
        {"ns_per_op", "ns", nanoseconds / static_cast<double>(steps_) / static_cast<double>(elapsed_.size())});
  return observed;
}

std::vector<Finding> OpLatency::findings(const std::vector<Outcome>& outcomes) {
  std::vector<Finding> found;
  for (const Outcome& o : outcomes) {
    const auto cycles = o.observed.find("cycles_per_op"), ns = o.observed.find(std::string(ns_per_step));
    if (cycles == o.observed.end() && ns == o.observed.end()) continue;
    Finding& line = found.emplace_back(Finding{"op_latency", "", {{"op", o.point.word("op")}, {"rung", o.rung}}});
    if (cycles != o.observed.end()) {
      line.text = "{op}: {cycles:.1f} cycles by {rung}";
      line.values.emplace_back("cycles", cycles->second, "cycles");
    }
    if (ns != o.observed.end()) {
      line.text += line.text.empty() ? "{op}: {ns:.2f} ns by {rung}, of launches of two lengths"
                                     : ", {ns:.2f} ns of launches of two lengths";
      line.values.emplace_back("ns", ns->second, "ns");
    }
  }
  return found;
}

/// rcp: radians; sqrt: relative; sin: absolute; others: exact. sqrt: a step adds an error of 2 ulp of the root, which
/// is at most as large as the sum, and 1/2 ulp of the sum; the root halves earlier errors. sin: a step adds 2^-20.5,
/// the max error of the special-function unit, and scales earlier errors by 1 - x²/2.
double OpLatency::bound() const {
  const auto n = static_cast<double>(all_steps());
  if (op_ == Op::rcp) return Rotation::bound(all_steps(), 2);
  if (op_ == Op::sqrt) return n * 2.5 * 0x1p-24;
  return op_ == Op::sin ? n / 2.5 * 0x1p-20 : 0;
}

double OpLatency::error(double is, double should_be) const {
  if (op_ == Op::rcp)
    return std::isnan(is) ? is : Rotation::between(Rotation::angle_of(is), Rotation::angle_of(should_be));
  const double off = std::abs(is - should_be);
  if (is_approximate()) return op_ == Op::sqrt ? off / should_be : off;
  return off > 0 ? off : std::nan("");  // equal numbers of different bits
}

double OpLatency::number(std::uint64_t bits) const {
  if (op_ == Op::fma_f64) return std::bit_cast<double>(bits);
  return op_ == Op::fma_f32 || op_ == Op::add_f32 || is_approximate() ? double{to_float(bits)}
                                                                      : static_cast<double>(bits);
}

/// Two cycles over the lanes of coprime lengths: 13 and 19, or 29 and 35.
std::vector<std::uint32_t> OpLatency::two_cycles() const {
  std::vector<std::uint32_t> next(lanes_);
  const std::size_t first = lanes_ < 8 ? lanes_ : lanes_ / 2 - 3;
  for (std::size_t lane = 0; lane < lanes_; ++lane)
    next[lane] = static_cast<std::uint32_t>(lane + 1 == first ? 0 : lane + 1 == lanes_ ? first % lanes_ : lane + 1);
  return next;
}

std::uint64_t OpLatency::start(std::size_t lane, std::uint32_t random) const {
  const double share = std::ldexp(random | 1, -32);
  switch (op_) {
    case Op::fma_f32:
      return bits(static_cast<float>(0.5 + share / 2));
    case Op::fma_f64:
      return bits(0.5 + share / 2);
    case Op::add_f32:
      return bits(static_cast<float>(random >> 12));
    case Op::rcp:
      return bits(static_cast<float>(Rotation::at(share * std::numbers::pi)));
    case Op::sqrt:
    case Op::sin:
      return bits(static_cast<float>(1 + share / 2));
    case Op::shuffle:
      return lane;
    default:
      return random;
  }
}

/// The bits of x after `steps` steps from `start`.
std::uint64_t OpLatency::end(std::uint64_t start, std::int64_t steps, const std::vector<std::uint32_t>& next) const {
  const auto repeat = [&](auto x, const auto& step) {
    for (std::int64_t s = 0; s < steps; ++s) x = step(x);
    return x;
  };
  auto word = static_cast<std::uint32_t>(start);
  std::uint32_t held = 1;
  switch (op_) {
    case Op::fma_f32:
      return bits(repeat(to_float(start), [&](float x) {
        return multiply_add(x, static_cast<float>(a_), static_cast<float>(b_), Rounding::fused);
      }));
    case Op::fma_f64:
      return bits(
          repeat(std::bit_cast<double>(start), [&](double x) { return multiply_add(x, a_, b_, Rounding::fused); }));
    case Op::fma_f16x2: {
      static const std::vector<std::uint16_t> table = f16_pair.steps();
      return f16_pair.end(word, steps, table);
    }
    case Op::mad_i32:
      return repeat(word, [](std::uint32_t x) { return 1664525u * x + 1013904223u; });
    case Op::add_f32:
      return bits(repeat(to_float(start), [](float x) { return x + 1; }));
    case Op::rcp:
      return bits(static_cast<float>(Rotation::at(Rotation::after(Rotation::angle_of(to_float(start)), steps))));
    case Op::sqrt:
      return bits(static_cast<float>(repeat(double{to_float(start)}, [](double x) { return x + std::sqrt(x); })));
    case Op::sin:
      return bits(static_cast<float>(repeat(double{to_float(start)}, [](double x) { return std::sin(x); })));
    case Op::shuffle:
      return repeat(word, [&](std::uint32_t x) { return next[x]; });
    default:
      return repeat(word, [&](std::uint32_t x) {
        const std::uint32_t old = held;
        held += x;
        return old;
      });
  }
}

template ExperimentEntry describe<OpLatency>();

}  // namespace crosswarp
