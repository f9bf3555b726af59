// The double GEMM experiment: points, bound, buffers, references, check.
#include "experiments/matmul_f64.hpp"

#include "core/comparison.hpp"
#include "core/general_numbers.hpp"

namespace crosswarp {

ErrorBound MatmulF64::bound(std::size_t k) {
  constexpr double u = 0x1p-53;  // unit roundoff of double
  return {.of_sum = 6 * static_cast<double>(k) * u, .of_rounding = 2 * u};
}

std::vector<Point> MatmulF64::bench_points() {
  std::vector<Point> points;
  for (const GemmShape& shape : bench_shapes()) points.push_back(point(shape));
  return points;
}

std::vector<Point> MatmulF64::headline_points() {
  std::vector<Point> points;
  for (const std::size_t n : {64, 128, 256, 512, 1024, 2048, 4096}) points.push_back(point({n, n, n}));
  return points;
}

std::vector<TestPoint> MatmulF64::test_points() {
  std::vector<TestPoint> points;
  for (const GemmShape& shape : test_shapes()) points.push_back({point(shape), is_slow_on_host(shape)});
  return points;
}

Point MatmulF64::point(const GemmShape& shape) {
  return product(axes(), {{static_cast<std::int64_t>(shape.m)},
                          {static_cast<std::int64_t>(shape.n)},
                          {static_cast<std::int64_t>(shape.k)}})
      .front();
}

Point MatmulF64::point(const Args& args) { return point({args.m, args.n, args.k}); }

Cost MatmulF64::cost(const Point& point) {
  return gemm_cost(shape_of(point), sizeof(double), sizeof(double), "tensor_f64");
}

std::size_t MatmulF64::footprint(const Point& point) {
  return gemm_footprint(shape_of(point), sizeof(double), sizeof(double));
}

MatmulF64::MatmulF64(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device), shape_(shape_of(point)), seed_(seed), a_(sets), b_(sets), c_(sets) {
  allocate();
}

void MatmulF64::release() {
  for (auto* const matrices : {&a_, &b_, &c_})
    for (Buffer<double>& matrix : *matrices) matrix = {};
}

void MatmulF64::allocate() {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    a_[set] = Buffer<double>(device_, shape_.m * shape_.k);
    b_[set] = Buffer<double>(device_, shape_.k * shape_.n);
    c_[set] = Buffer<double>(device_, shape_.m * shape_.n);
  }
}

void MatmulF64::refill(std::uint64_t generation) {
  using Role = GeneralNumbers::Role;
  generation_ = generation;
  for (std::size_t set = 0; set < c_.size(); ++set) {
    const std::uint64_t seed = generation_seed(seed_, generation) + set;
    device_.generate_general(a_[set].span(), {Distribution::uniform, seed, shape_.k, Role::a});
    device_.generate_general(b_[set].span(), {Distribution::uniform, seed, shape_.k, Role::b, shape_.n});
  }
  std::vector<Buffer<double>>& made = references_[generation];
  for (std::size_t set = made.size(); set < c_.size(); ++set) {
    made.emplace_back(device_, shape_.m * shape_.n);
    if (shape_.m * shape_.n > 0)
      device_.reference_gemm({a_[set].span(), b_[set].span(), shape_.m, shape_.n, shape_.k}, made.back().span());
  }
}

void MatmulF64::poison() {
  for (auto& c : c_) c.poison();
}

Verdict MatmulF64::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(a_, b_, c_)) return {.ok = false, .where = "a guard band beside A, B or C was written to"};
  const std::size_t elements = shape_.m * shape_.n;
  if (elements == 0) return {.ok = true, .error = 0, .bound = bound(shape_.k).at(0), .where = {}};
  std::vector<std::pair<TypedSpan, TypedSpan>> pairs;
  for (std::size_t set = 0; set < c_.size(); ++set)
    pairs.emplace_back(c_[set].span(), references_.at(generation_)[set].span());
  return verdict_on(device_.compare(pairs, bound(shape_.k)), bound(shape_.k), c_.size(), elements,
                    [this](std::size_t i) { return element_name(i, shape_.n); });
}

template ExperimentEntry describe<MatmulF64>();

}  // namespace crosswarp
