// Chains of dependent multiply-adds that stay in registers. Bound by the arithmetic units alone: what a device can
// compute at most, by type of number.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"
#include "experiments/chain_steps.hpp"

namespace crosswarp {

/// `chains` chains, each of `steps` steps x ← a·x + b; every end is checked, to the bit.
///
/// f32, f64: a is just above -1, so that values neither grow nor settle (swinging_factor). i32: modulo 2^32. f16x2 and
/// bf16x2: two numbers in a word, in rounds (HalfPair). special: x ← b - 1/x, one reciprocal a step (Rotation); here
/// the end may be off by what good approximations are. Chain c begins with starts[c % 64].
///
/// Types tensor_…: a chain is a tile of rows × columns sums in float (int32, double), and a step adds a product of two
/// matrices: step s of tile t adds A[(t + s) % 4] · B. Factors are random small integers, never 0, whose products over
/// four steps nearly cancel: sums are exact, also where a matrix unit keeps 14 bits of them, and every step shows.
class PeakCompute {
 public:
  static constexpr std::string_view name = "peak_compute";
  static constexpr std::string_view summary = "chains of multiply-adds in registers: the peak of each type";

  enum class Type {
    f32,
    f64,
    f16x2,
    bf16x2,
    i32,
    special,
    tensor_f16,
    tensor_bf16,
    tensor_tf32,
    tensor_fp8,
    tensor_int8,
    tensor_f64
  };
  static constexpr std::array<std::string_view, 12> type_names{
      "f32",        "f64",         "f16x2",       "bf16x2",     "i32",         "special",
      "tensor_f16", "tensor_bf16", "tensor_tf32", "tensor_fp8", "tensor_int8", "tensor_f64"};

  /// One step of a tile: rows × columns sums, each of `depth` products.
  struct Tile {
    std::size_t rows, columns, depth;
    constexpr std::size_t sums() const { return rows * columns; }
  };
  static constexpr std::size_t start_count = 64;
  static constexpr std::size_t slabs = 4;                  ///< Matrices A.
  static constexpr std::size_t tensor_step_unit = 16;      ///< Steps of tensor types are a multiple of it …
  static constexpr std::int64_t most_tensor_steps = 8192;  ///< … and no more, so that 13 bits hold the sums of fp8.
  static constexpr std::size_t half_step_unit = 512;       ///< Steps of f16x2 and bf16x2 are a multiple of it.

  static constexpr bool is_tensor(Type type) { return type >= Type::tensor_f16; }
  static constexpr bool is_half(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

  /// A slab is 32 bytes deep, 128 for f64.
  static constexpr Tile tile(Type type) {
    switch (type) {
      case Type::tensor_f16:
      case Type::tensor_bf16:
        return {64, 256, 16};
      case Type::tensor_tf32:
        return {64, 256, 8};
      case Type::tensor_fp8:
      case Type::tensor_int8:
        return {64, 256, 32};
      default:
        return {64, 32, 16};
    }
  }

  struct Args {
    Type type;
    std::size_t chains;
    unsigned steps;
    double a, b;                           ///< Exact in `type`. i32: so that the period is 2^32. special: only b.
    std::span<const std::byte> starts;     ///< 64 elements (f16x2, bf16x2: words).
    std::span<std::byte> ends;             ///< An element for each chain; tensor: a row-major tile of sums.
    std::span<const std::byte> factors_a;  ///< tensor: [4][rows][depth].
    std::span<const std::byte> factors_b;  ///< tensor: [columns][depth]: each column contiguous.
    std::span<Elapsed> elapsed;  ///< One, for kernels that can tell how long a block took; else to be left alone.

    template <class T>
    const T* starts_as() const {
      return reinterpret_cast<const T*>(starts.data());
    }
    template <class T>
    T* ends_as() const {
      return reinterpret_cast<T*>(ends.data());
    }
  };

  static std::vector<Axis> axes() {
    std::vector<Value> types;
    for (const std::string_view type : type_names) types.emplace_back(std::string(type));
    const Value own = std::int64_t{0};
    return {{.name = "type", .meaning = "type of number", .bench = types, .allowed = types},
            {.name = "chains",
             .meaning = "independent chains, of tensor types tiles; 0: enough for a large GPU",
             .bench = {own, std::int64_t{4096}},
             .most = 1 << 26,
             .implied = own},
            {.name = "steps",
             .meaning = "dependent steps of a chain; 0: a millisecond's worth on an H200",
             .bench = {own, std::int64_t{1000}},
             .most = 1 << 20,
             .implied = own}};
  }

  /// The type's own size goes as a whole. Some types take steps by the group.
  static bool exists(const Point& point) {
    const auto steps = static_cast<std::size_t>(point.integer("steps"));
    const Type type = type_of(point);
    if (point.integer("steps") == 0) return point.integer("chains") == 0;
    if (is_tensor(type)) return steps % tensor_step_unit == 0 && steps <= std::size_t{most_tensor_steps};
    if (is_half(type)) return steps % half_step_unit == 0;
    return type != Type::special || steps <= most_special_steps;
  }

  static std::vector<TestPoint> test_points() {
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
      for (const std::int64_t chains : {1, 65, 1025}) add(type, chains, 2 * half_step_unit);
    for (std::size_t type = std::size_t(Type::tensor_f16); type < type_names.size(); ++type) {
      for (const std::int64_t tiles : {1, 3, 300}) add(Type(type), tiles, 32);
      add(Type(type), 2, most_tensor_steps);
    }
    return points;
  }

  static Type type_of(const Point& point) {
    const std::string& word = point.word("type");
    return Type(std::find(type_names.begin(), type_names.end(), word) - type_names.begin());
  }
  static Point at(Type type, std::int64_t chains, std::int64_t steps) {
    return product(axes(), {{std::string(type_names[std::size_t(type)])}, {chains}, {steps}}).front();
  }

  /// 0 is 132 multiprocessors times 2 tiles, or times 3072 chains: they share evenly by 4, 8 or 12 to a thread.
  static std::size_t chains(const Point& point) {
    const auto given = static_cast<std::size_t>(point.integer("chains"));
    return given ? given : is_tensor(type_of(point)) ? 264 : 132 * 3072;
  }
  static std::size_t steps(const Point& point) {
    if (const auto given = static_cast<std::size_t>(point.integer("steps"))) return given;
    switch (type_of(point)) {
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
        return most_tensor_steps;
    }
  }
  /// Steps of all chains: what rungs that use little of a device limit themselves by.
  static double work(const Point& point) {
    return static_cast<double>(chains(point)) * static_cast<double>(steps(point));
  }

  static double operations_of_a_step(Type type) {
    const Tile of = tile(type);
    if (is_tensor(type)) return 2.0 * static_cast<double>(of.sums() * of.depth);
    return is_half(type) ? 4 : type == Type::special ? 1 : 2;
  }

  /// A multiply-add is two operations, a special function one.
  static Cost cost(const Point& point) {
    const Type type = type_of(point);
    return {.bytes_written = static_cast<double>(chains(point) * end_size(type)),
            .flops = work(point) * operations_of_a_step(type),
            .accesses = static_cast<double>(steps(point)),
            .rated = Quantity::flops,
            .ceiling = type_names[std::size_t(type)]};
  }

  static std::size_t footprint(const Point& point) {
    const Type type = type_of(point);
    return chains(point) * end_size(type) + 2 * slabs * 256 * 32 + 10 * Buffer<std::byte>::guard;
  }

  static std::vector<CeilingPoint> ceilings() {
    std::vector<CeilingPoint> points;
    for (std::size_t type = 0; type < type_names.size(); ++type)
      points.push_back({type_names[type], at(Type(type), 0, 0)});
    return points;
  }

  PeakCompute(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device),
        type_(type_of(point)),
        chains_(chains(point)),
        steps_(steps(point)),
        seed_(seed),
        oracle_(oracle(type_, steps_, seed)) {
    for (std::size_t set = 0; set < sets; ++set) {
      inputs_.push_back(input(0, set));  // all generations' are of these sizes
      starts_.emplace_back(device, inputs_.back()->starts.size());
      a_.emplace_back(device, inputs_.back()->a.size());
      b_.emplace_back(device, inputs_.back()->b.size());
      ends_.emplace_back(device, chains_ * end_size(type_));
      elapsed_.emplace_back(device, 1);
    }
  }

  void refill(std::uint64_t generation) {
    for (std::size_t set = 0; set < inputs_.size(); ++set) {
      inputs_[set] = input(generation, set);
      starts_[set].write(std::span<const std::byte>(inputs_[set]->starts));
      a_[set].write(std::span<const std::byte>(inputs_[set]->a));
      b_[set].write(std::span<const std::byte>(inputs_[set]->b));
    }
  }

  Memory outputs(std::size_t set) const { return {ends_[set].bytes(), elapsed_[set].bytes()}; }

  Args args(std::size_t set) const {
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

  void poison() {
    for (auto& ends : ends_) ends.poison();
    for (auto& elapsed : elapsed_) elapsed.poison();
  }

  Verdict check(ResultIn) const {
    device_.synchronize();
    Verdict worst{.ok = true, .error = 0, .bound = bound(), .where = {}};
    for (std::size_t set = 0; set < ends_.size() && worst.ok; ++set) {
      if (!ends_[set].guards_intact() || !starts_[set].guards_intact() || !a_[set].guards_intact() ||
          !b_[set].guards_intact() || !elapsed_[set].guards_intact())
        return {.ok = false, .where = "a guard band beside starts, ends or factors was written to"};
      const Verdict verdict = check(ends_[set].read(), *inputs_[set], set);
      if (!verdict.ok || verdict.error > worst.error) worst = verdict;
    }
    return worst;
  }

  /// A block's cycles and the clock while it ran, where it noted its time and that was long beside the timer's
  /// microsecond.
  std::vector<Observation> observe() const {
    double cycles = 0, nanoseconds = 0, blocks = 0;
    for (const auto& buffer : elapsed_) {
      const Elapsed elapsed = buffer.read(0);
      if (elapsed.cycles == ~std::uint64_t{0} || elapsed.nanoseconds < 200'000) continue;
      cycles += static_cast<double>(elapsed.cycles);
      nanoseconds += static_cast<double>(elapsed.nanoseconds);
      ++blocks;
    }
    if (blocks == 0) return {};
    return {{"sm_clock", "MHz", 1e3 * cycles / nanoseconds},
            {"cycles", "", cycles / blocks},
            {"multiprocessors", "", static_cast<double>(device_.info().compute_units)}};
  }

  /// For each type the operations in a clock of a multiprocessor, of the best rung whose clock is known. Where that
  /// one's block ran from the beginning to the end, its cycles are the launch's, whatever the clock did from launch to
  /// launch; the warps of other kernels' first blocks go first.
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes) {
    std::map<Type, std::pair<double, const Outcome*>> best;
    for (const Outcome& o : outcomes) {
      const auto clock = o.observed.find("sm_clock"), cycles = o.observed.find("cycles"),
                 units = o.observed.find("multiprocessors");
      if (clock == o.observed.end() || cycles == o.observed.end() || units == o.observed.end()) continue;
      const bool ran_all_the_time = cycles->second / (clock->second * 1e6) > 0.9 * o.seconds;
      const double of_launch = ran_all_the_time ? cycles->second : o.seconds * clock->second * 1e6;
      const double per_clock = o.cost.flops / of_launch / units->second;
      auto& [most, of] = best[type_of(o.point)];
      if (per_clock > most) most = per_clock, of = &o;
    }
    std::vector<std::string> lines;
    for (const auto& [type, found] : best)
      lines.push_back(std::string(type_names[std::size_t(type)]) + ": " + fixed(found.first, 1) +
                      " operations in a clock of each multiprocessor, at " +
                      fixed(found.second->observed.at("sm_clock"), 0) + " MHz, by " + found.second->rung);
    return lines;
  }

 private:
  using Bytes = std::vector<std::byte>;

  /// A reciprocal off by at most 2 ulp, as hardware's and libraries' are: then places are good to 0.006 of a radian,
  /// and the least that a step too few or too many moves one is 1.2, 64 of them 0.018.
  static constexpr std::size_t most_special_steps = 1 << 14;
  static constexpr double reciprocal_ulp = 2;

  /// What one set is given, and what it must yield: for each right way of rounding, the ends of chains 0 … 63 (tensor:
  /// of tiles 0 … 3); later chains repeat them.
  struct Input {
    Bytes starts, a, b;
    std::vector<Bytes> ends;
  };
  /// What all sets have in common.
  struct Oracle {
    double a = 0, b = 0;
    Bytes starts;
    std::vector<Bytes> ends;
  };

  static constexpr std::size_t end_size(Type type) {
    if (is_tensor(type)) return tile(type).sums() * (type == Type::tensor_f64 ? 8 : 4);
    return type == Type::f64 ? 8 : 4;
  }
  static constexpr std::size_t period(Type type) { return is_tensor(type) ? slabs : start_count; }

  double bound() const { return type_ == Type::special ? Rotation::bound(std::int64_t(steps_), reciprocal_ulp) : 0; }

  template <class T>
  static Bytes bytes(const std::vector<T>& values) {
    Bytes all(values.size() * sizeof(T));
    std::memcpy(all.data(), values.data(), all.size());
    return all;
  }

  template <class T, class End>
  static void add_ends(Oracle& oracle, const std::vector<T>& starts, const End& end) {
    std::vector<T> ends(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) ends[i] = end(starts[i]);
    oracle.starts = bytes(starts);
    oracle.ends.push_back(bytes(ends));
  }

  /// ±[1/2, 1): far enough from where chains swing about.
  template <class T>
  static void swing(Oracle& oracle, const RandomStream& random, std::size_t steps) {
    oracle.a = swinging_factor(std::int64_t(steps));
    oracle.b = swinging_addend;
    std::vector<T> starts(start_count);
    for (std::size_t i = 0; i < start_count; ++i) {
      const double size = 0.5 + std::ldexp(random(2 * i) | 1, -33);
      starts[i] = static_cast<T>(random(2 * i + 1) & 1 ? size : -size);
    }
    for (const Rounding rounding : {Rounding::fused, Rounding::separate, Rounding::through_double}) {
      if (std::is_same_v<T, double> && rounding == Rounding::through_double) continue;
      add_ends(oracle, starts, [&](T x) {
        for (std::size_t s = 0; s < steps; ++s)
          x = multiply_add(x, static_cast<T>(oracle.a), static_cast<T>(oracle.b), rounding);
        return x;
      });
    }
  }

  static Oracle compute(Type type, std::size_t steps, std::uint64_t seed) {
    Oracle oracle;
    const RandomStream random(seed, 0x9eac);
    std::vector<std::uint32_t> words(start_count);
    for (std::size_t i = 0; i < start_count; ++i) words[i] = random(i);
    if (type == Type::f32) swing<float>(oracle, random, steps);
    if (type == Type::f64) swing<double>(oracle, random, steps);
    if (type == Type::i32) {
      oracle.a = 1664525, oracle.b = 1013904223;
      add_ends(oracle, words, [&](std::uint32_t x) {
        for (std::size_t s = 0; s < steps; ++s) x = 1664525u * x + 1013904223u;
        return x;
      });
    }
    if (is_half(type)) {
      const HalfPair pair = type == Type::f16x2 ? f16_pair : bf16_pair;
      oracle.a = pair.factor(), oracle.b = swinging_addend;
      add_ends(oracle, words,
               [&, table = pair.steps()](std::uint32_t x) { return pair.end(x, std::int64_t(steps), table); });
    }
    if (type == Type::special) {
      oracle.b = Rotation::b();
      std::vector<float> starts(start_count);
      for (std::size_t i = 0; i < start_count; ++i)
        starts[i] = static_cast<float>(Rotation::at(std::ldexp(random(i) | 1, -32) * std::numbers::pi));
      add_ends(oracle, starts, [&](float x) {
        return static_cast<float>(Rotation::at(Rotation::after(Rotation::place(x), std::int64_t(steps))));
      });
    }
    return oracle;
  }

  /// A hundred thousand steps of 64 chains, so one process asks for them once.
  static std::shared_ptr<const Oracle> oracle(Type type, std::size_t steps, std::uint64_t seed);

  /// The oracle's chains in another order for each set.
  std::shared_ptr<const Input> ordered(const Permutation& order) const {
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

  static Bytes encoded(Type type, const std::vector<int>& values) {
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

  /// A[2] = -A[0]; A[3] = P - A[1], where each row of P has one ±1: over four steps a sum grows by one factor of B.
  Input matrices(const RandomStream& random) const {
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

  /// Megabytes of products, so one process asks for them once, too.
  std::shared_ptr<const Input> tiles(std::uint64_t seed, std::size_t set) const;

  std::shared_ptr<const Input> input(std::uint64_t generation, std::size_t set) const {
    const std::uint64_t seed = generation_seed(seed_, generation);
    return is_tensor(type_) ? tiles(seed, set) : ordered(Permutation(seed, set, start_count));
  }

  /// Element i of `from` as a number.
  double number(const std::byte* from, std::size_t i) const {
    const auto as = [&](auto value) {
      std::memcpy(&value, from + i * sizeof value, sizeof value);
      return static_cast<double>(value);
    };
    if (type_ == Type::f64 || type_ == Type::tensor_f64) return as(double{});
    if (is_half(type_) || type_ == Type::i32) return as(std::uint32_t{});
    return type_ == Type::tensor_int8 ? as(std::int32_t{}) : as(float{});
  }

  double error(double is, double should_be) const {
    if (type_ != Type::special) return std::abs(is - should_be);
    return std::isnan(is) ? is : Rotation::between(Rotation::place(is), Rotation::place(should_be));
  }

  /// The verdict by the way of rounding that fits best. Chains are compared by the group of 64 (4 tiles): a group that
  /// is the first one's copy is as good as that.
  Verdict check(const Bytes& ends, const Input& input, std::size_t set) const {
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
          verdict.where =
              mismatch("end " + std::to_string(element) + " of input " + std::to_string(set), is, should_be);
          if (std::isnan(off)) break;
        }
      }
      if (verdict.ok) return verdict;
      if (best.where.empty() || verdict.error < best.error) best = verdict;
    }
    return best;
  }
  std::size_t elements() const { return is_tensor(type_) ? tile(type_).sums() : 1; }

  Device& device_;
  Type type_;
  std::size_t chains_, steps_;
  std::uint64_t seed_;
  std::shared_ptr<const Oracle> oracle_;
  std::vector<std::shared_ptr<const Input>> inputs_;
  std::vector<Buffer<std::byte>> starts_, ends_, a_, b_;
  std::vector<Buffer<Elapsed>> elapsed_;
};

extern template ExperimentEntry describe<PeakCompute>();

}  // namespace crosswarp
