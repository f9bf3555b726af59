// Points, costs, oracle and findings of concurrent_kernels.
#include "experiments/concurrent_kernels.hpp"

#include <cmath>
#include <string>

namespace crosswarp {
namespace {

/// The inputs of a set: each item's is drawn from a few words, so that an oracle of these words serves all items.
class Inputs {
 public:
  static constexpr std::size_t distinct = 64;

  Inputs(std::uint64_t seed, std::size_t set) : words_(seed, 2 * set), draw_(seed, 2 * set + 1) {}
  std::size_t index_of(std::size_t item) const { return draw_(item) % distinct; }
  std::uint32_t word(std::size_t index) const { return words_(index); }

 private:
  RandomStream words_, draw_;
};

}  // namespace

std::vector<Axis> ConcurrentKernels::axes() {
  return {{.name = "kernels",
           .meaning = "kernels that depend on nothing but the inputs",
           .bench = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}},
           .least = 1,
           .most = most_kernels,
           .random = RandomRange{.most = most_kernels}},
          {.name = "items",
           .meaning = "items of each kernel, one per thread",
           .bench = {std::int64_t{4096}},
           .least = 1,
           .most = 1 << 24,
           .random = RandomRange{.most = 1 << 12}},
          {.name = "work",
           .meaning = "steps per item, of three dependent operations",
           .bench = {std::int64_t{4096}},
           .most = 1 << 20,
           .random = RandomRange{.most = 1 << 7}}};
}

std::vector<Point> ConcurrentKernels::headline_points() { return {point_with(axes(), {{"kernels", std::int64_t{4}}})}; }

std::vector<TestPoint> ConcurrentKernels::test_points() {
  std::vector<TestPoint> points;
  for (const std::int64_t kernels : {1, 2, 3, 8, 32})
    for (const std::int64_t items : {1, 33, 257})
      points.push_back({product(axes(), {{kernels}, {items}, {std::int64_t{5}}}).front(), false});
  for (const std::int64_t work : {0, 1, 100})
    points.push_back({product(axes(), {{std::int64_t{4}}, {std::int64_t{1009}}, {work}}).front(), false});
  points.push_back({product(axes(), {{std::int64_t{7}}, {std::int64_t{100'003}}, {std::int64_t{16}}}).front(), true});
  return points;
}

Cost ConcurrentKernels::cost(const Point& point) {
  const auto n = static_cast<double>(point.integer("kernels")) * static_cast<double>(point.integer("items"));
  constexpr double operations_per_step = 3;
  return {.bytes_read = n * sizeof(std::uint32_t),
          .bytes_written = n * sizeof(std::uint32_t),
          .flops = operations_per_step * n * static_cast<double>(point.integer("work")),
          .accesses = n,
          .rated = Quantity::flops,
          .ceiling = "i32"};
}

std::size_t ConcurrentKernels::footprint(const Point& point) {
  const auto n = static_cast<std::size_t>(point.integer("kernels") * point.integer("items"));
  return 2 * (n * sizeof(std::uint32_t) + 2 * Buffer<std::uint32_t>::guard);
}

std::vector<Finding> ConcurrentKernels::findings(const std::vector<Outcome>& outcomes) {
  std::vector<Finding> findings;
  for (const Outcome& one : outcomes) {
    const std::int64_t items = one.point.integer("items"), work = one.point.integer("work");
    if (one.point.integer("kernels") != 1) continue;
    Finding finding{
        .kind = "concurrency",
        .text = "{rung}, {items:.0f} items, {work:.0f} steps: times one kernel's time by kernels: {series}",
        .values = {{"rung", one.rung}, {"items", static_cast<double>(items)}, {"work", static_cast<double>(work)}},
        .each = "{kernels:.0f}: {relative:.2f}"};
    for (const Outcome& several : outcomes)
      if (several.rung == one.rung && several.point.integer("items") == items &&
          several.point.integer("work") == work && several.point.integer("kernels") > 1)
        finding.series.push_back({{"kernels", static_cast<double>(several.point.integer("kernels"))},
                                  {"relative", several.seconds / one.seconds}});
    if (!finding.series.empty()) findings.push_back(std::move(finding));
  }
  return findings;
}

ConcurrentKernels::ConcurrentKernels(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      kernels_(static_cast<unsigned>(point.integer("kernels"))),
      work_(static_cast<unsigned>(point.integer("work"))),
      items_(static_cast<std::size_t>(point.integer("items"))),
      seed_(seed) {
  for (std::size_t set = 0; set < sets; ++set) {
    in_.emplace_back(device, kernels_ * items_);
    out_.emplace_back(device, kernels_ * items_);
  }
}

void ConcurrentKernels::refill(std::uint64_t generation) {
  generation_ = generation;
  for (std::size_t set = 0; set < in_.size(); ++set) {
    const Inputs inputs(generation_seed(seed_, generation), set);
    std::vector<std::uint32_t> in(in_[set].size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = inputs.word(inputs.index_of(i));
    in_[set].write(in);
  }
}

void ConcurrentKernels::poison() {
  for (auto& out : out_) out.poison();
}

Verdict ConcurrentKernels::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(in_, out_)) return {.ok = false, .where = "a guard band beside in or out was written to"};
  for (std::size_t set = 0; set < out_.size(); ++set) {
    const Inputs inputs(generation_seed(seed_, generation_), set);
    const std::vector<std::uint32_t> out = out_[set].read();
    for (unsigned kernel = 0; kernel < kernels_; ++kernel) {
      std::vector<std::uint32_t> ends(Inputs::distinct);
      for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = inputs.word(i);
      for (unsigned done = 0; done < work_; ++done)  // chains side by side, which vectors can hold
        for (std::uint32_t& x : ends) x = step(x, constant(kernel));
      for (std::size_t i = kernel * items_; i < (kernel + 1) * items_; ++i) {
        const std::uint32_t right = ends[inputs.index_of(i)];
        if (out[i] == right) continue;
        return {.ok = false,
                .error = std::abs(static_cast<double>(out[i]) - right),
                .where = mismatch("out[" + std::to_string(i) + "] of kernel " + std::to_string(kernel) + ", input " +
                                      std::to_string(set),
                                  out[i], right)};
      }
    }
  }
  return {.ok = true, .error = 0, .where = {}};
}

template ExperimentEntry describe<ConcurrentKernels>();

}  // namespace crosswarp
