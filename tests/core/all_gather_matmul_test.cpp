// Inputs, oracle, pipeline and costs of all_gather_matmul.
#include "experiments/all_gather_matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/host_ranks.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<AllGatherMatmul>);

constexpr std::size_t sets = 2;

struct ProductCase {
  explicit ProductCase(const GemmShape& shape, std::size_t ranks)
      : device(group(ranks)), problem(*device, AllGatherMatmul::point(shape, ranks), 7, sets) {
    problem.refill(0);
    problem.poison();
    device->synchronize();
  }
  static std::unique_ptr<RankGroup> group(std::size_t count) {
    std::vector<std::shared_ptr<Device>> ranks;
    for (std::size_t rank = 0; rank < count; ++rank) ranks.push_back(std::make_shared<HostRank>());
    return std::make_unique<RankGroup>(std::move(ranks));
  }
  Verdict check() const { return problem.check(ResultIn::device); }
  AllGatherMatmul::Args args(std::size_t set, std::size_t rank) const { return problem.prepared().args(set, rank); }

  /// Right results of one set; in place of the rows of A of rank r, those of rank `taken(r)`.
  template <class Taken>
  void solve(std::size_t set, Taken taken) const {
    for (std::size_t rank = 0; rank < device->ranks(); ++rank) {
      const AllGatherMatmul::Args of = args(set, rank);
      for (std::size_t i = 0; i < of.c.size(); ++i) {
        const std::size_t row = i / of.columns, column = i % of.columns;
        const Bfloat16* const a = of.a[taken(row / of.rows)].data() + row % of.rows * of.k;
        float sum = 0;
        for (std::size_t l = 0; l < of.k; ++l) sum += to_float(a[l]) * to_float(of.b[column * of.k + l]);
        of.c[i] = to_bfloat16(sum);
      }
    }
  }
  void solve(std::size_t set) const {
    solve(set, [](std::size_t rank) { return rank; });
  }
  void solve() const {
    for (std::size_t set = 0; set < sets; ++set) solve(set);
  }

  std::unique_ptr<RankGroup> device;
  ProblemOf<AllGatherMatmul> problem;
};

TEST(AllGatherMatmul, RightResultsAreWithinTheBound) {
  for (const std::size_t ranks : {2, 3, 4, 8})
    for (const std::size_t k : {1, 33, 64}) {
      ProductCase c({5 * ranks, 3 * ranks, k}, ranks);
      EXPECT_FALSE(c.check().ok);
      c.solve();
      const Verdict verdict = c.check();
      EXPECT_TRUE(verdict.ok) << ranks << " " << k << ": " << verdict.where;
      EXPECT_GT(verdict.bound, 0);
    }
}

TEST(AllGatherMatmul, EveryRankHasAPartOfEachDimension) {
  const ProductCase c({12, 6, 10}, 3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const AllGatherMatmul::Args args = c.args(1, rank);
    EXPECT_EQ(args.rank, rank);
    EXPECT_EQ(args.part(), 40u);
    for (std::size_t peer = 0; peer < 3; ++peer) EXPECT_EQ(args.a[peer].size(), 40u);
    EXPECT_EQ(args.b.size(), 20u);
    EXPECT_EQ(args.c.size(), 24u);
    EXPECT_EQ(args.c_of(2).data(), args.c.data() + 16);
  }
}

/// A product that takes one rank's rows, or columns, for another's would else pass.
TEST(AllGatherMatmul, InputsDifferByRankSetAndGeneration) {
  ProductCase c({4, 4, 64}, 2);
  const auto values = [](std::span<const Bfloat16> of) {
    std::vector<float> all(of.size());
    std::ranges::transform(of, all.begin(), [](Bfloat16 element) { return to_float(element); });
    return all;
  };
  std::vector<std::vector<float>> all;
  for (const std::uint64_t generation : {0, 1}) {
    c.problem.refill(generation);
    c.device->synchronize();
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t rank = 0; rank < 2; ++rank)
        for (const auto matrix : {c.args(set, rank).a[rank], c.args(set, rank).b}) all.push_back(values(matrix));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " " << j;
}

TEST(AllGatherMatmul, OneElementOfTheLastRankAndSetIsChecked) {
  ProductCase c({63, 33, 40}, 3);
  c.solve();
  ASSERT_TRUE(c.check().ok);
  const AllGatherMatmul::Args args = c.args(1, 2);
  args.c[62 * 11 + 10] = to_bfloat16(to_float(args.c[62 * 11 + 10]) + 0.5f);
  const Verdict verdict = c.check();
  EXPECT_FALSE(verdict.ok);
  EXPECT_NE(verdict.where.find("row 62, column 10 on rank 2"), std::string::npos) << verdict.where;
}

TEST(AllGatherMatmul, ARanksRowsTakenForAnothersAreWrong) {
  ProductCase c({8, 8, 64}, 4);
  c.solve(0);
  c.solve(1, [](std::size_t rank) { return rank == 3 ? 2 : rank; });
  EXPECT_FALSE(c.check().ok);
}

TEST(AllGatherMatmul, AWriteBesideAMatrixIsWrong) {
  ProductCase c({8, 8, 8}, 2);
  c.solve();
  Bfloat16* const end = c.args(0, 1).c.data() + c.args(0, 1).c.size();
  *end = to_bfloat16(0);
  EXPECT_NE(c.check().where.find("rank 1"), std::string::npos) << c.check().where;
}

TEST(AllGatherMatmul, PipelineWritesInputsBeforeAndOverwritesThemBehind) {
  ProductCase c({6, 6, 20}, 3);
  const auto right = [&](std::size_t set) {
    c.device->synchronize();
    c.solve(set);
  };
  EXPECT_TRUE(c.problem.check_pipeline(right, ResultIn::device)->ok);
  std::optional<std::size_t> before;
  const auto late = [&](std::size_t set) {
    c.device->synchronize();
    if (before) c.solve(*before);
    before = set;
  };
  EXPECT_FALSE(c.problem.check_pipeline(late, ResultIn::device)->ok);
}

TEST(AllGatherMatmul, PartsAreWhole) {
  EXPECT_TRUE(AllGatherMatmul::exists(AllGatherMatmul::point({6, 9, 5}, 3)));
  EXPECT_FALSE(AllGatherMatmul::exists(AllGatherMatmul::point({7, 9, 5}, 3)));
  EXPECT_FALSE(AllGatherMatmul::exists(AllGatherMatmul::point({6, 8, 5}, 3)));
  for (const TestPoint& test : AllGatherMatmul::test_points())
    EXPECT_TRUE(AllGatherMatmul::exists(test.point)) << test.point.name();
  for (const Point& point : AllGatherMatmul::bench_points())
    EXPECT_TRUE(AllGatherMatmul::exists(point)) << point.name();
}

/// Of a rank: its device's matrix units and its link bound it.
TEST(AllGatherMatmul, ItsRateIsThatOfOneRank) {
  const Cost cost = AllGatherMatmul::cost(AllGatherMatmul::point({1000, 2000, 300}, 4));
  EXPECT_EQ(cost.amount(), 2.0 * 1000 * 500 * 300);
  EXPECT_EQ(cost.ceiling, "tensor_bf16");
  EXPECT_EQ(cost.message, 2.0 * 1000 * 300);
  EXPECT_EQ(cost.bytes_read, 2.0 * 750 * 300);
}

}  // namespace
}  // namespace crosswarp
