// Shapes, costs, inputs, error bounds and findings of the matrix products.
#include "experiments/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/buffer.hpp"
#include "core/statistics.hpp"

namespace crosswarp {
namespace {

constexpr double u = 0x1p-24;  // unit roundoff of float

}  // namespace

GemmShape shape_of(const Point& point) {
  const auto size = [&](const char* axis) { return static_cast<std::size_t>(point.integer(axis)); };
  return {size("m"), size("n"), size("k")};
}

/// Half of random shapes suit loads of 16 bytes: else nearly all would take the path of odd rows. Up to a few
/// milliseconds of a large GPU's time.
std::vector<Axis> shape_axes() {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const Value usual = std::int64_t{1024};
  const RandomRange random{.most = 16'384, .half_multiple = 8, .suits = [](const Point& point) {
                             return gemm_check_cost(shape_of(point)) <= 0x1p41;
                           }};
  return {{.name = "m", .meaning = "rows of A and C", .bench = {usual}, .most = most, .random = random},
          {.name = "n", .meaning = "columns of B and C", .bench = {usual}, .most = most, .random = random},
          {.name = "k", .meaning = "columns of A, rows of B", .bench = {usual}, .most = most, .random = random}};
}

std::vector<GemmShape> bench_shapes() {
  std::vector<GemmShape> shapes;
  for (const std::size_t n : {128, 256, 512, 1000, 1024, 1536, 2048, 4096, 4097, 8192}) shapes.push_back({n, n, n});
  shapes.insert(shapes.end(), {{4096, 4096, 64}, {64, 4096, 4096}, {128, 128, 65'536}, {1, 4096, 4096}});
  return shapes;
}

std::vector<GemmShape> test_shapes() {
  return {// empty
          {0, 0, 0},
          {0, 33, 7},
          {33, 0, 7},
          {33, 65, 0},
          {1, 1, 0},
          {128, 128, 0},
          // single rows, columns, k = 1
          {1, 1, 1},
          {1, 257, 33},
          {257, 1, 31},
          {1, 128, 129},
          {128, 1, 64},
          {63, 65, 1},
          {1, 1, 257},
          {1, 33, 1031},
          {5, 1, 1030},
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
          // multiples of four and of tiles, and next to them
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
          // more tiles than resident blocks
          {5, 1281, 40},
          {8, 1284, 40},
          // too large for the emulation
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

bool is_slow_on_host(const GemmShape& shape) {
  constexpr std::size_t tile = 64;  // kernels compute whole tiles of C
  const auto m = std::max(shape.m, tile), n = std::max(shape.n, tile);
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(shape.k) > 1e8;
}

bool is_short_for_strided_lanes(const GemmShape& shape) {
  return static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k) <= 0x1p36;
}

Cost gemm_cost(const GemmShape& shape, double bytes_in, double bytes_out, std::string_view ceiling) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  return {.bytes_read = (m * k + k * n) * bytes_in,
          .bytes_written = m * n * bytes_out,
          .flops = 2 * m * n * k,
          .accesses = m * n * k,
          .rated = Quantity::flops,
          .ceiling = ceiling};
}

std::size_t gemm_footprint(const GemmShape& shape, double bytes_in, double bytes_out) {
  const Cost cost = gemm_cost(shape, bytes_in, bytes_out, {});
  constexpr double most = std::numeric_limits<std::size_t>::max() / 8;
  return static_cast<std::size_t>(std::min(cost.bytes_read + cost.bytes_written, most)) + 6 * Buffer<float>::guard;
}

double gemm_check_cost(const GemmShape& shape) { return gemm_cost(shape, 0, 0, {}).flops; }

ErrorBound bound_of_f32(std::size_t k) {
  return {.of_sum = 4 * static_cast<double>(k) * u, .of_rounding = u};  // of the reference
}

ErrorBound bound_of_16_bits(std::size_t k, int significant_bits) {
  if (k == 0) return {};
  const auto products = static_cast<double>(k);
  ErrorBound bound{.of_sum = (4 + std::sqrt(products)) * products * u, .of_rounding = u};
  if (significant_bits == 24) return bound;
  constexpr double subnormal_step = 0x1p-24;  // of binary16
  bound.of_sum += subnormal_step / 2;
  bound.of_rounding += std::ldexp(1.0, -significant_bits);
  return bound;
}

GemmInputs::GemmInputs(std::uint64_t seed, std::size_t set, int significant_bits, bool transposed)
    : a{RandomStream(seed, 2 * set), significant_bits},
      b{RandomStream(seed, 2 * set + 1), significant_bits},
      b_transposed(transposed) {}

Gemm rows_of(const Gemm& gemm, std::size_t first, std::size_t count) {
  Gemm rows = gemm;
  rows.a = part(gemm.a, first * gemm.k, count * gemm.k);
  rows.m = count;
  return rows;
}

RowReferences refill_general(Device& device, const Gemm& gemm, Distribution distribution, std::uint64_t seed) {
  using Role = GeneralNumbers::Role;
  constexpr std::size_t most_products = std::size_t{1} << 31;  // seconds on a host
  const std::size_t n = gemm.n, k = gemm.k;
  device.generate_general(gemm.a, {distribution, seed, k, Role::a});
  device.generate_general(gemm.b, {distribution, seed, k, Role::b, gemm.b_transposed ? 1 : n});
  const std::size_t most =
      std::min(most_errors / std::max<std::size_t>(n, 1), most_products / std::max<std::size_t>(n * k, 1));
  RowReferences reference{choose_rows(gemm.m, most), n};
  const std::size_t rows = reference.rows();
  const Buffer<double> c(device, rows * n);
  if (c.size() == 0) return reference;
  std::visit(
      [&]<class T>(std::span<T> all) {
        Gemm chosen = gemm;
        chosen.m = rows;
        const bool is_one = reference.bands.size() == 1;
        const Buffer<T> gathered(device, is_one ? 0 : rows * k);
        chosen.a = is_one ? all.first(rows * k) : gathered.span();
        for (std::size_t row = 0; const Band& band : reference.bands) {
          if (!is_one)
            device.copy(gathered.span().data() + row * k, all.data() + band.first * k, band.count * k * sizeof(T));
          row += band.count;
        }
        device.reference_gemm(chosen, c.span());
      },
      gemm.a);
  for (const double element : c.read()) reference.should_be.push_back({element, 0});
  return reference;
}

std::string element_name(std::size_t index, std::size_t columns) {
  return "row " + std::to_string(index / columns) + ", column " + std::to_string(index % columns);
}

std::vector<Finding> speed_over_library(const std::vector<Outcome>& outcomes) {
  const auto is_library = [](const Outcome& o) { return o.rung.find("/cublas") != std::string::npos; };
  std::map<Point, double> library;  // seconds of the fastest row
  for (const Outcome& o : outcomes)
    if (is_library(o)) {
      const auto [fastest, is_new] = library.try_emplace(o.point, o.seconds);
      if (!is_new) fastest->second = std::min(fastest->second, o.seconds);
    }
  std::vector<const Outcome*> by_shape;
  for (const Outcome& o : outcomes)
    if (!is_library(o) && library.contains(o.point)) by_shape.push_back(&o);
  std::ranges::stable_sort(by_shape, {}, [](const Outcome* o) { return shape_of(o->point); });

  /// Layout and types of a point: one finding for each.
  const auto options = [](const Point& point) {
    std::string words;
    for (const auto& c : point.coordinates())
      if (const auto* word = std::get_if<std::string>(&c.value); word && !c.implied) words += " " + *word;
    return words;
  };
  struct Curve {
    std::vector<Finding::Values> points;
    std::vector<double> squares;
  };
  std::map<std::pair<std::string, std::string>, Curve> curves;
  for (const Outcome* o : by_shape) {
    const double ratio = library.at(o->point) / o->seconds;
    const auto [m, n, k] = shape_of(o->point);
    const bool is_square = m == n && n == k;
    const std::string shape =
        is_square ? std::to_string(m) : std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    Curve& curve = curves[{o->rung, options(o->point)}];
    curve.points.push_back({{"shape", shape}, {"m", m}, {"n", n}, {"k", k}, {"ratio", ratio}});
    if (is_square && n >= 512) curve.squares.push_back(ratio);
  }
  std::vector<Finding> findings;
  for (auto& [of, curve] : curves) {
    Finding finding{.kind = "speed_over_library",
                    .text = of.second.empty() ? "speed of {rung} relative to the library: {series}"
                                              : "speed of {rung},{options}, relative to the library: {series}",
                    .values = {{"rung", of.first}, {"options", of.second}},
                    .each = "{shape}: {ratio:.3g}",
                    .series = std::move(curve.points)};
    if (!curve.squares.empty()) {
      finding.text += "; geometric mean of squares from 512 on {mean:.3g}";
      finding.values.emplace_back("mean", geometric_mean(curve.squares));
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace crosswarp
