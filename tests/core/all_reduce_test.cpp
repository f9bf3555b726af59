// Inputs, oracle and pipeline of all_reduce, by host ranks and variants made here.
#include "experiments/all_reduce.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/host/queue.hpp"
#include "core/host_device.hpp"
#include "core/reference.hpp"
#include "core/registry.hpp"
#include "core/report.hpp"
#include "core/runner.hpp"
#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<AllReduce>);

std::unique_ptr<RankGroup> host_ranks(std::size_t count) {
  std::vector<std::shared_ptr<Device>> ranks;
  for (std::size_t rank = 0; rank < count; ++rank) ranks.push_back(std::make_shared<HostRank>());
  return std::make_unique<RankGroup>(std::move(ranks));
}

Point ranks_point(std::int64_t n, std::int64_t ranks, std::string type = "f32", std::string place = "out") {
  return product(AllReduce::axes(), {{n}, {ranks}, {std::move(type)}, {std::move(place)}}).front();
}

float narrow(float value, float) { return value; }
Half narrow(float value, Half) { return to_half(value); }
Bfloat16 narrow(float value, Bfloat16) { return to_bfloat16(value); }

/// Right results by the caller, in the order of ranks that begins with `first` and in the type itself.
void reduce_ranks(const AllReduce& problem, std::size_t set, std::size_t ranks, std::size_t first = 0) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        for (std::size_t i = 0; i < a.size(); ++i) {
          T sum = a.in[first][i];
          for (std::size_t r = 1; r < ranks; ++r)
            sum = narrow(static_cast<float>(to_double(sum) + to_double(a.in[(first + r) % ranks][i])), T{});
          for (std::size_t r = 0; r < ranks; ++r) a.out[r][i] = sum;
        }
      },
      problem.args(set, 0).typed);
}

struct RanksCase {
  explicit RanksCase(const Point& at, std::size_t sets = 2)
      : ranks(AllReduce::ranks(at)), device(host_ranks(ranks)), problem(*device, at, 7, sets) {
    problem.refill(0);
    problem.poison();
    device->synchronize();
  }
  const AllReduce& prepared() const { return problem.prepared(); }
  Verdict check() const { return problem.check(ResultIn::device); }
  const AllReduce::Typed<float>& f32(std::size_t set, std::size_t rank = 0) {
    args = prepared().args(set, rank);
    return std::get<AllReduce::Typed<float>>(args.typed);
  }

  std::size_t ranks;
  std::unique_ptr<RankGroup> device;
  ProblemOf<AllReduce> problem;
  AllReduce::Args args;
};

TEST(AllReduce, SumsAreExactInEveryTypeAndOrder) {
  for (const char* type : {"f32", "f16", "bf16"})
    for (const char* place : {"out", "in"})
      for (const std::int64_t ranks : {2, 3, 4, 8})
        for (std::size_t first = 0; first < static_cast<std::size_t>(ranks); ++first) {
          RanksCase c(ranks_point(1009, ranks, type, place));
          for (std::size_t set = 0; set < 2; ++set) reduce_ranks(c.prepared(), set, c.ranks, first);
          const Verdict verdict = c.check();
          EXPECT_TRUE(verdict.ok) << type << " " << place << " " << ranks << ": " << verdict.where;
          EXPECT_EQ(verdict.bound, 0);
        }
}

TEST(AllReduce, InputsDependOnPositionRankSetAndGeneration) {
  RanksCase c(ranks_point(64, 2));
  const auto& a = c.f32(0);
  const std::vector<float> first(a.in[0].begin(), a.in[0].end());
  const auto differs = [&](std::span<const float> other) {
    return !std::equal(first.begin(), first.end(), other.begin());
  };
  EXPECT_TRUE(differs(a.in[1]));
  EXPECT_TRUE(differs(std::vector(first.rbegin(), first.rend())));
  EXPECT_TRUE(differs(c.f32(1).in[0]));
  c.problem.refill(1);
  EXPECT_TRUE(differs(c.f32(0).in[0]));
}

TEST(AllReduce, NothingWrittenIsWrong) {
  EXPECT_FALSE(RanksCase(ranks_point(1, 2)).check().ok);
  EXPECT_FALSE(RanksCase(ranks_point(1, 2, "f32", "in")).check().ok);
  EXPECT_TRUE(RanksCase(ranks_point(0, 2)).check().ok);
}

TEST(AllReduce, OneElementOfTheLastRankAndSetIsChecked) {
  RanksCase c(ranks_point(2'000'003, 3));
  for (std::size_t set = 0; set < 2; ++set) reduce_ranks(c.prepared(), set, 3);
  ASSERT_TRUE(c.check().ok);
  float& element = c.f32(1).out[2][2'000'001];
  element += 0x1p-20f;
  const Verdict verdict = c.check();
  EXPECT_FALSE(verdict.ok);
  EXPECT_NE(verdict.where.find("element 2000001 on rank 2 of input 1 is"), std::string::npos) << verdict.where;
}

TEST(AllReduce, ResultsOfAnotherGenerationAreWrong) {
  RanksCase c(ranks_point(100, 2));
  for (std::size_t set = 0; set < 2; ++set) reduce_ranks(c.prepared(), set, 2);
  c.problem.refill(1);
  EXPECT_FALSE(c.check().ok);
}

TEST(AllReduce, WritesBesideAnArrayAreWrong) {
  for (const std::size_t rank : {0, 1})
    for (const bool before : {true, false}) {
      RanksCase c(ranks_point(64, 2), 1);
      reduce_ranks(c.prepared(), 0, 2);
      ASSERT_TRUE(c.check().ok);
      *(before ? c.f32(0).out[rank].data() - 1 : c.f32(0).out[rank].data() + 64) = 0;
      EXPECT_NE(c.check().where.find("guard band"), std::string::npos);
    }
}

TEST(AllReduce, OutputsAreThoseOfARank) {
  RanksCase c(ranks_point(64, 2));
  EXPECT_EQ(static_cast<void*>(c.problem.outputs(1, 1).at(0).data()), static_cast<void*>(c.f32(1).out[1].data()));
  EXPECT_EQ(c.f32(1, 1).rank, 1u);
  EXPECT_EQ(c.f32(1, 1).ranks, 2u);
}

/// A launch's work stands between what writes its inputs and what overwrites them, on each rank's own queue.
TEST(AllReduce, PipelineWritesInputsBeforeAndOverwritesThemBehind) {
  for (const char* place : {"out", "in"}) {
    RanksCase c(ranks_point(100, 2, "f32", place));
    int launches = 0;
    // Waits for both queues, which is what a launch's barriers do, and leaves nothing to do behind.
    const auto right = [&](std::size_t set) {
      c.device->synchronize();
      reduce_ranks(c.prepared(), set, 2);
      ++launches;
    };
    EXPECT_TRUE(c.problem.check_pipeline(right, ResultIn::device)->ok) << place;
    EXPECT_EQ(launches, 6) << place;
    // The inputs are there again.
    c.problem.poison();
    c.device->synchronize();
    for (std::size_t set = 0; set < 2; ++set) reduce_ranks(c.prepared(), set, 2);
    EXPECT_TRUE(c.check().ok) << place;
    // One launch late: the next work has overwritten its inputs.
    std::optional<std::size_t> before;
    const auto late = [&](std::size_t set) {
      c.device->synchronize();
      if (before) reduce_ranks(c.prepared(), *before, 2);
      before = set;
    };
    EXPECT_FALSE(c.problem.check_pipeline(late, ResultIn::device)->ok) << place;
  }
}

TEST(AllReduce, InPlaceALaunchReplacesItsInputs) {
  EXPECT_TRUE(AllReduce::updates_inputs(ranks_point(1, 2, "f32", "in")));
  EXPECT_FALSE(AllReduce::updates_inputs(ranks_point(1, 2)));
}

TEST(AllReduce, ItsRateIsTheBusBandwidth) {
  const Cost cost = AllReduce::cost(ranks_point(1000, 4, "f16"));
  EXPECT_EQ(cost.message, 2000);
  EXPECT_EQ(cost.amount(), 2 * 3.0 / 4 * 2000);
  EXPECT_EQ(cost.flops, 3000);
}

/// Each rank's launch gets its own queue, arguments and workspace, and sees all workspaces, zeroed.
struct SeenByRank {
  std::size_t rank;
  const HostRank* device;
  std::vector<std::span<std::byte>> workspaces;
};
std::vector<SeenByRank> seen;
std::vector<std::pair<std::size_t, const void*>> prepared_for;  // ranks, and where their inputs are

const Register<AllReduce, host::Queue> recorder{{
    .idea = "records what it is launched with",
    .workspace = [](const host::Queue&, const AllReduce::Args& args) { return args.bytes(); },
    .prepare =
        [](const host::Queue&, const AllReduce::Args& args) {
          prepared_for.emplace_back(args.rank(), std::get<0>(args.typed).in[args.rank()].data());
        },
    .launch =
        [](const host::Queue& queue, const AllReduce::Args& args) {
          seen.push_back(
              {std::get<0>(args.typed).rank, queue.rank, {queue.workspaces.begin(), queue.workspaces.end()}});
          EXPECT_EQ(queue.workspace.data(), queue.workspaces[seen.back().rank].data());
        },
}};

TEST(Ranks, ALaunchIsCalledForEachWithItsOwnQueue) {
  RanksCase c(ranks_point(16, 3));
  const VariantEntry& v = Registry::instance().variants().at("host/all_reduce/all_reduce_test");
  const Bound bound = v.bind(*c.device, c.problem, v.tunings.front());
  ASSERT_EQ(bound.workspaces->size(), 3u);
  bound.launch(1);
  ASSERT_EQ(seen.size(), 3u);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(seen[rank].rank, rank);
    EXPECT_EQ(seen[rank].device, &c.device->rank(rank));
    ASSERT_EQ(seen[rank].workspaces.size(), 3u);
    for (const auto& workspace : seen[rank].workspaces) {
      EXPECT_EQ(workspace.size(), 64u);
      EXPECT_TRUE(std::ranges::all_of(workspace, [](std::byte b) { return b == std::byte{0}; }));
    }
  }
}

/// A library may have to register every array that a launch can get.
TEST(Ranks, EachSetIsPreparedByAllRanksInOrder) {
  RanksCase c(ranks_point(16, 3));
  const VariantEntry& v = Registry::instance().variants().at("host/all_reduce/all_reduce_test");
  prepared_for.clear();
  const Bound bound = v.bind(*c.device, c.problem, v.tunings.front());
  std::vector<std::pair<std::size_t, const void*>> expected;
  for (std::size_t set = 0; set < c.problem.sets(); ++set)
    for (std::size_t rank = 0; rank < 3; ++rank) expected.emplace_back(rank, c.f32(set, rank).in[rank].data());
  EXPECT_GT(c.problem.sets(), 1u);
  EXPECT_EQ(prepared_for, expected);
}

/// Ranks of the host under another name.
class RanksBackend final : public Backend {
 public:
  std::string name() const override { return "ranks"; }
  std::vector<DeviceInfo> devices() const override { return {3, host_device_info()}; }
  std::string why_none() const override { return {}; }
  std::shared_ptr<Device> open(std::size_t) const override { return open_host_device(); }
  std::shared_ptr<Device> open_ranks(std::span<const std::size_t> ordinals) const override {
    opened.assign(ordinals.begin(), ordinals.end());
    return host_ranks(ordinals.size());
  }
  static inline std::vector<std::size_t> opened;
};

/// A registry with a variant of all_reduce on one backend with ranks and on one without.
class RunnerOnRanks : public testing::Test {
 protected:
  RunnerOnRanks() {
    lab_.registry.add(std::make_unique<RanksBackend>());
    for (const char* backend : {"ranks", "fake"}) {
      VariantEntry entry = fake::variant(backend, "by_the_caller");
      entry.experiment = "all_reduce";
      entry.bind = [](Device& device, const Problem& problem, const Tuning&) {
        Bound bound{{}, std::make_shared<std::vector<Buffer<std::byte>>>(), std::make_shared<LaunchLog>()};
        const AllReduce& prepared = static_cast<const ProblemOf<AllReduce>&>(problem).prepared();
        bound.launch = [&device, &prepared](std::size_t set) {
          if (is_synchronous) device.synchronize();
          reduce_ranks(prepared, set, device.ranks());
        };
        return bound;
      };
      lab_.registry.add(entry, describe<AllReduce>());
      // No gate holds it back.
      entry.name = "timed";
      entry.result = ResultIn::host;
      lab_.registry.add(entry, describe<AllReduce>());
    }
  }
  Cell cell(const std::string& backend, const Point& point, const std::string& variant = "by_the_caller") const {
    const VariantEntry& v = lab_.registry.variants().at(backend + "/all_reduce/" + variant);
    return {&lab_.registry.backend(backend), &lab_.registry.experiments().at("all_reduce"), &v, &v.tunings.front(),
            point};
  }

  static inline bool is_synchronous = true;
  fake::Lab lab_;
  Runner runner_{RunOptions{}};
};

TEST_F(RunnerOnRanks, VerifiesThemOnAGroup) {
  for (const char* place : {"out", "in"}) {
    const Result result = runner_.verify(cell("ranks", ranks_point(100, 3, "f32", place)), 2);
    EXPECT_EQ(result.status, Status::ok) << result.label();
    EXPECT_EQ(result.device.name.substr(0, 5), "3 × ");
  }
}

TEST_F(RunnerOnRanks, TakesTheDevicesThatAreNamed) {
  const auto opens = [&](std::vector<std::size_t> devices, std::int64_t ranks) {
    RanksBackend::opened.clear();
    Runner runner{RunOptions{.device = devices.empty() ? 0 : devices.front(), .devices = devices}};
    return runner.verify(cell("ranks", ranks_point(64, ranks))).note;
  };
  EXPECT_EQ(opens({}, 3), "");
  EXPECT_EQ(RanksBackend::opened, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(opens({2, 0}, 2), "");
  EXPECT_EQ(RanksBackend::opened, (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(opens({2, 0, 1}, 2), "");
  EXPECT_EQ(RanksBackend::opened, (std::vector<std::size_t>{2, 0}));
  EXPECT_NE(opens({0, 3}, 2).find("--devices 0,3: ranks sees 3 devices"), std::string::npos);
  EXPECT_NE(opens({0, 1}, 3).find("--devices 0,1: 3 ranks need as many devices"), std::string::npos);
}

/// Bytes, bandwidths as nccl-tests has them, each rank's own time, and percentiles of one operation.
TEST_F(RunnerOnRanks, TellsWhatUsersOfCollectivesKnow) {
  const auto results = runner_.run({cell("ranks", ranks_point(1000, 3), "timed")}, Mode::hot, {"ranks"},
                                   LaunchBy::stream, StopRule{.min_time = 0.002, .placements = 1, .time_limit = 5});
  const Result& r = results.front();
  ASSERT_EQ(r.status, Status::ok) << r.label();
  EXPECT_EQ(r.ranks(), 3u);
  EXPECT_EQ(r.cost.message, 4000);
  EXPECT_DOUBLE_EQ(*r.algorithm_bandwidth(), 4000 / *r.time());
  EXPECT_DOUBLE_EQ(*r.bus_bandwidth(), *r.algorithm_bandwidth() * 4 / 3);
  ASSERT_EQ(r.measurement.by_rank.size(), 3u);
  for (const double own : r.measurement.by_rank) EXPECT_GT(own, 0);
  ASSERT_GE(r.measurement.single.size(), 100u);
  ASSERT_TRUE(r.percentile(50) && r.percentile(99));
  EXPECT_LE(*r.percentile(50), *r.percentile(99));
  const std::string table = crosswarp::table(results, {});
  for (const char* head : {"bytes", "ranks", "algbw", "busbw", "p50", "p99"})
    EXPECT_NE(table.find(head), std::string::npos) << head << "\n" << table;
  EXPECT_EQ(table.find(" rate "), std::string::npos) << table;
  Result product = r;
  product.cost.rated = Quantity::flops;
  product.cost.flops = 1000;
  EXPECT_NE(crosswarp::table({product}, {}).find(" rate "), std::string::npos) << "FLOP/s are no bus bandwidth";
  const Result read = from_json(to_json(r), r.cell);
  EXPECT_EQ(read.measurement.by_rank.size(), 3u);
  EXPECT_EQ(read.measurement.single.size(), r.measurement.single.size());
  EXPECT_NEAR(*read.percentile(99), *r.percentile(99), 1e-10);
}

TEST_F(RunnerOnRanks, AFewOperationsHaveNo99thPercentile) {
  Result r;
  r.status = Status::ok;
  r.measurement.single.assign(99, 1e-6);
  EXPECT_TRUE(r.percentile(50));
  EXPECT_FALSE(r.percentile(99));
}

TEST_F(RunnerOnRanks, SkipsABackendWithoutThem) {
  const Result result = runner_.verify(cell("fake", ranks_point(100, 3)), 2);
  EXPECT_EQ(result.status, Status::skipped);
  EXPECT_NE(result.note.find("fake runs on one device at a time; 3 ranks need another backend"), std::string::npos)
      << result.note;
}

TEST_F(RunnerOnRanks, DoesNotTimeWhatReplacesItsInputs) {
  const auto results = runner_.run({cell("ranks", ranks_point(100, 2, "f32", "in"))}, Mode::cold, {"ranks"});
  EXPECT_EQ(results.front().status, Status::skipped);
  EXPECT_EQ(results.front().note, "verified, not timed: a launch replaces its inputs");
}

/// The caller writes the outputs at once, while the gates are closed.
TEST_F(RunnerOnRanks, CatchesWorkBesideTheRanksQueues) {
  is_synchronous = false;
  const auto results = runner_.run({cell("ranks", ranks_point(100, 2))}, Mode::cold, {"ranks"});
  is_synchronous = true;
  EXPECT_NE(results.front().status, Status::ok);
  EXPECT_TRUE(results.front().measurement.seconds.empty());
}

}  // namespace
}  // namespace crosswarp
