// What is for the host alone; apart from the header, which kernels include.
#include "experiments/matmul_f16.hpp"

#include <array>

namespace crosswarp {
namespace {

constexpr int significant_bits(bool bf16) { return bf16 ? 8 : 11; }

double output_bytes(const Point& point) { return point.word("out") == "f32" ? 4 : 2; }

template <class T>
std::span<T> as(std::span<std::uint16_t> words) {
  return {reinterpret_cast<T*>(words.data()), words.size()};
}

}  // namespace

std::vector<Axis> MatmulF16::axes() {
  std::vector<Axis> axes = shape_axes();
  axes.push_back(
      {.name = "layout", .meaning = "B stored k x n (nn) or n x k (tn)", .bench = {"nn"}, .allowed = {"nn", "tn"}});
  axes.push_back({.name = "type", .meaning = "type of A and B", .bench = {"f16"}, .allowed = {"f16", "bf16"}});
  axes.push_back({.name = "out",
                  .meaning = "type of C: that of A and B, or float",
                  .bench = {"same"},
                  .allowed = {"same", "f32"},
                  .implied = "same"});
  return axes;
}

/// All shapes as f16 and row-major; the large squares in every type and layout.
std::vector<Point> MatmulF16::bench_points() {
  std::vector<Point> points;
  for (const ProductShape& shape : shapes_to_bench()) points.push_back(point(shape, "nn", "f16", "same"));
  for (const std::size_t n : {2048, 4096, 8192}) {
    points.push_back(point({n, n, n}, "nn", "bf16", "same"));
    points.push_back(point({n, n, n}, "tn", "f16", "same"));
    points.push_back(point({n, n, n}, "tn", "bf16", "same"));
    points.push_back(point({n, n, n}, "tn", "bf16", "f32"));
  }
  return points;
}

/// Each shape in one of the eight combinations, which take turns; and some shapes in all. Of these two are deep and
/// small, for kernels that take sums in parts; the last two have more tiles than a GPU has multiprocessors, an odd
/// number of rows of them, and few columns in the last: for kernels whose blocks take one after the other. In the very
/// last these are shorter than what is still to be written of the one before.
std::vector<TestPoint> MatmulF16::test_points() {
  std::vector<std::array<std::string, 3>> kinds;
  for (const std::string layout : {"nn", "tn"})
    for (const std::string type : {"f16", "bf16"})
      for (const std::string out : {"same", "f32"}) kinds.push_back({layout, type, out});
  std::vector<TestPoint> points;
  std::size_t turn = 0;
  for (const ProductShape& shape : shapes_to_test()) {
    const auto& [layout, type, out] = kinds[turn++ % kinds.size()];
    points.push_back({point(shape, layout, type, out), takes_a_processor_long(shape)});
  }
  for (const ProductShape& shape : {ProductShape{65, 33, 129},
                                    {64, 128, 64},
                                    {257, 264, 72},
                                    {72, 136, 4104},
                                    {71, 137, 4104},
                                    {2100, 2312, 328},
                                    {2100, 2312, 136}})
    for (const auto& [layout, type, out] : kinds)
      if (const TestPoint test{point(shape, layout, type, out), takes_a_processor_long(shape)};
          std::ranges::find(points, test.point, &TestPoint::point) == points.end())
        points.push_back(test);
  return points;
}

Point MatmulF16::point(const ProductShape& shape, const std::string& layout, const std::string& type,
                       const std::string& out) {
  return product(axes(), {{static_cast<std::int64_t>(shape.m)},
                          {static_cast<std::int64_t>(shape.n)},
                          {static_cast<std::int64_t>(shape.k)},
                          {layout},
                          {type},
                          {out}})
      .front();
}

Cost MatmulF16::cost(const Point& point) {
  return product_cost(shape_of(point), 2, output_bytes(point),
                      point.word("type") == "bf16" ? "tensor_bf16" : "tensor_f16");
}

std::size_t MatmulF16::footprint(const Point& point) {
  return product_footprint(shape_of(point), 2, output_bytes(point));
}

MatmulF16::MatmulF16(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      shape_(shape_of(point)),
      is_bf16_(point.word("type") == "bf16"),
      is_b_transposed_(point.word("layout") == "tn"),
      is_f32_out_(point.word("out") == "f32"),
      seed_(seed) {
  for (std::size_t set = 0; set < sets; ++set) {
    a_.emplace_back(device, shape_.m * shape_.k);
    b_.emplace_back(device, shape_.k * shape_.n);
    c_.emplace_back(device, shape_.m * shape_.n * (is_f32_out_ ? 4 : 2));
  }
  oracles_.resize(sets);
}

void MatmulF16::refill(std::uint64_t generation) {
  const auto generate = [&](std::span<std::uint16_t> to, const Lattice& elements) {
    if (is_bf16_)
      device_.generate_elements(as<Bfloat16>(to), {elements});
    else
      device_.generate_elements(as<Half>(to), {elements});
  };
  for (std::size_t set = 0; set < c_.size(); ++set) {
    const ProductInputs inputs(generation_seed(seed_, generation), set, significant_bits(is_bf16_), is_b_transposed_);
    generate(a_[set].span(), inputs.a);
    generate(b_[set].span(), inputs.b);
    oracles_[set] = product_oracle(shape_, inputs);
  }
}

void MatmulF16::poison() {
  for (auto& c : c_) c.poison();
}

Verdict MatmulF16::check(ResultIn) const {
  device_.synchronize();
  const ProductBound bound = bound_of_16_bits(shape_.k, is_f32_out_ ? 24 : significant_bits(is_bf16_));
  std::vector<Verdict> verdicts;
  for (std::size_t set = 0; set < c_.size(); ++set) {
    if (!a_[set].guards_intact() || !b_[set].guards_intact() || !c_[set].guards_intact())
      return {.ok = false, .where = "a guard band beside A, B or C was written to"};
    const auto check_as = [&]<class T>() {
      const std::span<std::byte> bytes = c_[set].span();
      const std::span<const T> c{reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
      verdicts.push_back(oracles_[set]->check(device_, c, bound, set));
    };
    if (is_f32_out_)
      check_as.template operator()<float>();
    else if (is_bf16_)
      check_as.template operator()<Bfloat16>();
    else
      check_as.template operator()<Half>();
  }
  return worst_of(verdicts);
}

template ExperimentEntry describe<MatmulF16>();

}  // namespace crosswarp
