// The TF32 GEMM experiment: points, bound, buffers, check.
#include "experiments/matmul_tf32.hpp"

#include <algorithm>
#include <cmath>

namespace crosswarp {

ErrorBound MatmulTf32::bound(std::size_t k, bool split) {
  if (k == 0) return {};
  constexpr double u = 0x1p-24;  // unit roundoff of float
  const auto products = static_cast<double>(k);
  const double of_operands = split ? 0x1p-10 : 1, steps = split ? 6 * products : 2 * products;
  return {.of_sum = of_operands * std::sqrt(products) * 0x1p-9 + (4 + std::sqrt(products)) * steps * u,
          .of_rounding = of_operands * 0x1p-10 + u};
}

std::vector<Axis> MatmulTf32::axes() {
  std::vector<Axis> axes = shape_axes();
  axes.push_back({.name = "precision",
                  .meaning = "operands of 11 bits, or sums of two such numbers",
                  .bench = {"tf32", "3xtf32"},
                  .allowed = {"tf32", "3xtf32"},
                  .random = RandomRange()});
  return axes;
}

std::vector<Point> MatmulTf32::bench_points() {
  std::vector<Point> points;
  for (const GemmShape& shape : bench_shapes())
    for (const char* precision : {"tf32", "3xtf32"}) points.push_back(point(shape, precision));
  return points;
}

std::vector<Point> MatmulTf32::headline_points() {
  std::vector<Point> points;
  for (const std::size_t n : {128, 256, 512, 1024, 2048, 4096}) points.push_back(point({n, n, n}, "tf32"));
  return points;
}

/// Each shape in one precision, in turn; some in both.
std::vector<TestPoint> MatmulTf32::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](const GemmShape& shape, const char* precision) {
    const TestPoint test{point(shape, precision), is_slow_on_host(shape)};
    if (std::ranges::find(points, test.point, &TestPoint::point) == points.end()) points.push_back(test);
  };
  bool is_split = false;
  for (const GemmShape& shape : test_shapes()) add(shape, std::exchange(is_split, !is_split) ? "3xtf32" : "tf32");
  for (const GemmShape& shape :
       {GemmShape{65, 33, 48}, {257, 264, 72}, {2100, 2312, 328}, {2100, 2312, 32}, {2100, 2201, 1032}})
    for (const char* precision : {"tf32", "3xtf32"}) add(shape, precision);
  return points;
}

Point MatmulTf32::point(const GemmShape& shape, const std::string& precision) {
  return product(axes(), {{static_cast<std::int64_t>(shape.m)},
                          {static_cast<std::int64_t>(shape.n)},
                          {static_cast<std::int64_t>(shape.k)},
                          {precision}})
      .front();
}

Point MatmulTf32::point(const Args& args) { return point({args.m, args.n, args.k}, args.split ? "3xtf32" : "tf32"); }

/// Of the problem: 3xTF32 does three times as many operations.
Cost MatmulTf32::cost(const Point& point) {
  return gemm_cost(shape_of(point), sizeof(float), sizeof(float), "tensor_tf32");
}

std::size_t MatmulTf32::footprint(const Point& point) {
  return gemm_footprint(shape_of(point), sizeof(float), sizeof(float));
}

MatmulTf32::MatmulTf32(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      shape_(shape_of(point)),
      is_split_(point.word("precision") == "3xtf32"),
      seed_(seed),
      a_(sets),
      b_(sets),
      c_(sets),
      references_(device, sets, shape_.m, shape_.n, [this](std::size_t set, std::size_t first, std::span<float> to) {
        device_.reference_gemm(rows_of(gemm(set), first, to.size() / shape_.n), to);
      }) {
  allocate();
}

void MatmulTf32::release() {
  for (auto* const matrices : {&a_, &b_, &c_})
    for (Buffer<float>& matrix : *matrices) matrix = {};
}

void MatmulTf32::allocate() {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    a_[set] = Buffer<float>(device_, shape_.m * shape_.k);
    b_[set] = Buffer<float>(device_, shape_.n * shape_.k);
    c_[set] = Buffer<float>(device_, shape_.m * shape_.n);
  }
}

void MatmulTf32::refill(std::uint64_t generation) {
  generation_ = generation;
  fill_inputs();
  references_.keep(generation);
}

void MatmulTf32::fill_inputs() const {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    const GemmInputs inputs(generation_seed(seed_, generation_), set, 24, true);
    device_.generate(a_[set].span(), inputs.a);
    device_.generate(b_[set].span(), inputs.b);
  }
}

Gemm MatmulTf32::gemm(std::size_t set) const {
  return {a_[set].span(), b_[set].span(), shape_.m, shape_.n, shape_.k, true};
}

void MatmulTf32::poison() {
  for (auto& c : c_) c.poison();
}

Verdict MatmulTf32::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(a_, b_, c_)) return {.ok = false, .where = "a guard band beside A, B or C was written to"};
  std::vector<TypedSpan> results;
  for (std::size_t set = 0; set < c_.size(); ++set) results.push_back(c_[set].span());
  if (!references_.holds(generation_)) fill_inputs();  // a launch may have written to them
  return references_.check(generation_, results, bound(shape_.k, is_split_),
                           [this](std::size_t i) { return element_name(i, shape_.n); });
}

bool MatmulTf32::refill_general(Distribution distribution, std::uint64_t draw) {
  general_ = crosswarp::refill_general(device_, gemm(0), distribution, generation_seed(seed_, draw));
  return true;
}

template ExperimentEntry describe<MatmulTf32>();

}  // namespace crosswarp
