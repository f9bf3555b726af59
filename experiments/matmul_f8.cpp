// The 8-bit GEMM experiment: points, inputs with exact sums, buffers, check.
#include "experiments/matmul_f8.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace crosswarp {
namespace {

constexpr int accumulator_bits = 14;  // of Hopper's 8-bit matrix instructions
constexpr int float_bits = 24;
constexpr std::int64_t max_k = std::int64_t{1} << 21;

double bytes_of_c(const Point& point) { return point.word("out") == "f32" ? 4 : 2; }

template <class T>
std::span<T> elements_as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// Factors in (2, 4) with 22 random bits each.
Elements scale_factors(std::uint64_t seed, std::size_t set) {
  constexpr std::uint64_t first_stream = std::uint64_t{1} << 16;  // sets of matrices use lower ones
  constexpr int bits = 20;
  return {{RandomStream(seed, first_stream + set), bits}, 3 << bits};
}

}  // namespace

MatmulF8::InputBits MatmulF8::input_bits(std::size_t k, bool e5m2, bool promoted) {
  InputBits bits{e5m2 ? 3 : 4, 4};
  const int kept = promoted ? float_bits : accumulator_bits;
  const auto is_exact = [&] {
    const int left = std::max(0, kept - bits.a - bits.b);
    return 64 * static_cast<double>(k) <= 9 * std::ldexp(1.0, 2 * left);  // (8·√k/3)² ≤ 4^left
  };
  while (!is_exact() && bits.a + bits.b > 2) --(bits.a >= bits.b ? bits.a : bits.b);
  return bits;
}

ErrorBound MatmulF8::bound(const Args& args) {
  constexpr double of_scaling = 0x1p-22;  // both factors, the sum, and the reference: four times 2^-24
  return {.of_sum = 0, .of_rounding = (args.f32_out ? 0 : 0x1p-8) + (args.scales.empty() ? 0 : of_scaling)};
}

/// Sums of more products than max_k are not exact in 14 bits, however narrow the inputs are.
std::vector<Axis> MatmulF8::axes() {
  std::vector<Axis> axes = shape_axes();
  axes.back().most = max_k;
  for (Axis& axis : axes) axis.random->half_multiple = 16;  // elements of 16 bytes
  axes.push_back({.name = "type",
                  .meaning = "type of A; B is e4m3",
                  .bench = {"e4m3"},
                  .allowed = {"e4m3", "e5m2"},
                  .random = RandomRange()});
  axes.push_back({.name = "out",
                  .meaning = "type of C",
                  .bench = {"bf16"},
                  .allowed = {"bf16", "f32"},
                  .implied = "bf16",
                  .random = RandomRange()});
  axes.push_back({.name = "scale",
                  .meaning = "factors of A and B, in device memory (tensor)",
                  .bench = {"none"},
                  .allowed = {"none", "tensor"},
                  .implied = "none",
                  .random = RandomRange()});
  axes.push_back({.name = "accumulation",
                  .meaning = "sums in the matrix units' 14 bits (fast), or promoted to float",
                  .bench = {"fast"},
                  .allowed = {"fast", "promoted"},
                  .random = RandomRange()});
  return axes;
}

/// All shapes as e4m3 into bf16, fast; large squares in every type, output and accumulation.
std::vector<Point> MatmulF8::bench_points() {
  std::vector<Point> points;
  for (const GemmShape& shape : bench_shapes()) points.push_back(point(shape, "e4m3", "bf16", "none", "fast"));
  for (const std::size_t n : {2048, 4096, 8192}) {
    const GemmShape square{n, n, n};
    points.push_back(point(square, "e4m3", "bf16", "none", "promoted"));
    points.push_back(point(square, "e4m3", "bf16", "tensor", "fast"));
    points.push_back(point(square, "e4m3", "bf16", "tensor", "promoted"));
    points.push_back(point(square, "e5m2", "bf16", "tensor", "fast"));
    points.push_back(point(square, "e4m3", "f32", "none", "fast"));
  }
  return points;
}

std::vector<Point> MatmulF8::headline_points() {
  std::vector<Point> points;
  for (const std::size_t n : {128, 256, 512, 1024, 2048, 4096})
    points.push_back(point({n, n, n}, "e4m3", "bf16", "none", "fast"));
  return points;
}

/// Each shape in one of the 16 combinations of options, in turn; some shapes in all. Among these two are for persistent
/// kernels: more tiles than a GPU has multiprocessors, an odd number of tile rows, a narrow last tile column; one of
/// them with enough k-tiles to split the last wave alone. The last are deeper than 14 bits are exact for, and deep and
/// small, for split-K.
std::vector<TestPoint> MatmulF8::test_points() {
  std::vector<std::array<std::string, 4>> kinds;
  for (const std::string accumulation : {"fast", "promoted"})
    for (const std::string scale : {"none", "tensor"})
      for (const std::string out : {"bf16", "f32"})
        for (const std::string type : {"e4m3", "e5m2"}) kinds.push_back({type, out, scale, accumulation});
  std::vector<TestPoint> points;
  const auto add = [&](const GemmShape& shape, const std::array<std::string, 4>& kind) {
    const auto& [type, out, scale, accumulation] = kind;
    const TestPoint test{point(shape, type, out, scale, accumulation), is_slow_on_host(shape)};
    if (std::ranges::find(points, test.point, &TestPoint::point) == points.end()) points.push_back(test);
  };
  std::size_t turn = 0;
  for (const GemmShape& shape : test_shapes()) add(shape, kinds[turn++ % kinds.size()]);
  for (const GemmShape& shape :
       {GemmShape{65, 33, 48}, {257, 264, 144}, {2100, 2312, 656}, {2100, 2312, 112}, {2100, 2200, 4112}})
    for (const auto& kind : kinds) add(shape, kind);
  for (const GemmShape& shape : {GemmShape{24, 16, 2311}, {72, 136, 4112}, {136, 264, 16'400}})
    for (const std::string accumulation : {"fast", "promoted"}) add(shape, {"e4m3", "f32", "none", accumulation});
  return points;
}

Point MatmulF8::point(const GemmShape& shape, const std::string& type, const std::string& out, const std::string& scale,
                      const std::string& accumulation) {
  return product(axes(), {{static_cast<std::int64_t>(shape.m)},
                          {static_cast<std::int64_t>(shape.n)},
                          {static_cast<std::int64_t>(shape.k)},
                          {type},
                          {out},
                          {scale},
                          {accumulation}})
      .front();
}

Point MatmulF8::point(const Args& args) {
  return point({args.m, args.n, args.k}, args.e5m2 ? "e5m2" : "e4m3", args.f32_out ? "f32" : "bf16",
               args.scales.empty() ? "none" : "tensor", args.promoted ? "promoted" : "fast");
}

Cost MatmulF8::cost(const Point& point) { return gemm_cost(shape_of(point), 1, bytes_of_c(point), "tensor_fp8"); }

std::size_t MatmulF8::footprint(const Point& point) {
  return gemm_footprint(shape_of(point), 1, bytes_of_c(point)) + 2 * Buffer<float>::guard;
}

MatmulF8::MatmulF8(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      shape_(shape_of(point)),
      is_e5m2_(point.word("type") == "e5m2"),
      is_f32_out_(point.word("out") == "f32"),
      is_scaled_(point.word("scale") == "tensor"),
      is_promoted_(point.word("accumulation") == "promoted"),
      seed_(seed),
      a_(sets),
      b_(sets),
      c_(sets),
      scales_(sets),
      references_(device, sets, shape_.m, shape_.n, [this](std::size_t set, std::size_t first, std::span<float> to) {
        const Gemm whole = gemm(set, generation_seed(seed_, generation_));
        device_.reference_gemm(rows_of(whole, first, to.size() / shape_.n), to);
      }) {
  allocate();
}

void MatmulF8::release() {
  for (auto* const operands : {&a_, &b_})
    for (auto& operand : *operands) operand = {};
  for (auto& c : c_) c = {};
  for (auto& scales : scales_) scales = {};
}

void MatmulF8::allocate() {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    a_[set] = Buffer<std::uint8_t>(device_, shape_.m * shape_.k);
    b_[set] = Buffer<std::uint8_t>(device_, shape_.n * shape_.k);
    c_[set] = Buffer<std::byte>(device_, shape_.m * shape_.n * (is_f32_out_ ? 4 : 2));
    scales_[set] = Buffer<float>(device_, is_scaled_ ? factor_pitch + 1 : 0);
  }
}

void MatmulF8::refill(std::uint64_t generation) {
  generation_ = generation;
  fill_inputs();
  references_.keep(generation);
}

void MatmulF8::fill_inputs() const {
  const InputBits bits = input_bits(shape_.k, is_e5m2_, is_promoted_);
  const std::uint64_t seed = generation_seed(seed_, generation_);
  for (std::size_t set = 0; set < c_.size(); ++set) {
    device_.generate_elements(typed_a(set), {{RandomStream(seed, 2 * set), bits.a}});
    device_.generate_elements(elements_as<E4m3>(b_[set].bytes()), {{RandomStream(seed, 2 * set + 1), bits.b}});
    fill_scales(set, seed);
  }
}

void MatmulF8::fill_scales(std::size_t set, std::uint64_t seed) const {
  if (is_scaled_) device_.generate_elements(scales_[set].span(), scale_factors(seed, set));
}

Gemm MatmulF8::gemm(std::size_t set, std::uint64_t seed) const {
  Gemm gemm{typed_a(set), elements_as<E4m3>(b_[set].bytes()), shape_.m, shape_.n, shape_.k, true};
  if (const Elements factors = scale_factors(seed, set); is_scaled_)
    gemm.scale = factors.at<double>(0) * factors.at<double>(factor_pitch);
  return gemm;
}

TypedSpan MatmulF8::typed_a(std::size_t set) const {
  if (is_e5m2_) return elements_as<E5m2>(a_[set].bytes());
  return elements_as<E4m3>(a_[set].bytes());
}

TypedSpan MatmulF8::result(std::size_t set) const {
  const std::span<std::byte> c = c_[set].span();
  if (is_f32_out_) return elements_as<float>(c);
  return elements_as<Bfloat16>(c);
}

void MatmulF8::poison() {
  for (auto& c : c_) c.poison();
}

Verdict MatmulF8::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(a_, b_, c_) || !guards_intact(scales_))
    return {.ok = false, .where = "a guard band beside A, B, C or the factors was written to"};
  std::vector<TypedSpan> results;
  for (std::size_t set = 0; set < c_.size(); ++set) results.push_back(result(set));
  if (!references_.holds(generation_)) fill_inputs();  // a launch may have written to them
  return references_.check(generation_, results, bound(args(0)),
                           [this](std::size_t i) { return element_name(i, shape_.n); });
}

bool MatmulF8::refill_general(Distribution distribution, std::uint64_t draw) {
  if (distribution == Distribution::ill_conditioned) return false;
  const std::uint64_t seed = generation_seed(seed_, draw);
  fill_scales(0, seed);
  general_ = crosswarp::refill_general(device_, gemm(0, seed), distribution, seed);
  return true;
}

template ExperimentEntry describe<MatmulF8>();

}  // namespace crosswarp
