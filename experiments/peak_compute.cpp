// Axes, costs, oracle and findings of peak_compute. Host code only, so kernels do not include it.
#include "experiments/peak_compute.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/format.hpp"
#include "experiments/chain_steps.hpp"

namespace crosswarp {
namespace {

using Type = PeakCompute::Type;

/// special: with a reciprocal within 2 ulp, as hardware's and libraries' are, the angle's error is below 0.006 radians.
/// One step too few or too many moves the angle by at least 1.2, 64 of them by 0.018.
constexpr std::size_t most_special_steps = 1 << 14;
constexpr double reciprocal_ulp = 2;

/// Default: 2 tiles or 3072 chains for each of 132 multiprocessors. They divide by 4, 8 and 12 chains per thread.
std::size_t chains_of(const Point& point) {
  const auto given = static_cast<std::size_t>(point.integer("chains"));
  return given ? given : PeakCompute::is_tensor(PeakCompute::type_of(point)) ? 264 : 132 * 3072;
}

std::size_t steps_of(const Point& point) {
  if (const auto given = static_cast<std::size_t>(point.integer("steps"))) return given;
  switch (PeakCompute::type_of(point)) {
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
      return 1 << 17;
    case Type::f64:
    case Type::i32:
      return 1 << 16;
    case Type::special:
      return most_special_steps;
    default:
      return PeakCompute::most_tensor_steps;
  }
}

double operations_per_step(Type type) {
  const PeakCompute::Tile of = PeakCompute::tile(type);
  if (PeakCompute::is_tensor(type)) return 2.0 * static_cast<double>(of.accumulators() * of.depth);
  return PeakCompute::is_half(type) ? 4 : type == Type::special ? 1 : 2;
}

std::size_t end_size(Type type) {
  if (PeakCompute::is_tensor(type)) return PeakCompute::tile(type).accumulators() * (type == Type::tensor_f64 ? 8 : 4);
  return type == Type::f64 ? 8 : 4;
}

/// Chains after which inputs repeat.
std::size_t period(Type type) { return PeakCompute::is_tensor(type) ? PeakCompute::slabs : PeakCompute::start_count; }

template <class T>
std::vector<std::byte> bytes(const std::vector<T>& values) {
  std::vector<std::byte> all(values.size() * sizeof(T));
  std::memcpy(all.data(), values.data(), all.size());
  return all;
}

/// Small integers in the operands' format.
std::vector<std::byte> encoded(Type type, const std::vector<int>& values) {
  const auto as = [&](auto zero, const auto& encode) {
    std::vector<decltype(zero)> all;
    for (const int value : values) all.push_back(static_cast<decltype(zero)>(encode(value)));
    return bytes(all);
  };
  switch (type) {
    case Type::tensor_f16:
      return as(std::uint16_t{}, [](int v) { return f16_format.encoded(v); });
    case Type::tensor_bf16:
      return as(std::uint16_t{}, [](int v) { return bf16_format.encoded(v); });
    case Type::tensor_tf32:
      return as(float{}, [](int v) { return v; });
    case Type::tensor_fp8:
      return as(std::uint8_t{}, [](int v) { return e4m3_format.encoded(v); });
    case Type::tensor_int8:
      return as(std::int8_t{}, [](int v) { return v; });
    default:
      return as(double{}, [](int v) { return v; });
  }
}

}  // namespace

struct PeakCompute::Oracle {
  double a = 0, b = 0;
  Bytes starts;
  std::vector<Bytes> ends;

  template <class T, class End>
  void add_ends(const std::vector<T>& from, const End& end) {
    std::vector<T> to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = end(from[i]);
    starts = bytes(from);
    ends.push_back(bytes(to));
  }

  /// Starts in ±[1/2, 1), away from the centre of the oscillation.
  template <class T>
  void oscillate(const RandomStream& random, std::size_t steps) {
    a = oscillating_factor(std::int64_t(steps));
    b = oscillating_addend;
    std::vector<T> from(start_count);
    for (std::size_t i = 0; i < start_count; ++i) {
      const double size = 0.5 + std::ldexp(random(2 * i) | 1, -33);
      from[i] = static_cast<T>(random(2 * i + 1) & 1 ? size : -size);
    }
    for (const Rounding rounding : {Rounding::fused, Rounding::separate, Rounding::through_double}) {
      if (std::is_same_v<T, double> && rounding == Rounding::through_double) continue;
      add_ends(from, [&](T x) {
        for (std::size_t s = 0; s < steps; ++s) x = multiply_add(x, static_cast<T>(a), static_cast<T>(b), rounding);
        return x;
      });
    }
  }
};

std::vector<Axis> PeakCompute::axes() {
  std::vector<Value> types;
  for (const std::string_view type : type_names) types.emplace_back(std::string(type));
  const Value own = std::int64_t{0};
  return {{.name = "type", .meaning = "type of number", .bench = types, .allowed = types},
          {.name = "chains",
           .meaning = "independent chains (tensor types: tiles); 0: enough for a large GPU",
           .bench = {own, std::int64_t{4096}},
           .most = 1 << 26,
           .implied = own},
          {.name = "steps",
           .meaning = "dependent steps of a chain; 0: about a millisecond on an H200",
           .bench = {own, std::int64_t{1000}},
           .most = 1 << 20,
           .implied = own}};
}

/// Both sizes are defaults, or neither. Some types need a multiple of steps.
bool PeakCompute::exists(const Point& point) {
  const auto steps = static_cast<std::size_t>(point.integer("steps"));
  const Type type = type_of(point);
  if (point.integer("steps") == 0) return point.integer("chains") == 0;
  if (is_tensor(type)) return steps % tensor_step_multiple == 0 && steps <= std::size_t{most_tensor_steps};
  if (is_half(type)) return steps % half_step_multiple == 0;
  return type != Type::special || steps <= most_special_steps;
}

std::vector<Point> PeakCompute::headline_points() { return {at(Type::f32, 4096, 1000), at(Type::f32, 0, 0)}; }

std::vector<TestPoint> PeakCompute::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](Type type, std::int64_t chains, std::int64_t steps) {
    points.push_back({at(type, chains, steps), false});
  };
  for (const Type type : {Type::f32, Type::f64, Type::i32, Type::special}) {
    for (const std::int64_t steps : {1, 2, 33}) add(type, 65, steps);
    for (const std::int64_t chains : {1, 127, 1025}) add(type, chains, 7);
    add(type, 3, 1009);
  }
  for (const Type type : {Type::f16x2, Type::bf16x2})
    for (const std::int64_t chains : {1, 65, 1025}) add(type, chains, 2 * half_step_multiple);
  for (std::size_t type = std::size_t(Type::tensor_f16); type < type_names.size(); ++type) {
    for (const std::int64_t tiles : {1, 3, 300}) add(Type(type), tiles, 32);
    add(Type(type), 2, most_tensor_steps);
  }
  return points;
}

PeakCompute::Type PeakCompute::type_of(const Point& point) {
  const std::string& word = point.word("type");
  return Type(std::find(type_names.begin(), type_names.end(), word) - type_names.begin());
}

Point PeakCompute::at(Type type, std::int64_t chains, std::int64_t steps) {
  return product(axes(), {{std::string(type_names[std::size_t(type)])}, {chains}, {steps}}).front();
}

double PeakCompute::work(const Point& point) {
  return static_cast<double>(chains_of(point)) * static_cast<double>(steps_of(point));
}

Cost PeakCompute::cost(const Point& point) {
  const Type type = type_of(point);
  return {.bytes_written = static_cast<double>(chains_of(point) * end_size(type)),
          .flops = work(point) * operations_per_step(type),
          .accesses = static_cast<double>(steps_of(point)),
          .rated = Quantity::flops,
          .ceiling = type_names[std::size_t(type)]};
}

std::size_t PeakCompute::footprint(const Point& point) {
  return chains_of(point) * end_size(type_of(point)) + 2 * slabs * 256 * 32 + 10 * Buffer<std::byte>::guard;
}

std::vector<CeilingPoint> PeakCompute::ceilings() {
  std::vector<CeilingPoint> points;
  for (std::size_t type = 0; type < type_names.size(); ++type)
    points.push_back({type_names[type], at(Type(type), 0, 0)});
  return points;
}

PeakCompute::PeakCompute(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      type_(type_of(point)),
      chains_(chains_of(point)),
      steps_(steps_of(point)),
      seed_(seed),
      oracle_(oracle(type_, steps_, seed)) {
  for (std::size_t set = 0; set < sets; ++set) {
    inputs_.push_back(input(0, set));  // the sizes are those of all generations
    starts_.emplace_back(device, inputs_.back()->starts.size());
    a_.emplace_back(device, inputs_.back()->a.size());
    b_.emplace_back(device, inputs_.back()->b.size());
    ends_.emplace_back(device, chains_ * end_size(type_));
    elapsed_.emplace_back(device, 1);
  }
}

void PeakCompute::refill(std::uint64_t generation) {
  for (std::size_t set = 0; set < inputs_.size(); ++set) {
    inputs_[set] = input(generation, set);
    starts_[set].write(std::span<const std::byte>(inputs_[set]->starts));
    a_[set].write(std::span<const std::byte>(inputs_[set]->a));
    b_[set].write(std::span<const std::byte>(inputs_[set]->b));
  }
}

PeakCompute::Args PeakCompute::args(std::size_t set) const {
  return {type_,
          chains_,
          static_cast<unsigned>(steps_),
          oracle_->a,
          oracle_->b,
          starts_[set].span(),
          ends_[set].span(),
          a_[set].span(),
          b_[set].span(),
          elapsed_[set].span()};
}

void PeakCompute::poison() {
  for (auto& ends : ends_) ends.poison();
  for (auto& elapsed : elapsed_) elapsed.poison();
}

Verdict PeakCompute::check(ResultIn) const {
  device_.synchronize();
  Verdict worst{.ok = true, .error = 0, .bound = bound(), .where = {}};
  if (!guards_intact(ends_, starts_, a_, b_, elapsed_))
    return {.ok = false, .where = "a guard band beside starts, ends or operands was written to"};
  for (std::size_t set = 0; set < ends_.size() && worst.ok; ++set) {
    const Verdict verdict = check(ends_[set].read(), *inputs_[set], set);
    if (!verdict.ok || verdict.error > worst.error) worst = verdict;
  }
  return worst;
}

std::vector<Observation> PeakCompute::observe() const {
  constexpr std::uint64_t least_nanoseconds = 200'000;
  double cycles = 0, nanoseconds = 0, blocks = 0;
  for (const auto& buffer : elapsed_) {
    const Elapsed elapsed = buffer.read(0);
    if (elapsed.cycles == ~std::uint64_t{0} || elapsed.nanoseconds < least_nanoseconds) continue;
    cycles += static_cast<double>(elapsed.cycles);
    nanoseconds += static_cast<double>(elapsed.nanoseconds);
    ++blocks;
  }
  if (blocks == 0) return {};
  return {{"sm_clock", "MHz", 1e3 * cycles / nanoseconds},
          {"cycles", "", cycles / blocks},
          {"multiprocessors", "", static_cast<double>(device_.info().compute_units)}};
}

/// Where the timed block ran for the whole launch, its cycles are the launch's, whatever the clock rate did between
/// launches. Where it ended early (another wave of blocks followed), the cycles follow from the launch's time.
std::vector<Finding> PeakCompute::findings(const std::vector<Outcome>& outcomes) {
  std::map<Type, std::pair<double, const Outcome*>> best;
  for (const Outcome& o : outcomes) {
    const auto clock = o.observed.find("sm_clock"), cycles = o.observed.find("cycles"),
               units = o.observed.find("multiprocessors");
    if (clock == o.observed.end() || cycles == o.observed.end() || units == o.observed.end()) continue;
    const bool ran_throughout = cycles->second / (clock->second * 1e6) > 0.9 * o.seconds;
    const double of_launch = ran_throughout ? cycles->second : o.seconds * clock->second * 1e6;
    const double per_cycle = o.cost.flops / of_launch / units->second;
    auto& [most, of] = best[type_of(o.point)];
    if (per_cycle > most) most = per_cycle, of = &o;
  }
  std::vector<Finding> all;
  for (const auto& [type, found] : best)
    if (const auto& [per_cycle, of] = found; of)
      all.push_back({"peak_rate",
                     "{type}: {rate:.1f} operations per cycle and multiprocessor, at {clock:.0f} MHz, by {rung}",
                     {{"type", std::string(type_names[std::size_t(type)])},
                      {"rate", per_cycle, "operations per cycle and multiprocessor"},
                      {"clock", of->observed.at("sm_clock"), "MHz"},
                      {"rung", of->rung}}});
  return all;
}

PeakCompute::Oracle PeakCompute::compute(Type type, std::size_t steps, std::uint64_t seed) {
  Oracle oracle;
  const RandomStream random(seed, 0x9eac);
  std::vector<std::uint32_t> words(start_count);
  for (std::size_t i = 0; i < start_count; ++i) words[i] = random(i);
  if (type == Type::f32) oracle.oscillate<float>(random, steps);
  if (type == Type::f64) oracle.oscillate<double>(random, steps);
  if (type == Type::i32) {
    oracle.a = 1664525, oracle.b = 1013904223;
    oracle.add_ends(words, [&](std::uint32_t x) {
      for (std::size_t s = 0; s < steps; ++s) x = 1664525u * x + 1013904223u;
      return x;
    });
  }
  if (is_half(type)) {
    const HalfPair pair = type == Type::f16x2 ? f16_pair : bf16_pair;
    oracle.a = pair.factor(), oracle.b = oscillating_addend;
    oracle.add_ends(words,
                    [&, table = pair.steps()](std::uint32_t x) { return pair.end(x, std::int64_t(steps), table); });
  }
  if (type == Type::special) {
    oracle.b = Rotation::b();
    std::vector<float> starts(start_count);
    for (std::size_t i = 0; i < start_count; ++i)
      starts[i] = static_cast<float>(Rotation::at(std::ldexp(random(i) | 1, -32) * std::numbers::pi));
    oracle.add_ends(starts, [&](float x) {
      return static_cast<float>(Rotation::at(Rotation::after(Rotation::angle_of(x), std::int64_t(steps))));
    });
  }
  return oracle;
}

/// Cached for the process, since it takes 10^5 steps of 64 chains.
std::shared_ptr<const PeakCompute::Oracle> PeakCompute::oracle(Type type, std::size_t steps, std::uint64_t seed) {
  static std::map<std::tuple<Type, std::size_t, std::uint64_t>, std::shared_ptr<const Oracle>> known;
  auto& found = known[{type, steps, seed}];
  if (!found) found = std::make_shared<const Oracle>(compute(type, steps, seed));
  return found;
}

/// The oracle's chains in the given order.
std::shared_ptr<const PeakCompute::Input> PeakCompute::ordered(const Permutation& order) const {
  const auto of = [&](const Bytes& all) {
    const std::size_t size = all.size() / start_count;
    Bytes moved(all.size());
    for (std::size_t i = 0; i < start_count; ++i)
      std::memcpy(moved.data() + i * size, all.data() + order(i) * size, size);
    return moved;
  };
  Input input{of(oracle_->starts), {}, {}, {}};
  for (const Bytes& ends : oracle_->ends) input.ends.push_back(of(ends));
  return std::make_shared<const Input>(std::move(input));
}

/// A[2] = -A[0]; A[3] = P - A[1], where each row of P has one ±1. So over four steps an accumulator grows by one
/// element of B.
PeakCompute::Input PeakCompute::matrices(const RandomStream& random) const {
  const auto [rows, columns, depth] = tile(type_);
  const int most = type_ == Type::tensor_fp8 ? 3 : type_ == Type::tensor_int8 ? 100 : 15;
  std::uint64_t drawn = 0;
  const auto draw = [&] {
    const int size = 1 + static_cast<int>(random(drawn++) % static_cast<unsigned>(most));
    return random(drawn++) & 1 ? size : -size;
  };
  const std::size_t slab = rows * depth;
  std::vector<int> a(slabs * slab), b(columns * depth);
  for (std::size_t i = 0; i < 2 * slab; ++i) a[i] = draw();
  for (std::size_t i = 0; i < 2 * slab; ++i) a[2 * slab + i] = -a[i];
  for (std::size_t row = 0; row < rows; ++row) {
    int& lifted = a[3 * slab + row * depth + random(drawn++) % depth];
    lifted += lifted == -1 || lifted == most ? -1 : 1;
    if (lifted == 0 || lifted < -most) lifted = lifted < -most ? lifted + 2 : 1;
  }
  for (int& value : b) value = draw();
  std::vector<std::vector<std::int64_t>> products(slabs, std::vector<std::int64_t>(rows * columns));
  for (std::size_t s = 0; s < slabs; ++s)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t k = 0; k < depth; ++k)
          products[s][r * columns + c] += a[s * slab + r * depth + k] * b[c * depth + k];
  Bytes ends;
  for (std::size_t first = 0; first < slabs; ++first) {
    std::vector<std::int64_t> sums(rows * columns);
    for (std::size_t s = 0; s < slabs; ++s) {
      const auto times = static_cast<std::int64_t>(steps_ / slabs + (s < steps_ % slabs));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += times * products[(first + s) % slabs][i];
    }
    const Bytes tile_ends = type_ == Type::tensor_int8  ? bytes(std::vector<std::int32_t>(sums.begin(), sums.end()))
                            : type_ == Type::tensor_f64 ? bytes(std::vector<double>(sums.begin(), sums.end()))
                                                        : bytes(std::vector<float>(sums.begin(), sums.end()));
    ends.insert(ends.end(), tile_ends.begin(), tile_ends.end());
  }
  return {{}, encoded(type_, a), encoded(type_, b), {ends}};
}

/// Cached for the process, since it is megabytes of products.
std::shared_ptr<const PeakCompute::Input> PeakCompute::tiles(std::uint64_t seed, std::size_t set) const {
  static std::map<std::tuple<Type, std::size_t, std::uint64_t, std::size_t>, std::shared_ptr<const Input>> known;
  auto& found = known[{type_, steps_, seed, set}];
  if (!found) found = std::make_shared<const Input>(matrices(RandomStream(seed, set)));
  return found;
}

std::shared_ptr<const PeakCompute::Input> PeakCompute::input(std::uint64_t generation, std::size_t set) const {
  const std::uint64_t seed = generation_seed(seed_, generation);
  return is_tensor(type_) ? tiles(seed, set) : ordered(Permutation(seed, set, start_count));
}

double PeakCompute::bound() const {
  return type_ == Type::special ? Rotation::bound(std::int64_t(steps_), reciprocal_ulp) : 0;
}

/// Element i of `from` as a number.
double PeakCompute::number(const std::byte* from, std::size_t i) const {
  const auto as = [&](auto value) {
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    return static_cast<double>(value);
  };
  if (type_ == Type::f64 || type_ == Type::tensor_f64) return as(double{});
  if (is_half(type_) || type_ == Type::i32) return as(std::uint32_t{});
  return type_ == Type::tensor_int8 ? as(std::int32_t{}) : as(float{});
}

double PeakCompute::error(double is, double should_be) const {
  if (type_ != Type::special) return std::abs(is - should_be);
  return std::isnan(is) ? is : Rotation::between(Rotation::angle_of(is), Rotation::angle_of(should_be));
}

/// The verdict for the rounding that fits best. Compares ends in groups of 64 chains (4 tiles); a group equal to the
/// first one shares its verdict.
Verdict PeakCompute::check(const Bytes& ends, const Input& input, std::size_t set) const {
  Verdict best;
  for (const Bytes& expected : input.ends) {
    Verdict verdict{.ok = true, .error = 0, .bound = bound(), .where = {}};
    const std::size_t group = expected.size(), size = group / (period(type_) * elements());
    for (std::size_t at = 0; at < ends.size() && verdict.ok; at += group) {
      const std::size_t here = std::min(group, ends.size() - at);
      if (std::memcmp(ends.data() + at, expected.data(), here) == 0) continue;
      if (at > 0 && std::memcmp(ends.data() + at, ends.data(), here) == 0) continue;
      for (std::size_t i = 0; i < here / size; ++i) {
        const double is = number(ends.data() + at, i), should_be = number(expected.data(), i);
        const double off = error(is, should_be);
        if (off <= verdict.error) continue;
        verdict.error = off;
        if (off <= verdict.bound) continue;
        const std::size_t element = at / size + i;
        verdict.ok = false;
        verdict.where = mismatch("end " + std::to_string(element) + " of input " + std::to_string(set), is, should_be);
        if (std::isnan(off)) break;
      }
    }
    if (verdict.ok) return verdict;
    if (best.where.empty() || verdict.error < best.error) best = verdict;
  }
  return best;
}

template ExperimentEntry describe<PeakCompute>();

}  // namespace crosswarp
