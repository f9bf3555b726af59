// Points, inputs, oracle and pipeline of all_gather_matmul.
#include "experiments/all_gather_matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "experiments/rank_spans.hpp"

namespace crosswarp {
namespace {

constexpr int bf16_bits = 8;  // of bfloat16
constexpr std::size_t pipelined_sets = 2;
constexpr int pipelined_rounds = 3;  // buffers of two epochs in turn are used again in the third launch

/// The shape of a rank's product.
GemmShape shape_of_rank(const Point& point) {
  const auto [m, n, k] = shape_of(point);
  return {m, n / AllGatherMatmul::ranks(point), k};
}

}  // namespace

std::vector<Axis> AllGatherMatmul::axes() {
  std::vector<Axis> axes = shape_axes();
  axes.push_back({.name = "ranks",
                  .meaning = "devices; m and n are multiples of it",
                  .bench = {std::int64_t{2}},
                  .least = 2,
                  .most = static_cast<std::int64_t>(most_ranks)});
  return axes;
}

bool AllGatherMatmul::exists(const Point& point) {
  const auto [m, n, k] = shape_of(point);
  return m % ranks(point) == 0 && n % ranks(point) == 0;
}

Point AllGatherMatmul::point(const GemmShape& shape, std::size_t ranks) {
  const auto value = [](std::size_t size) { return std::vector<Value>{static_cast<std::int64_t>(size)}; };
  return product(axes(), {value(shape.m), value(shape.n), value(shape.k), value(ranks)}).front();
}

std::vector<Point> AllGatherMatmul::bench_points() {
  std::vector<Point> points;
  for (const std::size_t n : {2048, 4096, 8192}) points.push_back(point({n, n, n}, 2));
  return points;
}

/// By ranks, a rank's rows and columns. Rows of A begin off 2, 4, 8 and 16 bytes; parts are smaller than a tile, as
/// large and larger. The last ones have more tiles than a GPU has multiprocessors.
std::vector<TestPoint> AllGatherMatmul::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](const GemmShape& part, std::size_t ranks) {
    const GemmShape shape{part.m * ranks, part.n * ranks, part.k};
    points.push_back({point(shape, ranks), is_slow_on_host(shape)});
  };
  for (const std::size_t ranks : {2, 3, 4, 8}) {
    for (const GemmShape& part :
         {GemmShape{0, 3, 5}, {3, 0, 5}, {5, 3, 0}, {1, 1, 1}, {7, 5, 33}, {33, 17, 40}, {16, 24, 64}, {31, 33, 30}})
      add(part, ranks);
    for (const GemmShape& part : {GemmShape{257, 264, 136}, {640, 1024, 512}, {131, 129, 1001}}) add(part, ranks);
  }
  add({2100, 2312, 328}, 2);
  return points;
}

Cost AllGatherMatmul::cost(const Point& point) {
  const GemmShape shape = shape_of_rank(point);
  const auto r = static_cast<double>(ranks(point));
  Cost cost = gemm_cost(shape, sizeof(Bfloat16), sizeof(Bfloat16), "tensor_bf16");
  cost.message = static_cast<double>(shape.m) * static_cast<double>(shape.k) * sizeof(Bfloat16);
  cost.bytes_read = (r - 1) / r * cost.message;
  cost.bytes_written = 0;
  return cost;
}

std::size_t AllGatherMatmul::footprint(const Point& point) {
  const GemmShape whole = shape_of(point), of_rank = shape_of_rank(point);
  const double bytes = gemm_cost(whole, sizeof(Bfloat16), 0, {}).bytes_read +
                       static_cast<double>(ranks(point)) * gemm_cost(of_rank, 0, sizeof(Bfloat16), {}).bytes_written;
  constexpr double most = std::numeric_limits<std::size_t>::max() / 8;
  return static_cast<std::size_t>(std::min(bytes, most)) + 1;
}

AllGatherMatmul::AllGatherMatmul(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device), shape_(shape_of_rank(point)), sets_(sets), seed_(seed), of_(device.ranks()) {
  const std::size_t part = shape_.m / of_.size() * shape_.k;
  for (std::size_t rank = 0; rank < of_.size(); ++rank) {
    Device& own = device_.rank(rank);
    for (std::size_t set = 0; set < sets; ++set) {
      of_[rank].a.emplace_back(own, part);
      of_[rank].b.emplace_back(own, shape_.k * shape_.n);
      of_[rank].c.emplace_back(own, shape_.m * shape_.n);
    }
    of_[rank].references = std::make_unique<ReferenceCache>(
        own, sets, shape_.m, shape_.n, [this, rank](std::size_t set, std::size_t first_row, std::span<float> to) {
          make_reference(set, rank, first_row, to);
        });
  }
}

AllGatherMatmul::Args AllGatherMatmul::args(std::size_t set, std::size_t rank) const {
  const OfRank& own = of_[rank];
  Args args{.a = {},
            .b = own.b[set].span(),
            .c = own.c[set].span(),
            .rows = shape_.m / of_.size(),
            .columns = shape_.n,
            .k = shape_.k,
            .rank = rank,
            .ranks = of_.size()};
  for (std::size_t r = 0; r < of_.size(); ++r) args.a[r] = of_[r].a[set].span();
  return args;
}

Elements AllGatherMatmul::elements_of_a(std::size_t set, std::size_t rank) const {
  return {{RandomStream(generation_seed(seed_, generation_), 2 * set * most_ranks + rank), bf16_bits}};
}

Elements AllGatherMatmul::elements_of_b(std::size_t set, std::size_t rank) const {
  return {{RandomStream(generation_seed(seed_, generation_), (2 * set + 1) * most_ranks + rank), bf16_bits}};
}

void AllGatherMatmul::write_inputs() const {
  for (std::size_t rank = 0; rank < of_.size(); ++rank)
    for (std::size_t set = 0; set < sets_; ++set) {
      Device& own = device_.rank(rank);
      own.generate_elements(of_[rank].a[set].span(), elements_of_a(set, rank));
      own.generate_elements(of_[rank].b[set].span(), elements_of_b(set, rank));
    }
}

void AllGatherMatmul::make_reference(std::size_t set, std::size_t rank, std::size_t first_row,
                                     std::span<float> to) const {
  Device& own = device_.rank(rank);
  const Buffer<Bfloat16> a(own, shape_.m * shape_.k), b(own, shape_.k * shape_.n);
  const std::size_t part = a.size() / of_.size();
  for (std::size_t r = 0; r < of_.size(); ++r)
    own.generate_elements(a.span().subspan(r * part, part), elements_of_a(set, r));
  own.generate_elements(b.span(), elements_of_b(set, rank));
  own.synchronize();  // a rank on the host has a thread of its own
  const Gemm gemm{a.span(), b.span(), shape_.m, shape_.n, shape_.k, true};
  own.reference_gemm(rows_of(gemm, first_row, to.size() / shape_.n), to);
}

void AllGatherMatmul::refill(std::uint64_t generation) {
  generation_ = generation;
  write_inputs();
  for (std::size_t rank = 0; rank < of_.size(); ++rank) {
    device_.rank(rank);
    of_[rank].references->keep(generation);
  }
}

void AllGatherMatmul::poison() {
  for (OfRank& of_rank : of_)
    for (auto& c : of_rank.c) c.poison();
}

Verdict AllGatherMatmul::check(ResultIn) const {
  device_.synchronize();
  Verdict worst{.ok = true, .error = 0, .bound = 0, .where = {}};
  for (std::size_t rank = 0; rank < of_.size(); ++rank) {
    device_.rank(rank);
    const OfRank& own = of_[rank];
    if (!guards_intact(own.a, own.b, own.c))
      return {.ok = false, .where = fmt::format("a guard band beside A, B or C of rank {} was written to", rank)};
    std::vector<TypedSpan> results;
    for (const auto& c : own.c) results.emplace_back(c.span());
    const Verdict verdict = own.references->check(
        generation_, results, bound_of_16_bits(shape_.k, bf16_bits),
        [&](std::size_t i) { return fmt::format("{} on rank {}", element_name(i, shape_.n), rank); });
    if (!verdict.ok) return verdict;
    if (verdict.error >= worst.error) worst = verdict;
  }
  return worst;
}

/// Behind each launch, on each rank: copies the result, then overwrites inputs and output.
void AllGatherMatmul::pipeline(const std::function<void(std::size_t)>& launch) {
  using Matrix = Buffer<Bfloat16>;
  struct Kept {
    Matrix a, b, c;
  };
  const std::size_t sets = std::min(pipelined_sets, sets_);
  std::vector<std::vector<Kept>> kept(sets);
  for (std::size_t set = 0; set < sets; ++set)
    for (std::size_t rank = 0; rank < of_.size(); ++rank) {
      Device& own = device_.rank(rank);
      const Kept& of =
          kept[set].emplace_back(Matrix(own, of_[rank].a[set].size()), Matrix(own, of_[rank].b[set].size()),
                                 Matrix(own, of_[rank].c[set].size()));
      own.generate_elements(of.a.span(), elements_of_a(set, rank));
      own.generate_elements(of.b.span(), elements_of_b(set, rank));
    }
  device_.synchronize();
  const auto on_each_rank = [&](std::size_t set, auto work) {
    for (std::size_t rank = 0; rank < of_.size(); ++rank) work(device_.rank(rank), of_[rank], kept[set][rank]);
  };
  const auto copy = [](Device& device, const Matrix& to, const Matrix& from) {
    device.copy(to.span().data(), from.span().data(), from.bytes().size());
  };
  const auto poison = [](Device& device, const Matrix& matrix) {
    device.fill(matrix.span().data(), poison_byte, matrix.bytes().size());
  };
  for (int round = 0; round < pipelined_rounds; ++round)
    for (std::size_t set = 0; set < sets; ++set) {
      on_each_rank(set, [&](Device& device, const OfRank& own, const Kept& of) {
        copy(device, own.a[set], of.a);
        copy(device, own.b[set], of.b);
      });
      launch(set);
      on_each_rank(set, [&](Device& device, const OfRank& own, const Kept& of) {
        copy(device, of.c, own.c[set]);
        for (const auto* matrix : {&own.a[set], &own.b[set], &own.c[set]}) poison(device, *matrix);
      });
    }
  for (std::size_t set = 0; set < sets; ++set)
    on_each_rank(set, [&](Device& device, const OfRank& own, const Kept& of) { copy(device, own.c[set], of.c); });
  device_.synchronize();
}

void relocate(AllGatherMatmul::Args& args, const RelocateSpan& to) {
  for (std::size_t rank = 0; rank < args.ranks; ++rank) relocate(args.a[rank], rank, to);
}

template ExperimentEntry describe<AllGatherMatmul>();

}  // namespace crosswarp
