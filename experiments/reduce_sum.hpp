// The sum of n numbers, or the least or the greatest of them. Bound by reading them once: one operation an element.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/half.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// out[0] = in[0] + … + in[n-1], in any order; 0 for n = 0. With `op` min or max, the least or the greatest.
///
/// Inputs of sums are lattice numbers (core/random.hpp), whose sums are exact in any order that does not look at them:
/// in float (f32, and f16, which is added in float), in double, in 32-bit integers without overflow. So the oracle is
/// exact and the bound is 0 at every n: a variant that drops, repeats or misreads one element is wrong, even among
/// 2^31. Inputs of min are all positive, those of max all negative, and one element is put in that is nearer to 0 than
/// all others, at the end in one set, at the beginning in another, so that dropping it shows, and so does a 0 from
/// nowhere.
class ReduceSum {
 public:
  static constexpr std::string_view name = "reduce_sum";
  static constexpr std::string_view summary = "the sum of n numbers";

  enum class Operation { sum, min, max };

  /// What is computed with, and what the result is.
  template <class T>
  using Result = std::conditional_t<std::same_as<T, Half>, float, T>;

  /// The arguments for elements of one type.
  template <class T>
  struct Typed {
    std::span<const T> in;     ///< Device memory. Aligned to an element only.
    std::span<Result<T>> out;  ///< Device memory, one element, poisoned: not to be read before it is written.
    Result<T>* host_out;       ///< Host memory: for variants that return their result there (ResultIn::host).
  };

  struct Args {
    std::variant<Typed<float>, Typed<double>, Typed<std::int32_t>, Typed<Half>> typed;
    Operation operation = Operation::sum;

    /// Elements.
    std::size_t size() const {
      return std::visit([](const auto& a) { return a.in.size(); }, typed);
    }
    /// For variants that apply to is_f32_sum points alone.
    const Typed<float>& f32() const { return std::get<Typed<float>>(typed); }
  };

  // For Variant::applies.
  static bool is_sum(const Point& point) { return point.word("op") == "sum"; }
  static bool is_f32(const Point& point) { return point.word("type") == "f32"; }
  static bool is_f32_sum(const Point& point) { return is_f32(point) && is_sum(point); }

  static std::vector<Axis> axes() {
    return {{.name = "n",
             .meaning = "elements",
             .bench = parse_values({.name = "n", .meaning = {}, .bench = {}}, "2^10:2^30:x4"),
             .most = std::int64_t{1} << 38},
            {.name = "offset",
             .meaning = "elements by which the first one is put past an aligned address",
             .bench = {std::int64_t{0}},
             .most = 1023,
             .implied = std::int64_t{0}},
            {.name = "type",
             .meaning = "element type; f16 is computed with in f32",
             .bench = {"f32"},
             .allowed = {"f32", "f64", "i32", "f16"}},
            {.name = "op",
             .meaning = "what is done to the numbers",
             .bench = {"sum"},
             .allowed = {"sum", "min", "max"},
             .implied = "sum"}};
  }

  /// Nothing has a sum, but no least or greatest element.
  static bool exists(const Point& point) { return is_sum(point) || point.integer("n") > 0; }

  /// Around every size at which a kernel changes its way: warps, vectors, blocks, grids, 2^31.
  static std::vector<TestPoint> test_points() {
    std::vector<TestPoint> points;
    const auto add = [&](std::int64_t n, std::int64_t offset, bool slow = false, std::string type = "f32",
                         std::string op = "sum") {
      points.push_back({product(axes(), {{n}, {offset}, {type}, {op}}).front(), slow});
    };
    for (const std::int64_t n :
         {0,    1,    2,    3,    31,     32,     33,        127,           255,     256,           257,
          1009, 1023, 1024, 1025, 65'535, 65'537, 1'000'003, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 16'777'259})
      add(n, 0);
    for (const std::int64_t offset : {1, 2, 3})
      for (const std::int64_t n : {0, 1, 2, 3, 5, 33, 1009, 65'537, 1'000'003}) add(n, offset);
    for (const auto& [type, op] : std::vector<std::pair<std::string, std::string>>{
             {"f64", "sum"}, {"i32", "sum"}, {"f16", "sum"}, {"f32", "min"}, {"f32", "max"}}) {
      add(1, 0, false, type, op);
      add(1009, 1, false, type, op);
      add(20'011, 0, false, type, op);
      add(1'500'007, 1, false, type, op);
    }
    for (const char* type : {"f64", "i32", "f16"})
      for (const char* op : {"min", "max"}) {
        add(1009, 1, false, type, op);
        add(1'500'007, 1, false, type, op);
      }
    add((std::int64_t{1} << 31) + 1031, 1, true);
    add((std::int64_t{1} << 31) + 1031, 1, true, "f16");
    return points;
  }

  static Cost cost(const Point& point) {
    const double n = static_cast<double>(point.integer("n"));
    return {.bytes_read = n * static_cast<double>(element_bytes(point)),
            .bytes_written = static_cast<double>(std::max<std::size_t>(element_bytes(point), sizeof(float))),
            .flops = std::max(n - 1, 0.0),
            .accesses = n};
  }

  static std::size_t footprint(const Point& point) {
    return static_cast<std::size_t>(point.integer("n") + point.integer("offset") + 1) * element_bytes(point) +
           sizeof(double) + 4 * Buffer<float>::guard;
  }

  ReduceSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device),
        n_(static_cast<std::uint64_t>(point.integer("n"))),
        seed_(seed),
        operation_name_(point.word("op")),
        sets_(empty_sets(point.word("type"))) {
    const auto offset = static_cast<std::size_t>(point.integer("offset"));
    if (operation_name_ != "sum") operation_ = operation_name_ == "min" ? Operation::min : Operation::max;
    std::visit([&](auto& s) { allocate(s, offset, sets); }, sets_);
  }

  void refill(std::uint64_t generation) {
    generation_seed_ = generation_seed(seed_, generation);
    std::visit([&](auto& s) { refill(s); }, sets_);
  }

  Args args(std::size_t set) const;

  Memory outputs(std::size_t set) const;

  void poison() {
    std::visit([](auto& s) { poison(s); }, sets_);
  }

  Verdict check(ResultIn where) const {
    device_.synchronize();
    return std::visit([&](const auto& s) { return check(s, where); }, sets_);
  }

  /// Of sums in floating types.
  bool refill_general(Distribution distribution, std::uint64_t draw);
  Errors errors(ResultIn where) const;

 private:
  /// Inputs and outputs of one element type.
  template <class T>
  struct Sets {
    std::vector<Buffer<T>> in = {};
    std::vector<Buffer<Result<T>>> out = {};
    mutable std::vector<Result<T>> host_out = {};  // launches write it through Args
  };
  using AnySets = std::variant<Sets<float>, Sets<double>, Sets<std::int32_t>, Sets<Half>>;

  static AnySets empty_sets(const std::string& type) {
    if (type == "f64") return Sets<double>{};
    if (type == "i32") return Sets<std::int32_t>{};
    if (type == "f16") return Sets<Half>{};
    return Sets<float>{};
  }

  static std::size_t element_bytes(const Point& point) {
    return std::visit([]<class T>(const Sets<T>&) { return sizeof(T); }, empty_sets(point.word("type")));
  }

  template <class T>
  static T poisoned() {
    return std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(-1);
  }

  template <class T>
  Args args_of(const Sets<T>& s, std::size_t set) const {
    return {Typed<T>{s.in[set].span(), s.out[set].span(), &s.host_out[set]}, operation_};
  }

  template <class T>
  static void poison(Sets<T>& s) {
    for (auto& out : s.out) out.poison();
    std::fill(s.host_out.begin(), s.host_out.end(), poisoned<Result<T>>());
  }

  /// Random bits of elements of T: as many as keep sums of n exact. For min and max, as many as leave room for a shift.
  template <class T>
  int bits(std::uint64_t n) const {
    const bool sum = operation_ == Operation::sum;
    if constexpr (std::same_as<T, float>)
      return sum ? exact_bits(n) : 21;
    else if constexpr (std::same_as<T, Half>)
      return sum ? std::min(exact_bits(n), 11) : 9;
    else if constexpr (std::same_as<T, std::int32_t>)
      return sum ? exact_integer_bits(n) : 28;
    else
      return 28;
  }

  template <class T>
  void allocate(Sets<T>& to, std::size_t offset, std::size_t sets) {
    for (std::size_t set = 0; set < sets; ++set) {
      to.in.emplace_back(device_, n_, offset);
      to.out.emplace_back(device_, 1);
    }
    to.host_out.resize(sets);
  }

  /// In min and max, what is nearest to 0 in each set of each generation: steps, without the sign. Not 1, which with
  /// the sign and as an integer is poison.
  int nearest(std::size_t set) const { return 2 + static_cast<int>(RandomStream(generation_seed_, set)(n_ + 1) % 3); }

  template <class T>
  Elements elements(std::size_t set) const {
    Elements elements{{RandomStream(generation_seed_, set), bits<T>(n_)}, 0};
    if (operation_ != Operation::sum) elements.shift = sign() * ((1 << elements.lattice.bits) + 4);
    return elements;
  }
  int sign() const { return operation_ == Operation::max ? -1 : 1; }

  template <class T>
  void refill(const Sets<T>& to) {
    for (std::size_t set = 0; set < to.in.size(); ++set) {
      const Elements numbers = elements<T>(set);
      device_.generate_elements(to.in[set].span(), numbers);
      if (operation_ == Operation::sum) continue;
      const std::uint64_t place = set == 0 ? n_ - 1 : set == 1 ? 0 : numbers.lattice.random(n_) % n_;
      const T element = numbers.template of<T>(nearest(set) * sign());
      device_.write(to.in[set].span().data() + place, &element, sizeof element);
    }
  }

  template <class T>
  double expected(std::size_t set) const {
    const Elements numbers = elements<T>(set);
    const double unit = std::same_as<T, std::int32_t> ? 1.0 : numbers.lattice.step();
    if (operation_ != Operation::sum) return nearest(set) * sign() * unit;
    return cached_sum(numbers.lattice, generation_seed_, set, n_) / numbers.lattice.step() * unit;
  }

  template <class T>
  Verdict check(const Sets<T>& s, ResultIn where) const {
    Verdict worst{.ok = true, .error = 0, .bound = 0, .where = {}};
    for (std::size_t set = 0; set < s.in.size(); ++set) {
      if (!s.out[set].guards_intact() || !s.in[set].guards_intact())
        return {.ok = false, .where = "a guard band beside in or out was written to"};
      const double result = static_cast<double>(where == ResultIn::host ? s.host_out[set] : s.out[set].read(0));
      const double should_be = expected<T>(set);
      const double error = std::abs(result - should_be);
      if (error <= worst.bound) continue;
      if (worst.ok || std::isnan(error) || error > worst.error) {
        worst.ok = false;
        worst.error = error;
        worst.where = mismatch(operation_name_ + " of input " + std::to_string(set), result, should_be);
      }
    }
    return worst;
  }

  /// The oracle takes a pass over all indices, so one process asks it once for each set of inputs.
  static double cached_sum(const Lattice& elements, std::uint64_t seed, std::size_t set, std::uint64_t n) {
    static std::map<std::tuple<std::uint64_t, std::size_t, std::uint64_t, int>, double> sums;
    const auto [place, is_new] = sums.try_emplace({seed, set, n, elements.bits}, 0.0);
    if (is_new) place->second = exact_sum(elements, n);
    return place->second;
  }

  Device& device_;
  std::uint64_t n_, seed_, generation_seed_ = 0;
  std::string operation_name_;
  Operation operation_ = Operation::sum;
  AnySets sets_;
  TwoDoubles general_sum_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<ReduceSum>();

}  // namespace crosswarp
