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
  for (const ProductShape& shape : shapes_to_bench()) points.push_back(point(shape));
  return points;
}

std::vector<TestPoint> MatmulF32::test_points() {
  std::vector<TestPoint> points;
  for (const ProductShape& shape : shapes_to_test()) points.push_back({point(shape), takes_a_processor_long(shape)});
  return points;
}

Point MatmulF32::point(const ProductShape& shape) {
  return product(axes(), {{static_cast<std::int64_t>(shape.m)},
                          {static_cast<std::int64_t>(shape.n)},
                          {static_cast<std::int64_t>(shape.k)},
                          {"f32"}})
      .front();
}

Cost MatmulF32::cost(const Point& point) { return product_cost(shape_of(point), sizeof(float), sizeof(float), "f32"); }

std::size_t MatmulF32::footprint(const Point& point) {
  return product_footprint(shape_of(point), sizeof(float), sizeof(float));
}

MatmulF32::MatmulF32(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device), shape_(shape_of(point)), seed_(seed) {
  for (std::size_t set = 0; set < sets; ++set) {
    a_.emplace_back(device, shape_.m * shape_.k);
    b_.emplace_back(device, shape_.k * shape_.n);
    c_.emplace_back(device, shape_.m * shape_.n);
  }
  oracles_.resize(sets);
}

void MatmulF32::refill(std::uint64_t generation) {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    const ProductInputs inputs(generation_seed(seed_, generation), set, 24, false);
    device_.generate(a_[set].span(), inputs.a);
    device_.generate(b_[set].span(), inputs.b);
    oracles_[set] = product_oracle(shape_, inputs);
  }
}

void MatmulF32::poison() {
  for (auto& c : c_) c.poison();
}

Verdict MatmulF32::check(ResultIn) const {
  device_.synchronize();
  std::vector<Verdict> verdicts;
  for (std::size_t set = 0; set < c_.size(); ++set) {
    if (!a_[set].guards_intact() || !b_[set].guards_intact() || !c_[set].guards_intact())
      return {.ok = false, .where = "a guard band beside A, B or C was written to"};
    verdicts.push_back(oracles_[set]->check<float>(device_, c_[set].span(), bound_of_f32(shape_.k), set));
  }
  return worst_of(verdicts);
}

template ExperimentEntry describe<MatmulF32>();

}  // namespace crosswarp
