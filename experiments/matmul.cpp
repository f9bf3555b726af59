// Products of matrices, as far as the host is concerned: the oracle is bound by m·n·k multiply-adds in double where it
// knows every element, else by reading C and by making A and B once.
#include "experiments/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "core/buffer.hpp"

namespace crosswarp {
namespace {

constexpr double u = 0x1p-24;  // of float: what rounding a number costs at most, over the number

/// How much of what is allowed an error takes: beyond 1 it is wrong.
double share(double error, double bound) {
  if (std::isnan(error)) return std::numeric_limits<double>::infinity();
  return error == 0 ? 0 : error / bound;
}

double value_of(float element) { return element; }
double value_of(Half element) { return to_float(element); }
double value_of(Bfloat16 element) { return to_float(element); }

}  // namespace

ProductShape shape_of(const Point& point) {
  const auto size = [&](const char* axis) { return static_cast<std::size_t>(point.integer(axis)); };
  return {size("m"), size("n"), size("k")};
}

std::vector<Axis> shape_axes() {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const Value usual = std::int64_t{1024};
  return {{.name = "m", .meaning = "rows of A and C", .bench = {usual}, .most = most},
          {.name = "n", .meaning = "columns of B and C", .bench = {usual}, .most = most},
          {.name = "k", .meaning = "columns of A, rows of B", .bench = {usual}, .most = most}};
}

std::vector<ProductShape> shapes_to_bench() {
  std::vector<ProductShape> shapes;
  for (const std::size_t n : {128, 256, 512, 1000, 1024, 1536, 2048, 4096, 4097, 8192}) shapes.push_back({n, n, n});
  shapes.insert(shapes.end(), {{4096, 4096, 64}, {64, 4096, 4096}, {128, 128, 65'536}, {1, 4096, 4096}});
  return shapes;
}

std::vector<ProductShape> shapes_to_test() {
  return {// empty
          {0, 0, 0},
          {0, 33, 7},
          {33, 0, 7},
          {33, 65, 0},
          {1, 1, 0},
          {128, 128, 0},
          // single rows, columns and products
          {1, 1, 1},
          {1, 257, 33},
          {257, 1, 31},
          {1, 128, 129},
          {128, 1, 64},
          {63, 65, 1},
          {1, 1, 257},
          // ragged in every dimension
          {7, 7, 7},
          {31, 33, 7},
          {33, 31, 65},
          {63, 129, 33},
          {65, 63, 127},
          {127, 65, 31},
          {129, 127, 63},
          {33, 257, 127},
          {257, 33, 65},
          {7, 129, 257},
          {129, 7, 129},
          {65, 33, 129},
          {31, 127, 257},
          // multiples of four and of tiles, and one beside them
          {16, 16, 16},
          {32, 32, 32},
          {64, 128, 64},
          {128, 64, 32},
          {128, 128, 128},
          {132, 68, 36},
          {60, 124, 40},
          {128, 130, 24},
          {130, 128, 26},
          {16, 16, 1024},
          {33, 20, 1031},
          // more tiles than places for them
          {5, 1281, 40},
          {8, 1284, 40},
          // more than an emulation is asked for
          {257, 257, 257},
          {257, 264, 72},
          {256, 512, 256},
          {500, 300, 700},
          {700, 701, 699},
          {1024, 1024, 300},
          {100, 100, 20'001},
          {1, 4096, 4096},
          {4096, 4096, 8},
          {2049, 1023, 513},
          {3000, 3100, 72}};
}

bool takes_a_processor_long(const ProductShape& shape) {
  return static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) > 1e8;
}

Cost product_cost(const ProductShape& shape, double bytes_in, double bytes_out, std::string_view ceiling) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  return {.bytes_read = (m * k + k * n) * bytes_in,
          .bytes_written = m * n * bytes_out,
          .flops = 2 * m * n * k,
          .accesses = m * n * k,
          .rated = Quantity::flops,
          .ceiling = ceiling};
}

std::size_t product_footprint(const ProductShape& shape, double bytes_in, double bytes_out) {
  const Cost cost = product_cost(shape, bytes_in, bytes_out, {});
  constexpr double most = std::numeric_limits<std::size_t>::max() / 8;
  return static_cast<std::size_t>(std::min(cost.bytes_read + cost.bytes_written, most)) + 6 * Buffer<float>::guard;
}

ProductBound bound_of_f32(std::size_t k) { return {.of_sum = 4 * static_cast<double>(k) * u}; }

ProductBound bound_of_16_bits(std::size_t k, int significant_bits) {
  if (k == 0) return {};
  const auto products = static_cast<double>(k);
  if (significant_bits == 24) return {.of_sum = (4 + std::sqrt(products)) * products * u};
  constexpr double least_step = 0x1p-24;  // of binary16, whose numbers near zero are these
  return {.of_sum = (4 + std::sqrt(products)) * products * u + least_step / 2,
          .of_rounding = std::ldexp(1.0, -significant_bits)};
}

ProductInputs::ProductInputs(std::uint64_t seed, std::size_t set, int significant_bits, bool transposed)
    : a{RandomStream(seed, 2 * set), significant_bits},
      b{RandomStream(seed, 2 * set + 1), significant_bits},
      b_transposed(transposed) {}

ProductOracle::ProductOracle(const ProductShape& shape, const ProductInputs& inputs) : shape_(shape) {
  const auto [m, n, k] = shape;
  const Lattice &a = inputs.a, &b = inputs.b;
  const auto element_of_b = [&b, transposed = inputs.b_transposed, n = n, k = k](std::size_t row, std::size_t column) {
    return double{b(transposed ? column * k + row : row * n + column)};
  };
  const Cost cost = product_cost(shape, 1, 1, {});
  if (cost.accesses <= 0x1p28 && cost.bytes_read + cost.bytes_written <= 0x1p25) {
    std::vector<double> left(m * k), right(k * n);
    expected_.resize(m * n);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = a(i);
#pragma omp parallel for schedule(static)
    for (std::size_t row = 0; row < k; ++row)
      for (std::size_t column = 0; column < n; ++column) right[row * n + column] = element_of_b(row, column);
    constexpr std::size_t width = 512;  // columns whose sums stay in the first cache
    const std::size_t pieces = (n + width - 1) / width;
#pragma omp parallel for schedule(static)
    for (std::size_t piece = 0; piece < m * pieces; ++piece) {
      const std::size_t row = piece / pieces, first = piece % pieces * width, end = std::min(first + width, n);
      double* const sums = expected_.data() + row * n;
      for (std::size_t l = 0; l < k; ++l)
        for (std::size_t column = first; column < end; ++column)
          sums[column] += left[row * k + l] * right[l * n + column];
    }
    return;
  }
  const Lattice random{RandomStream(a.random.key, b.random.key), 24};
  x_.resize(n);
  for (std::size_t column = 0; column < n; ++column) {
    const double at = random(column);
    x_[column] = (at < 0 ? at - 1 : at + 1) / 2;
  }
  std::vector<double> b_x(k);
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < k; ++row)
    for (std::size_t column = 0; column < n; ++column) b_x[row] += element_of_b(row, column) * x_[column];
  expected_.resize(m);
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t l = 0; l < k; ++l) expected_[row] += a(row * k + l) * b_x[l];
}

template <class T>
Verdict ProductOracle::check(Device& device, std::span<const T> c, const ProductBound& bound, std::size_t set) const {
  const auto n = static_cast<double>(shape_.n), k = static_cast<double>(shape_.k);
  // A sum of n elements whose errors are independent; |c| is √k/3 on the average and hardly ever six times that.
  const double of_row = std::sqrt(n) * (bound.of_sum + bound.of_rounding * 2 * std::sqrt(k));
  Verdict worst{.ok = true, .error = 0, .bound = is_projection() ? of_row : bound.of_sum, .where = {}};
  const auto compare = [&](std::size_t i, double is) {
    const double error = std::abs(is - expected_[i]);
    const double most = is_projection() ? of_row : bound.of_sum + bound.of_rounding * std::abs(expected_[i]);
    if (share(error, most) <= share(worst.error, worst.bound)) return;
    worst.error = error;
    worst.bound = most;
    if (error <= most) return;
    worst.ok = false;
    const std::string of_input = " of input " + std::to_string(set);
    worst.where = mismatch(
        is_projection() ? "row " + std::to_string(i) + of_input + ", times a random vector,"
                        : "row " + std::to_string(i / shape_.n) + ", column " + std::to_string(i % shape_.n) + of_input,
        is, expected_[i]);
  };
  // In pieces of whole rows, so that no second copy of a large C is needed.
  const std::size_t rows_at_once =
      std::max<std::size_t>(1, (std::size_t{1} << 22) / std::max<std::size_t>(shape_.n, 1));
  std::vector<T> rows;
  std::vector<double> sums;
  for (std::size_t first = 0; first < shape_.m && shape_.n > 0; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, shape_.m - first), elements = count * shape_.n;
    rows.resize(elements);
    device.read(rows.data(), c.data() + first * shape_.n, elements * sizeof(T));
    if (!is_projection()) {
      for (std::size_t i = 0; i < elements; ++i) compare(first * shape_.n + i, value_of(rows[i]));
      continue;
    }
    sums.assign(count, 0);
#pragma omp parallel for schedule(static)
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t column = 0; column < shape_.n; ++column)
        sums[row] += value_of(rows[row * shape_.n + column]) * x_[column];
    for (std::size_t row = 0; row < count; ++row) compare(first + row, sums[row]);
  }
  return worst;
}

template Verdict ProductOracle::check(Device&, std::span<const float>, const ProductBound&, std::size_t) const;
template Verdict ProductOracle::check(Device&, std::span<const Half>, const ProductBound&, std::size_t) const;
template Verdict ProductOracle::check(Device&, std::span<const Bfloat16>, const ProductBound&, std::size_t) const;

std::shared_ptr<const ProductOracle> product_oracle(const ProductShape& shape, const ProductInputs& inputs) {
  using Key = std::tuple<ProductShape, std::uint64_t, std::uint64_t, int, bool>;
  static std::map<Key, std::shared_ptr<const ProductOracle>> known;
  static double held = 0;
  constexpr double most_held = 0x1p29;  // bytes
  auto& oracle = known[{shape, inputs.a.random.key, inputs.b.random.key, inputs.a.bits, inputs.b_transposed}];
  if (oracle) return oracle;
  const auto made = oracle = std::make_shared<const ProductOracle>(shape, inputs);
  held += made->bytes();
  if (held > most_held) {
    known.clear();
    held = 0;
  }
  return made;
}

Verdict worst_of(const std::vector<Verdict>& verdicts) {
  Verdict worst{.ok = true, .error = 0, .bound = 0, .where = {}};
  if (!verdicts.empty()) worst = verdicts.front();
  for (const Verdict& verdict : verdicts)
    if (share(verdict.error, verdict.bound) > share(worst.error, worst.bound)) worst = verdict;
  return worst;
}

std::vector<std::string> library_factors(const std::vector<Outcome>& outcomes) {
  const auto is_library = [](const Outcome& o) { return o.rung.find("/cublas") != std::string::npos; };
  std::map<Point, const Outcome*> library;
  for (const Outcome& o : outcomes)
    if (is_library(o)) {
      const Outcome*& best = library[o.point];
      if (!best || o.seconds < best->seconds) best = &o;
    }
  /// What the axes of a point say that are words: points of one line have them in common.
  const auto kind = [](const Point& point) {
    std::string words;
    for (const auto& c : point.coordinates())
      if (const auto* word = std::get_if<std::string>(&c.value); word && !c.implied) words += " " + *word;
    return words;
  };
  struct Line {
    std::string points;
    double sum = 0, sum_of_logs = 0;
    int squares = 0;
  };
  std::map<std::pair<std::string, std::string>, Line> lines;
  const auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return std::string(text);
  };
  std::vector<const Outcome*> by_point;
  for (const Outcome& o : outcomes)
    if (!is_library(o) && library.contains(o.point)) by_point.push_back(&o);
  std::ranges::stable_sort(by_point, {}, [](const Outcome* o) { return shape_of(o->point); });
  for (const Outcome* o : by_point) {
    const double factor = o->seconds / library.at(o->point)->seconds;
    const ProductShape shape = shape_of(o->point);
    const bool is_square = shape.m == shape.n && shape.n == shape.k;
    Line& line = lines[{o->rung, kind(o->point)}];
    line.points += (line.points.empty() ? " " : ", ") + std::to_string(shape.m) +
                   (is_square ? "" : "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k)) + ": " +
                   number(factor);
    if (!is_square || shape.n < 512) continue;
    line.sum += factor;
    line.sum_of_logs += std::log(factor);
    ++line.squares;
  }
  std::vector<std::string> text;
  for (const auto& [of, line] : lines) {
    std::string mean;
    if (line.squares > 0)
      mean = "; mean of squares from 512 on " + number(line.sum / line.squares) + ", geometric " +
             number(std::exp(line.sum_of_logs / line.squares));
    text.push_back("cuBLAS factor of " + of.first + "," + of.second + ":" + line.points + mean);
  }
  return text;
}

}  // namespace crosswarp
