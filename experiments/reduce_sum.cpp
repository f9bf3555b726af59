// Points, costs, inputs and oracle of reduce_sum.
#include "experiments/reduce_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace crosswarp {
namespace {

/// The oracle's sum takes a pass over all indices, hence once per process and set.
double cached_sum(const Lattice& elements, std::uint64_t seed, std::size_t set, std::uint64_t n) {
  static std::map<std::tuple<std::uint64_t, std::size_t, std::uint64_t, int>, double> sums;
  const auto [cached, is_new] = sums.try_emplace({seed, set, n, elements.bits}, 0.0);
  if (is_new) cached->second = exact_sum(elements, n);
  return cached->second;
}

template <class T>
T poisoned() {
  return std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(-1);
}

}  // namespace

std::vector<Axis> ReduceSum::axes() {
  return {{.name = "n",
           .meaning = "elements",
           .bench = parse_values({.name = "n", .meaning = {}, .bench = {}}, "2^10:2^30:x4"),
           .most = std::int64_t{1} << 38,
           .random = RandomRange{.most = std::int64_t{1} << 30}},
          {.name = "offset",
           .meaning = "elements by which the first one is put past an aligned address",
           .bench = {std::int64_t{0}},
           .most = 1023,
           .implied = std::int64_t{0}},
          {.name = "type",
           .meaning = "element type; f16 accumulates in f32",
           .bench = {"f32"},
           .allowed = {"f32", "f64", "i32", "f16"}},
          {.name = "op", .meaning = "operation", .bench = {"sum"}, .allowed = {"sum", "min", "max"}, .implied = "sum"}};
}

std::vector<Point> ReduceSum::headline_points() {
  std::vector<Point> points;
  for (const int log_n : {20, 25, 30}) points.push_back(point_with(axes(), {{"n", std::int64_t{1} << log_n}}));
  return points;
}

/// Around every size at which a kernel changes its path: warps, vectors, blocks, grids, 2^31.
std::vector<TestPoint> ReduceSum::test_points() {
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

Cost ReduceSum::cost(const Point& point) {
  const double n = static_cast<double>(point.integer("n"));
  return {.bytes_read = n * static_cast<double>(element_bytes(point)),
          .bytes_written = static_cast<double>(std::max<std::size_t>(element_bytes(point), sizeof(float))),
          .flops = std::max(n - 1, 0.0),
          .accesses = n};
}

std::size_t ReduceSum::footprint(const Point& point) {
  return static_cast<std::size_t>(point.integer("n") + point.integer("offset") + 1) * element_bytes(point) +
         sizeof(double) + 4 * Buffer<float>::guard;
}

ReduceSum::AnySets ReduceSum::empty_sets(const std::string& type) {
  if (type == "f64") return Sets<double>{};
  if (type == "i32") return Sets<std::int32_t>{};
  if (type == "f16") return Sets<Half>{};
  return Sets<float>{};
}

std::size_t ReduceSum::element_bytes(const Point& point) {
  return std::visit([]<class T>(const Sets<T>&) { return sizeof(T); }, empty_sets(point.word("type")));
}

ReduceSum::ReduceSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      n_(static_cast<std::uint64_t>(point.integer("n"))),
      seed_(seed),
      operation_name_(point.word("op")),
      sets_(empty_sets(point.word("type"))) {
  if (operation_name_ != "sum") operation_ = operation_name_ == "min" ? Operation::min : Operation::max;
  std::visit(
      [&](auto& s) -> void {
        for (std::size_t set = 0; set < sets; ++set) {
          s.in.emplace_back(device_, n_, static_cast<std::size_t>(point.integer("offset")));
          s.out.emplace_back(device_, 1);
        }
        s.host_out.resize(sets);
      },
      sets_);
}

ReduceSum::Args ReduceSum::args(std::size_t set) const {
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> Args {
        return {Typed<T>{s.in[set].span(), s.out[set].span(), &s.host_out[set]}, operation_};
      },
      sets_);
}

Memory ReduceSum::outputs(std::size_t set) const {
  return std::visit([&](const auto& s) -> Memory { return {s.out[set].bytes()}; }, sets_);
}

void ReduceSum::poison() {
  std::visit(
      []<class T>(Sets<T>& s) -> void {
        for (auto& out : s.out) out.poison();
        std::ranges::fill(s.host_out, poisoned<Result<T>>());
      },
      sets_);
}

/// Random bits of elements of T: as many as keep sums exact; for min and max, as many as leave room for a shift.
template <class T>
int ReduceSum::bits() const {
  const bool sum = operation_ == Operation::sum;
  if constexpr (std::same_as<T, float>)
    return sum ? exact_bits(n_) : 21;
  else if constexpr (std::same_as<T, Half>)
    return sum ? std::min(exact_bits(n_), 11) : 9;
  else if constexpr (std::same_as<T, std::int32_t>)
    return sum ? exact_integer_bits(n_) : 28;
  else
    return 28;
}

template <class T>
Elements ReduceSum::elements(std::size_t set) const {
  Elements elements{{RandomStream(generation_seed_, set), bits<T>()}, 0};
  if (operation_ != Operation::sum) elements.shift = sign() * ((1 << elements.lattice.bits) + 4);
  return elements;
}

/// For min and max: the element nearest to 0, in steps and without its sign. Not 1: -1 as an integer is poison.
int ReduceSum::nearest(std::size_t set) const {
  return 2 + static_cast<int>(RandomStream(generation_seed_, set)(n_ + 1) % 3);
}

template <class T>
double ReduceSum::expected(std::size_t set) const {
  const Elements numbers = elements<T>(set);
  const double unit = std::same_as<T, std::int32_t> ? 1.0 : numbers.lattice.step();
  if (operation_ != Operation::sum) return nearest(set) * sign() * unit;
  return cached_sum(numbers.lattice, generation_seed_, set, n_) / numbers.lattice.step() * unit;
}

template <class T>
void ReduceSum::refill(const Sets<T>& to) {
  for (std::size_t set = 0; set < to.in.size(); ++set) {
    const Elements numbers = elements<T>(set);
    device_.generate_elements(to.in[set].span(), numbers);
    if (operation_ == Operation::sum) continue;
    const std::uint64_t index = set == 0 ? n_ - 1 : set == 1 ? 0 : numbers.lattice.random(n_) % n_;
    const T element = numbers.template of<T>(nearest(set) * sign());
    device_.write(to.in[set].span().data() + index, &element, sizeof element);
  }
}

void ReduceSum::refill(std::uint64_t generation) {
  generation_seed_ = generation_seed(seed_, generation);
  std::visit([&](const auto& s) { refill(s); }, sets_);
}

template <class T>
Verdict ReduceSum::check(const Sets<T>& s, ResultIn where) const {
  Verdict worst{.ok = true, .error = 0, .bound = 0, .where = {}};
  if (!guards_intact(s.in, s.out)) return {.ok = false, .where = "a guard band beside in or out was written to"};
  for (std::size_t set = 0; set < s.in.size(); ++set) {
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

Verdict ReduceSum::check(ResultIn where) const {
  device_.synchronize();
  return std::visit([&](const auto& s) -> Verdict { return check(s, where); }, sets_);
}

bool ReduceSum::refill_general(Distribution distribution, std::uint64_t draw) {
  if (operation_ != Operation::sum) return false;
  const GeneralNumbers numbers(distribution, generation_seed(seed_, draw), n_);
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> bool {
        if constexpr (!std::same_as<T, std::int32_t>) {
          device_.generate_general(s.in[0].span(), numbers);
          general_sum_ = reference_sums<T>(numbers, 0, 1, n_).front();
        }
        return !std::same_as<T, std::int32_t>;
      },
      sets_);
}

Errors ReduceSum::errors(ResultIn where) const {
  device_.synchronize();
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> Errors {
        Errors errors;
        if constexpr (!std::same_as<T, std::int32_t>)
          errors.add(where == ResultIn::host ? s.host_out[0] : s.out[0].read(0), general_sum_);
        return errors;
      },
      sets_);
}

template ExperimentEntry describe<ReduceSum>();

}  // namespace crosswarp
