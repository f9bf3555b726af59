// The 16-bit GEMM experiment: points, buffers, check.
#include "experiments/matmul_f16.hpp"

#include <array>

namespace crosswarp {
namespace {

constexpr int significant_bits(bool bf16) { return bf16 ? 8 : 11; }

double output_bytes(const Point& point) { return point.word("out") == "f32" ? 4 : 2; }

template <class T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

std::vector<Axis> MatmulF16::axes() {
  std::vector<Axis> axes = shape_axes();
  axes.push_back({.name = "layout",
                  .meaning = "B stored k x n (nn) or n x k (tn)",
                  .bench = {"nn"},
                  .allowed = {"nn", "tn"},
                  .random = RandomRange()});
  axes.push_back({.name = "type",
                  .meaning = "type of A and B",
                  .bench = {"f16"},
                  .allowed = {"f16", "bf16"},
                  .random = RandomRange()});
  axes.push_back({.name = "out",
                  .meaning = "type of C: that of A and B, or float",
                  .bench = {"same"},
                  .allowed = {"same", "f32"},
                  .implied = "same"});
  return axes;
}

/// All shapes as f16 nn; large squares in every type and layout.
std::vector<Point> MatmulF16::bench_points() {
  std::vector<Point> points;
  for (const GemmShape& shape : bench_shapes()) points.push_back(point(shape, "nn", "f16", "same"));
  for (const std::size_t n : {2048, 4096, 8192}) {
    points.push_back(point({n, n, n}, "nn", "bf16", "same"));
    points.push_back(point({n, n, n}, "tn", "f16", "same"));
    points.push_back(point({n, n, n}, "tn", "bf16", "same"));
    points.push_back(point({n, n, n}, "tn", "bf16", "f32"));
  }
  return points;
}

std::vector<Point> MatmulF16::headline_points() {
  std::vector<Point> points;
  for (const std::size_t n : {64, 128, 256, 512, 1024, 2048, 4096})
    points.push_back(point({n, n, n}, "nn", "bf16", "same"));
  return points;
}

/// Each shape in one of the eight combinations of options, in turn; some shapes in all of them. Among these, two are
/// deep and small, for split-K; three are for kernels of few columns: k in two chunks; few rows, which
/// blocks share; with one or two warps for a row, a second chunk of k at some distances of rows from 16 bytes alone.
/// One is for a small operand of two tiles, with split-K, whose rows have two distances from 16 bytes.
/// Six have one row or column, for gemv: loads of eight, four, two and one elements, rows along k and along n.
/// Eight are for few_rows and small_k_mma, at their edges and within; two for gathered, with ragged tiles on all sides.
/// The last six are for persistent kernels: more tiles than a GPU has multiprocessors, an odd number of tile rows, a
/// narrow last tile column. The second of these has fewer k-tiles than the deferred epilogue has panels, the third one
/// k-tile, so that warpgroups which take turns are as far ahead of loads as they can be; the last three
/// have enough to split the last wave alone, with aligned rows and without.
std::vector<TestPoint> MatmulF16::test_points() {
  std::vector<std::array<std::string, 3>> kinds;
  for (const std::string layout : {"nn", "tn"})
    for (const std::string type : {"f16", "bf16"})
      for (const std::string out : {"same", "f32"}) kinds.push_back({layout, type, out});
  std::vector<TestPoint> points;
  std::size_t turn = 0;
  for (const GemmShape& shape : test_shapes()) {
    const auto& [layout, type, out] = kinds[turn++ % kinds.size()];
    points.push_back({point(shape, layout, type, out), is_slow_on_host(shape)});
  }
  for (const GemmShape& shape :
       {GemmShape{65, 33, 129}, {64, 128, 64},     {257, 264, 72},   {72, 136, 4104},    {71, 137, 4104},
        {600, 16, 2046},        {9, 3, 7569},      {301, 13, 2043},  {1, 136, 20000},    {1, 77, 5003},
        {1, 516, 3001},         {40, 1, 20000},    {900, 1, 1030},   {3, 1, 5003},       {130, 200, 1020},
        {5, 1003, 2051},        {13, 250, 777},    {16, 9, 1},       {16, 127, 129},     {377, 509, 50},
        {130, 517, 127},        {200, 5, 9},       {129, 131, 128},  {70, 517, 1003},    {64, 1001, 2050},
        {2100, 2312, 328},      {2100, 2312, 136}, {2100, 2312, 64}, {2100, 2200, 3592}, {2105, 2203, 1032},
        {2105, 2201, 2050}})
    for (const auto& [layout, type, out] : kinds)
      if (const TestPoint test{point(shape, layout, type, out), is_slow_on_host(shape)};
          std::ranges::find(points, test.point, &TestPoint::point) == points.end())
        points.push_back(test);
  return points;
}

Point MatmulF16::point(const GemmShape& shape, const std::string& layout, const std::string& type,
                       const std::string& out) {
  return product(axes(), {{static_cast<std::int64_t>(shape.m)},
                          {static_cast<std::int64_t>(shape.n)},
                          {static_cast<std::int64_t>(shape.k)},
                          {layout},
                          {type},
                          {out}})
      .front();
}

Point MatmulF16::point(const Args& args) {
  return point({args.m, args.n, args.k}, args.b_transposed ? "tn" : "nn", args.bf16 ? "bf16" : "f16",
               args.f32_out ? "f32" : "same");
}

Cost MatmulF16::cost(const Point& point) {
  return gemm_cost(shape_of(point), 2, output_bytes(point),
                   point.word("type") == "bf16" ? "tensor_bf16" : "tensor_f16");
}

std::size_t MatmulF16::footprint(const Point& point) { return gemm_footprint(shape_of(point), 2, output_bytes(point)); }

MatmulF16::MatmulF16(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      shape_(shape_of(point)),
      is_bf16_(point.word("type") == "bf16"),
      is_b_transposed_(point.word("layout") == "tn"),
      is_f32_out_(point.word("out") == "f32"),
      seed_(seed),
      a_(sets),
      b_(sets),
      c_(sets),
      references_(device, sets, shape_.m, shape_.n, [this](std::size_t set, std::size_t first, std::span<float> to) {
        const Gemm gemm{typed(a_[set]), typed(b_[set]), shape_.m, shape_.n, shape_.k, is_b_transposed_};
        device_.reference_gemm(rows_of(gemm, first, to.size() / shape_.n), to);
      }) {
  allocate();
}

void MatmulF16::release() {
  for (auto* const operands : {&a_, &b_})
    for (auto& operand : *operands) operand = {};
  for (auto& c : c_) c = {};
}

void MatmulF16::allocate() {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    a_[set] = Buffer<std::uint16_t>(device_, shape_.m * shape_.k);
    b_[set] = Buffer<std::uint16_t>(device_, shape_.k * shape_.n);
    c_[set] = Buffer<std::byte>(device_, shape_.m * shape_.n * (is_f32_out_ ? 4 : 2));
  }
}

void MatmulF16::refill(std::uint64_t generation) {
  generation_ = generation;
  fill_inputs();
  references_.keep(generation);
}

void MatmulF16::fill_inputs() const {
  for (std::size_t set = 0; set < c_.size(); ++set) {
    const GemmInputs inputs(generation_seed(seed_, generation_), set, significant_bits(is_bf16_), is_b_transposed_);
    device_.generate_elements(typed(a_[set]), {inputs.a});
    device_.generate_elements(typed(b_[set]), {inputs.b});
  }
}

TypedSpan MatmulF16::typed(const Buffer<std::uint16_t>& matrix) const {
  if (is_bf16_) return as<Bfloat16>(matrix.bytes());
  return as<Half>(matrix.bytes());
}

TypedSpan MatmulF16::result(std::size_t set) const {
  const std::span<std::byte> c = c_[set].span();
  if (is_f32_out_) return as<float>(c);
  if (is_bf16_) return as<Bfloat16>(c);
  return as<Half>(c);
}

void MatmulF16::poison() {
  for (auto& c : c_) c.poison();
}

Verdict MatmulF16::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(a_, b_, c_)) return {.ok = false, .where = "a guard band beside A, B or C was written to"};
  std::vector<TypedSpan> results;
  for (std::size_t set = 0; set < c_.size(); ++set) results.push_back(result(set));
  if (!references_.holds(generation_)) fill_inputs();  // a launch may have written to them
  return references_.check(generation_, results,
                           bound_of_16_bits(shape_.k, is_f32_out_ ? 24 : significant_bits(is_bf16_)),
                           [this](std::size_t i) { return element_name(i, shape_.n); });
}

bool MatmulF16::refill_general(Distribution distribution, std::uint64_t draw) {
  const Gemm gemm{typed(a_[0]), typed(b_[0]), shape_.m, shape_.n, shape_.k, is_b_transposed_};
  general_ = crosswarp::refill_general(device_, gemm, distribution, generation_seed(seed_, draw));
  return true;
}

template ExperimentEntry describe<MatmulF16>();

}  // namespace crosswarp
