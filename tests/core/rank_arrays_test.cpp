// Inputs, oracle, places and costs of the experiments in which ranks exchange arrays; all_reduce_test.cpp has more of
// what they share.
#include "experiments/rank_arrays.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/host_ranks.hpp"
#include "experiments/all_gather.hpp"
#include "experiments/halo_exchange.hpp"
#include "experiments/peer_copy.hpp"
#include "experiments/reduce_scatter.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<AllGather> && ExperimentType<ReduceScatter> && ExperimentType<PeerCopy> &&
              ExperimentType<HaloExchange>);

void solve_rank(const AllGather::Args& args) {
  std::visit(
      [](const auto& a) {
        for (std::size_t p = 0; p < a.ranks; ++p)
          for (std::size_t i = 0; i < a.n; ++i) a.out[a.rank][p * a.n + i] = a.in[p][i];
      },
      args.typed);
}

float add(float a, float b) { return a + b; }
Half add(Half a, Half b) { return to_half(to_float(a) + to_float(b)); }
Bfloat16 add(Bfloat16 a, Bfloat16 b) { return to_bfloat16(to_float(a) + to_float(b)); }

/// In the type itself, from the last rank on.
void solve_rank(const ReduceScatter::Args& args) {
  std::visit(
      [](const auto& a) {
        for (std::size_t i = 0; i < a.n; ++i) {
          auto sum = a.in[a.ranks - 1][a.rank * a.n + i];
          for (std::size_t r = a.ranks - 1; r-- > 0;) sum = add(sum, a.in[r][a.rank * a.n + i]);
          a.out[a.rank][i] = sum;
        }
      },
      args.typed);
}

void solve_rank(const PeerCopy::Args& args) {
  const RankSpans<float>& a = args.f32();
  if (args.from == PeerCopy::nobody) return;
  for (std::size_t i = 0; i < a.n; ++i) a.out[a.rank][i] = a.in[args.from][i];
}

using Coordinates = std::array<std::int64_t, 3>;

/// By coordinates in the whole periodic grid, in which rank r's block begins at its coordinates times n.
void solve_rank(const HaloExchange::Args& args) {
  const RankSpans<float>& a = args.f32();
  const HaloExchange::Block& block = args.block;
  const auto n = static_cast<std::int64_t>(block.n), width = static_cast<std::int64_t>(block.width);
  const HaloExchange::Extents ranks = HaloExchange::grid(a.ranks, block.dims);
  const Coordinates own{static_cast<std::int64_t>(a.rank % ranks[0]),
                        static_cast<std::int64_t>(a.rank / ranks[0] % ranks[1]),
                        static_cast<std::int64_t>(a.rank / ranks[0] / ranks[1])};
  /// Index in a block's memory, `at` from its first element inside on.
  const auto index = [&](const Coordinates& at) {
    std::int64_t all = 0;
    for (unsigned axis = block.dims; axis-- > 0;) all = all * (n + 2 * width) + at[axis] + width;
    return static_cast<std::size_t>(all);
  };
  const std::int64_t last_z = block.dims == 3 ? n + width : 1;
  for (std::int64_t z = block.dims == 3 ? -width : 0; z < last_z; ++z)
    for (std::int64_t y = -width; y < n + width; ++y)
      for (std::int64_t x = -width; x < n + width; ++x) {
        const Coordinates at{x, y, z};
        Coordinates inside{}, rank{};
        int axes_outside = 0;
        for (unsigned axis = 0; axis < block.dims; ++axis) {
          axes_outside += at[axis] < 0 || at[axis] >= n;
          const std::int64_t all = n * ranks[axis], global = (own[axis] * n + at[axis] + all) % all;
          inside[axis] = global % n;
          rank[axis] = global / n;
        }
        if (axes_outside != 1) continue;
        const auto peer = static_cast<std::size_t>(rank[0] + ranks[0] * (rank[1] + ranks[1] * rank[2]));
        a.out[a.rank][index(at)] = a.in[peer][index(inside)];
      }
}

template <class E>
struct ArraysCase {
  explicit ArraysCase(const Point& at, std::size_t sets = 2)
      : ranks(E::ranks(at)), device(group(ranks)), problem(*device, at, 7, sets) {
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
  auto args(std::size_t set, std::size_t rank) const { return problem.prepared().args(set, rank); }
  RankSpans<float> f32(std::size_t set, std::size_t rank) const {
    return std::get<RankSpans<float>>(args(set, rank).typed);
  }
  /// Right results of one set, by the caller.
  void solve(std::size_t set) const {
    for (std::size_t rank = 0; rank < ranks; ++rank) solve_rank(args(set, rank));
  }
  void solve() const {
    for (std::size_t set = 0; set < 2; ++set) solve(set);
  }

  std::size_t ranks;
  std::unique_ptr<RankGroup> device;
  ProblemOf<E> problem;
};

template <class E>
Point collective_point(std::int64_t n, std::int64_t ranks, std::string type = "f32", std::string place = "out") {
  return product(E::axes(), {{n}, {ranks}, {std::move(type)}, {std::move(place)}}).front();
}
Point copy_point(std::int64_t bytes, std::int64_t ranks, std::string ways) {
  return product(PeerCopy::axes(), {{bytes}, {ranks}, {std::move(ways)}}).front();
}

Point halo_point(std::int64_t n, std::int64_t dims, std::int64_t ranks, std::int64_t width) {
  return product(HaloExchange::axes(), {{n}, {dims}, {ranks}, {width}}).front();
}

template <class E>
class Collective : public testing::Test {};
using Collectives = testing::Types<AllGather, ReduceScatter>;
TYPED_TEST_SUITE(Collective, Collectives);

TYPED_TEST(Collective, RightResultsAreExactInEveryTypeAndPlace) {
  for (const char* type : {"f32", "f16", "bf16"})
    for (const char* place : {"out", "in"})
      for (const std::int64_t ranks : {2, 3, 4, 8}) {
        ArraysCase<TypeParam> c(collective_point<TypeParam>(301, ranks, type, place));
        EXPECT_FALSE(c.check().ok);
        c.solve();
        const Verdict verdict = c.check();
        EXPECT_TRUE(verdict.ok) << type << " " << place << " " << ranks << ": " << verdict.where;
        EXPECT_EQ(verdict.bound, 0);
      }
}

TYPED_TEST(Collective, OneElementOfTheLastRankAndSetIsChecked) {
  ArraysCase<TypeParam> c(collective_point<TypeParam>(1'000'003, 2));
  c.solve();
  ASSERT_TRUE(c.check().ok);
  c.f32(1, 1).out[1][1'000'001] += 0x1p-20f;
  const Verdict verdict = c.check();
  EXPECT_FALSE(verdict.ok);
  EXPECT_NE(verdict.where.find("element 1000001 on rank 1 of input 1 is"), std::string::npos) << verdict.where;
}

TYPED_TEST(Collective, PipelineWritesInputsBeforeAndOverwritesThemBehind) {
  for (const char* place : {"out", "in"}) {
    ArraysCase<TypeParam> c(collective_point<TypeParam>(100, 3, "f32", place));
    const auto right = [&](std::size_t set) {
      c.device->synchronize();
      c.solve(set);
    };
    EXPECT_TRUE(c.problem.check_pipeline(right, ResultIn::device)->ok) << place;
    std::optional<std::size_t> before;
    const auto late = [&](std::size_t set) {
      c.device->synchronize();
      if (before) c.solve(*before);
      before = set;
    };
    EXPECT_FALSE(c.problem.check_pipeline(late, ResultIn::device)->ok) << place;
  }
}

TEST(AllGather, InPlaceOutputsAreAllButTheOwnPart) {
  ArraysCase<AllGather> c(collective_point<AllGather>(10, 3, "f32", "in"));
  const Memory outputs = c.problem.outputs(0, 1);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].size(), 40u);
  EXPECT_EQ(outputs[1].size(), 40u);
  const RankSpans<float> a = c.f32(0, 1);
  EXPECT_EQ(a.in[1].data(), a.out[1].data() + 10);
  EXPECT_EQ(static_cast<void*>(outputs[1].data()), static_cast<void*>(a.out[1].data() + 20));
}

/// A launch leaves its inputs as they are: it can be repeated, and so be timed.
TEST(AllGather, CanBeRepeatedInPlace) {
  EXPECT_FALSE(describe<AllGather>().updates_inputs(collective_point<AllGather>(10, 2, "f32", "in")));
  ArraysCase<AllGather> c(collective_point<AllGather>(10, 3, "f32", "in"));
  c.solve();
  c.solve();
  EXPECT_TRUE(c.check().ok);
}

TEST(ReduceScatter, InPlaceALaunchReplacesItsInputs) {
  EXPECT_TRUE(ReduceScatter::updates_inputs(collective_point<ReduceScatter>(1, 2, "f32", "in")));
  EXPECT_FALSE(ReduceScatter::updates_inputs(collective_point<ReduceScatter>(1, 2)));
  ArraysCase<ReduceScatter> c(collective_point<ReduceScatter>(10, 3, "f32", "in"));
  const RankSpans<float> a = c.f32(0, 1);
  EXPECT_EQ(a.out[2].data(), a.in[2].data() + 20);
}

TEST(Collectives, TheirRateIsTheBusBandwidth) {
  EXPECT_EQ(AllGather::cost(collective_point<AllGather>(1000, 4, "f16")).amount(), 3 * 2000);
  EXPECT_EQ(ReduceScatter::cost(collective_point<ReduceScatter>(1000, 4, "f16")).amount(), 3 * 2000);
  EXPECT_EQ(ReduceScatter::cost(collective_point<ReduceScatter>(1000, 4, "f16")).flops, 3 * 4000);
}

TEST(PeerCopy, OneWayNoRankSendsAndReceives) {
  for (const std::int64_t ranks : {2, 3, 8}) {
    ArraysCase<PeerCopy> c(copy_point(400, ranks, "one"));
    for (std::size_t rank = 0; rank < c.ranks; ++rank) {
      const PeerCopy::Args args = c.args(0, rank);
      const bool pairs = rank / 2 * 2 + 1 < c.ranks;
      EXPECT_EQ(args.to, rank % 2 == 0 && pairs ? rank + 1 : PeerCopy::nobody);
      EXPECT_EQ(args.from, rank % 2 == 1 ? rank - 1 : PeerCopy::nobody);
      EXPECT_EQ(c.f32(0, rank).in[rank].size(), args.to == PeerCopy::nobody ? 0u : 100u);
      EXPECT_EQ(c.f32(0, rank).out[rank].size(), args.from == PeerCopy::nobody ? 0u : 100u);
    }
    EXPECT_FALSE(c.check().ok);
    c.solve();
    EXPECT_TRUE(c.check().ok);
  }
}

TEST(PeerCopy, BothWaysIsARing) {
  ArraysCase<PeerCopy> c(copy_point(400, 3, "both"));
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(c.args(0, rank).to, (rank + 1) % 3);
    EXPECT_EQ(c.args(0, rank).from, (rank + 2) % 3);
  }
  c.solve();
  EXPECT_TRUE(c.check().ok);
  const RankSpans<float> a = c.f32(1, 2);
  a.out[2][99] = a.out[2][98];
  const Verdict verdict = c.check();
  EXPECT_NE(verdict.where.find("element 99 on rank 2 of input 1"), std::string::npos) << verdict.where;
}

TEST(PeerCopy, ItsRateIsThatOfOneDirection) {
  EXPECT_EQ(PeerCopy::cost(copy_point(4000, 2, "one")).amount(), 4000);
  EXPECT_EQ(PeerCopy::cost(copy_point(4000, 2, "both")).amount(), 4000);
  EXPECT_FALSE(PeerCopy::exists(copy_point(4001, 2, "one")));
}

TEST(HaloExchange, RanksAreAGridAsSquareAsTheirNumberAllows) {
  using Extents = HaloExchange::Extents;
  EXPECT_EQ(HaloExchange::grid(2, 2), (Extents{2, 1, 1}));
  EXPECT_EQ(HaloExchange::grid(4, 2), (Extents{2, 2, 1}));
  EXPECT_EQ(HaloExchange::grid(8, 2), (Extents{4, 2, 1}));
  EXPECT_EQ(HaloExchange::grid(4, 3), (Extents{2, 2, 1}));
  EXPECT_EQ(HaloExchange::grid(6, 3), (Extents{3, 2, 1}));
  EXPECT_EQ(HaloExchange::grid(7, 3), (Extents{7, 1, 1}));
  EXPECT_EQ(HaloExchange::grid(8, 3), (Extents{2, 2, 2}));
}

TEST(HaloExchange, HalosAreWhatLiesThereInTheWholeGrid) {
  for (const std::int64_t dims : {2, 3})
    for (std::int64_t ranks = 2; ranks <= 8; ++ranks)
      for (const std::int64_t width : {1, 3}) {
        ArraysCase<HaloExchange> c(halo_point(5, dims, ranks, width));
        EXPECT_FALSE(c.check().ok);
        c.solve();
        const Verdict verdict = c.check();
        EXPECT_TRUE(verdict.ok) << dims << "-D, " << ranks << " ranks, width " << width << ": " << verdict.where;
      }
}

TEST(HaloExchange, OneElementOfAFaceIsChecked) {
  ArraysCase<HaloExchange> c(halo_point(5, 3, 4, 2));
  c.solve();
  ASSERT_TRUE(c.check().ok);
  const HaloExchange::Block block = c.args(1, 3).block;
  const std::size_t last = block.beyond(5, block.face_size() - 1);
  c.f32(1, 3).out[3][last] += 0x1p-20f;
  const Verdict verdict = c.check();
  EXPECT_FALSE(verdict.ok);
  EXPECT_NE(verdict.where.find("element " + std::to_string(last) + " on rank 3 of input 1 is"), std::string::npos)
      << verdict.where;
}

/// Inside of the block, and in an edge of its halo.
TEST(HaloExchange, WhatIsNotExchangedStaysAsItIs) {
  ArraysCase<HaloExchange> c(halo_point(5, 3, 4, 2));
  c.solve();
  const HaloExchange::Block block = c.args(0, 1).block;
  for (const std::size_t untouched : {block.inside(0, 0), block.beyond(0, 0) - 1}) {
    float& element = c.f32(0, 1).out[1][untouched];
    const float before = element;
    for (const float written : {0.0f, -0.0f, 1.0f}) {
      element = written;
      const Verdict verdict = c.check();
      EXPECT_FALSE(verdict.ok);
      EXPECT_NE(verdict.where.find("element " + std::to_string(untouched) + " on rank 1 of input 0 was written to"),
                std::string::npos)
          << verdict.where;
    }
    element = before;
    EXPECT_TRUE(c.check().ok);
  }
}

/// In two dimensions of two ranks, the faces across y are a rank's own.
TEST(HaloExchange, ItsRateIsThatOfBytesOverLinks) {
  EXPECT_EQ(HaloExchange::cost(halo_point(100, 2, 2, 1)).amount(), 2 * 100 * 4);
  EXPECT_EQ(HaloExchange::cost(halo_point(100, 2, 4, 3)).amount(), 4 * 300 * 4);
  EXPECT_EQ(HaloExchange::cost(halo_point(100, 3, 8, 1)).amount(), 6 * 10'000 * 4);
  EXPECT_FALSE(HaloExchange::exists(halo_point(3, 2, 2, 4)));
  EXPECT_FALSE(HaloExchange::exists(halo_point(4096, 3, 2, 1)));
  EXPECT_TRUE(HaloExchange::exists(halo_point(16384, 2, 2, 1)));
}

}  // namespace
}  // namespace crosswarp
