// What is for the host alone; apart from the header, which kernels include.
#include "experiments/matmul_f32.hpp"

namespace crosswarp {

std::vector<Axis> MatmulF32::axes() {
  std::vector<Axis> axes = shape_axes();
  axes.push_back({.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32"}});
  return axes;
}

std::vector<Point> MatmulF32::bench_points() {
  std::vector<Point> points;
  for (const GemmShape& shape : bench_shapes()) points.push_back(point(shape));
  return points;
}

std::vector<Point> MatmulF32::headline_points() {
  std::vector<Point> points;
  for (const std::size_t n : {64, 128, 256, 512, 1024, 2048, 4096}) points.push_back(point({n, n, n}));
  return points;
}

/// Beside the common shapes, nine have one row or column, for gemv: loads of four, two and one elements, rows along k
/// and along n, k in one range and in several, rows of a single load and of several passes. All but one are small
/// enough for the emulation. Ten have few tiles more than its two multiprocessors hold, which are split: of each size
/// but 64 x 64 prefetched.
std::vector<TestPoint> MatmulF32::test_points() {
  std::vector<GemmShape> shapes = test_shapes();
  for (const GemmShape& shape : {GemmShape{1, 28, 2003},
                                 {1, 30, 1501},
                                 {1, 13, 3001},
                                 {1, 514, 1501},
                                 {4, 1, 9000},
                                 {40, 1, 1200},
                                 {100, 1, 518},
                                 {3, 1, 5003},
                                 {700, 1, 2},
                                 {4, 513, 128},
                                 {3, 516, 129},
                                 {4, 516, 128},
                                 {513, 3, 129},
                                 {513, 4, 128},
                                 {65, 149, 255},
                                 {65, 148, 256},
                                 {20, 131, 433},
                                 {20, 132, 431},
                                 {20, 132, 432}})
    shapes.push_back(shape);
  std::vector<TestPoint> points;
  for (const GemmShape& shape : shapes) points.push_back({point(shape), is_slow_on_host(shape)});
  return points;
}

Point MatmulF32::point(const GemmShape& shape) {
  return product(axes(), {{static_cast<std::int64_t>(shape.m)},
                          {static_cast<std::int64_t>(shape.n)},
                          {static_cast<std::int64_t>(shape.k)},
                          {"f32"}})
      .front();
}

Point MatmulF32::point(const Args& args) { return point({args.m, args.n, args.k}); }

Cost MatmulF32::cost(const Point& point) { return gemm_cost(shape_of(point), sizeof(float), sizeof(float), "f32"); }

std::size_t MatmulF32::footprint(const Point& point) {
  return gemm_footprint(shape_of(point), sizeof(float), sizeof(float));
}

MatmulF32::MatmulF32(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      shape_(shape_of(point)),
      seed_(seed),
      a_(sets),
      b_(sets),
      c_(sets),
      references_(device, sets, shape_.m, shape_.n, [this](std::size_t set, std::size_t first, std::span<float> to) {
        const Gemm gemm{a_[set].span(), b_[set].span(), shape_.m, shape_.n, shape_.k};
        device_.reference_gemm(rows_of(gemm, first, to.size() / shape_.n), to);
      }) {
  allocate();
}

void MatmulF32::release() {
  for (std::vector<Buffer<float>>* const matrices : {&a_, &b_, &c_})
    for (Buffer<float>& matrix : *matrices) matrix = {};
}

void MatmulF32::allocate() {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    a_[set] = Buffer<float>(device_, shape_.m * shape_.k);
    b_[set] = Buffer<float>(device_, shape_.k * shape_.n);
    c_[set] = Buffer<float>(device_, shape_.m * shape_.n);
  }
}

void MatmulF32::refill(std::uint64_t generation) {
  generation_ = generation;
  fill_inputs();
  references_.keep(generation);
}

void MatmulF32::fill_inputs() const {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    const GemmInputs inputs(generation_seed(seed_, generation_), set, 24, false);
    device_.generate(a_[set].span(), inputs.a);
    device_.generate(b_[set].span(), inputs.b);
  }
}

void MatmulF32::poison() {
  for (auto& c : c_) c.poison();
}

Verdict MatmulF32::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(a_, b_, c_)) return {.ok = false, .where = "a guard band beside A, B or C was written to"};
  std::vector<TypedSpan> results;
  for (std::size_t set = 0; set < c_.size(); ++set) results.push_back(c_[set].span());
  if (!references_.holds(generation_)) fill_inputs();  // a launch may have written to them
  return references_.check(generation_, results, bound_of_f32(shape_.k),
                           [this](std::size_t i) { return element_name(i, shape_.n); });
}

bool MatmulF32::refill_general(Distribution distribution, std::uint64_t draw) {
  const Gemm gemm{a_[0].span(), b_[0].span(), shape_.m, shape_.n, shape_.k};
  general_ = crosswarp::refill_general(device_, gemm, distribution, generation_seed(seed_, draw));
  return true;
}

template ExperimentEntry describe<MatmulF32>();

}  // namespace crosswarp
