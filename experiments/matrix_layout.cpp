// Points, costs, inputs, oracle and findings of matrix_layout.
#include "experiments/matrix_layout.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace crosswarp {
namespace {

// A host gets fewer rows.
constexpr std::int64_t host_rows = std::int64_t{1} << 14, gpu_rows = std::int64_t{1} << 18;

bool has_default_rows(const Point& point, const DeviceInfo& device) {
  return point.integer("m") == (device.warp_size > 1 ? gpu_rows : host_rows);
}

}  // namespace

std::vector<Axis> MatrixLayout::axes() {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  const RandomRange random{.most = 1 << 24, .suits = [](const Point& point) {
                             return point.integer("m") <= (std::int64_t{1} << 28) / point.integer("n");
                           }};
  const std::vector<Value> orders{"right", "left"};
  return {{.name = "m",
           .meaning = "rows",
           .bench = {host_rows, gpu_rows},
           .most = most,
           .by_default = has_default_rows,
           .random = random},
          {.name = "n", .meaning = "columns", .bench = {std::int64_t{256}}, .most = most, .random = random},
          {.name = "order",
           .meaning = "contiguous lines: rows (right, row-major) or columns (left, column-major)",
           .bench = orders,
           .allowed = orders,
           .random = RandomRange()}};
}

std::vector<Point> MatrixLayout::headline_points() {
  std::vector<Point> points;
  for (const std::int64_t m : {host_rows, gpu_rows})
    points.push_back(point_with(axes(), {{"m", m}, {"order", "left"}}));
  return points;
}

std::vector<TestPoint> MatrixLayout::test_points() {
  using Shape = std::pair<std::int64_t, std::int64_t>;
  std::vector<TestPoint> points;
  const auto add = [&](const Shape& shape, bool slow = false) {
    for (const char* order : {"right", "left"})
      points.push_back({product(axes(), {{shape.first}, {shape.second}, {order}}).front(), slow});
  };
  for (const Shape& shape :
       {Shape{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 33}, {33, 1}, {7, 8}, {31, 65}, {257, 9}, {64, 256}})
    add(shape);
  add({100'003, 37});
  add({3, 500'009});
  add({(1 << 22) + 3, 129}, true);
  return points;
}

Cost MatrixLayout::cost(const Point& point) {
  const auto m = static_cast<double>(point.integer("m")), n = static_cast<double>(point.integer("n"));
  return {.bytes_read = m * n * sizeof(float),
          .bytes_written = m * sizeof(float),
          .flops = m * std::max(n - 1, 0.0),
          .accesses = m * n};
}

std::size_t MatrixLayout::footprint(const Point& point) {
  const double elements = static_cast<double>(point.integer("m")) * (static_cast<double>(point.integer("n")) + 1);
  constexpr auto most = static_cast<double>(std::numeric_limits<std::size_t>::max() / 8);
  return static_cast<std::size_t>(std::min(elements * sizeof(float), most)) + 4 * Buffer<float>::guard;
}

std::vector<Finding> MatrixLayout::findings(const std::vector<Outcome>& outcomes) {
  std::vector<Finding> findings;
  for (const Outcome& right : outcomes)
    for (const Outcome& left : outcomes) {
      const std::int64_t m = right.point.integer("m"), n = right.point.integer("n");
      if (right.point.word("order") != "right" || left.point.word("order") != "left" || left.rung != right.rung ||
          left.point.integer("m") != m || left.point.integer("n") != n)
        continue;
      findings.push_back({.kind = "layout",
                          .text = "{rung}, {m:.0f} x {n:.0f}: stored by columns it takes {ratio:.2f} times as long as "
                                  "stored by rows",
                          .values = {{"rung", right.rung},
                                     {"m", static_cast<double>(m)},
                                     {"n", static_cast<double>(n)},
                                     {"ratio", left.seconds / right.seconds}}});
    }
  return findings;
}

MatrixLayout::MatrixLayout(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      order_(point.word("order") == "right" ? MatrixOrder::right : MatrixOrder::left),
      rows_(static_cast<std::size_t>(point.integer("m"))),
      columns_(static_cast<std::size_t>(point.integer("n"))),
      seed_(seed),
      references_(device, sets, rows_, 1, [this](std::size_t set, std::size_t first_row, std::span<float> to) {
        const Args strides = args(set);
        device_.reference_row_sums(
            elements(set), {first_row * strides.row_stride(), columns_, strides.row_stride(), strides.column_stride()},
            to);
      }) {
  for (std::size_t set = 0; set < sets; ++set) {
    in_.emplace_back(device, rows_ * columns_);
    out_.emplace_back(device, rows_);
  }
}

Lattice MatrixLayout::elements(std::size_t set) const {
  return {RandomStream(generation_seed(seed_, generation_), set), exact_bits(columns_)};
}

void MatrixLayout::refill(std::uint64_t generation) {
  generation_ = generation;
  for (std::size_t set = 0; set < in_.size(); ++set) device_.generate(in_[set].span(), elements(set));
  references_.keep(generation);
}

void MatrixLayout::poison() {
  for (auto& out : out_) out.poison();
}

Verdict MatrixLayout::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(in_, out_)) return {.ok = false, .where = "a guard band beside in or out was written to"};
  std::vector<TypedSpan> results;
  for (const auto& out : out_) results.push_back(out.span());
  return references_.check(generation_, results, {},
                           [](std::size_t row) { return "sum of row " + std::to_string(row); });
}

template ExperimentEntry describe<MatrixLayout>();

}  // namespace crosswarp
