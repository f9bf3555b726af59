// Runner: verdicts on variants that are correct, wrong, wrong later, or unsupported by the device.
#include "core/runner.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

using fake::Fill;
using fake::Launch;

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() { Fill::prepared = 0; }

  Cell add(const std::string& name, std::function<void(const Launch&)> launch, const Point& point = Fill::point(4)) {
    return lab.add(fake::variant("fake", name, std::move(launch)), point);
  }
  Result run(const Cell& cell, Mode mode = Mode::cold) { return runner.run({cell}, mode, {"fake"}).at(0); }

  static constexpr std::size_t launches = 20;  // of a sample, since sets are small
  /// Launches on distinct inputs before the first that counts: plainly, again, each captured, as timed.
  static constexpr std::size_t before_sampling = 4 * launches;
  fake::Lab lab;
  Runner runner{{.seed = 3, .stop = {.min_samples = 8, .max_samples = 40, .placements = 1}}};
};

void right(const Launch& l) { l.fill(); }
void wrong(const Launch& l) {
  l.fill();
  l.problem.args(l.set).out[2] += 1;
}

TEST_F(RunnerTest, TimesWhatIsRight) {
  const Result r = run(add("right", right));
  EXPECT_EQ(r.status, Status::ok) << r.note;
  EXPECT_EQ(r.label(), "ok");
  EXPECT_DOUBLE_EQ(*r.time(), 1e-3);  // of one launch
  EXPECT_EQ(flatten(r.measurement.seconds).size(), 8u);
  EXPECT_EQ(r.measurement.launches, launches);
  EXPECT_EQ(r.measurement.stopped, "precision");
  EXPECT_DOUBLE_EQ(*r.bytes_per_second(), 16e3);
  EXPECT_DOUBLE_EQ(r.floor, 1e-6);
  EXPECT_EQ(r.device.key, "fake0");
}

TEST_F(RunnerTest, TellsHowLongThreadsWaitedForAProcessor) {
  EXPECT_FALSE(run(add("no_threads", right)).measurement.waited);
  lab.device->threads.emplace();
  EXPECT_EQ(run(add("quiet", right)).measurement.waited, 0.0);
  const Cell disturbed = add("disturbed", [&, n = 0](const Launch& l) mutable {
    l.fill();
    *lab.device->threads += {.ran = 3, .waited = 1};
    if (++n == 200) lab.device->threads->waited += 1e6;  // one long interruption, of one sample
  });
  const std::vector<Result> rows = runner.run({lab.cell("fake/fill/quiet"), disturbed}, Mode::cold, {"fake"});
  EXPECT_EQ(rows[0].measurement.waited, 0.0) << "of its own samples only";
  EXPECT_NEAR(rows[1].measurement.waited.value(), 0.25, 0.75 / 7 + 1e-6);
  EXPECT_GE(rows[1].measurement.waited.value(), 0.25);
}

TEST_F(RunnerTest, GivesRowsOfADeviceEqualNumbersOfThreadsWhereItCan) {
  lab.backend("fake").runs = {"threads", fake::FakeBackend::most_threads, true};
  lab.backend("other").runs = {"OpenMP", 2};
  const Cell plain = add("plain", right), portable = lab.add(fake::variant("other", "portable", right));
  const std::vector<Result> both = runner.run({plain, portable}, Mode::cold, {"fake", "other"});
  EXPECT_EQ(both[0].execution.space, "threads");
  EXPECT_EQ(both[0].execution.threads, 2);
  EXPECT_EQ(both[1].execution.space, "OpenMP");
  EXPECT_TRUE(both[0].other);
  EXPECT_EQ(both[0].why_no_other, "");
  EXPECT_EQ(run(plain).execution.threads, fake::FakeBackend::most_threads) << "alone, as many as there are";
}

TEST_F(RunnerTest, TakesNoRatioBetweenOtherNumbersOfThreads) {
  lab.backend("fake").runs = {"OpenMP", 1};
  lab.backend("other").runs = {"OpenMP", 2};
  const Cell plain = add("plain", right), portable = lab.add(fake::variant("other", "portable", right));
  const std::vector<Result> both = runner.run({plain, portable}, Mode::cold, {"fake", "other"});
  EXPECT_FALSE(both[0].other);
  EXPECT_EQ(both[0].why_no_other, "1 thread against 2");
  EXPECT_EQ(both[1].why_no_other, "2 threads against 1");
}

TEST_F(RunnerTest, AsksTheBackendForKernelsThatAreNotLogged) {
  lab.backend("fake").kernels = {{.registers = 40, .blocks = 2, .threads = 64}};
  EXPECT_EQ(run(add("unlogged", right)).kernel.registers, 40);
  const Cell logged = add("logged", [](const Launch& l) {
    l.fill();
    if (l.log.on) l.log.kernels.push_back({.registers = 16, .blocks = 1, .threads = 32});
  });
  EXPECT_EQ(run(logged).kernel.registers, 16);
  EXPECT_EQ(run(add("wrong", wrong)).kernel.registers, 0);
  Cell waits = add("waits", right);
  VariantEntry& entry = const_cast<VariantEntry&>(*waits.variant);
  entry.result = ResultIn::host;
  EXPECT_EQ(run(waits).kernel.registers, 0) << "a launch that waits cannot be captured";
}

/// However many sets of inputs a launch is verified with.
TEST_F(RunnerTest, RecordsTheKernelsOfOneLaunch) {
  const KernelUse large{.registers = 32, .blocks = 100, .threads = 256},
      small{.registers = 16, .blocks = 1, .threads = 32};
  const auto run_with = [&](const std::string& name, const std::vector<KernelUse>& kernels) {
    return run(add(name, [kernels](const Launch& l) {
      l.fill();
      if (l.log.on) l.log.kernels.insert(l.log.kernels.end(), kernels.begin(), kernels.end());
    }));
  };
  const Result several = run_with("several", {small, large, large});
  ASSERT_EQ(several.launched.size(), 2u);
  EXPECT_EQ(several.launched[0].use, small);
  EXPECT_EQ(several.launched[0].times, 1u);
  EXPECT_EQ(several.launched[1].use, large);
  EXPECT_EQ(several.launched[1].times, 2u);
  EXPECT_EQ(several.kernel.registers, 32);
  const Result one = run_with("one", {large});
  EXPECT_TRUE(one.launched.empty()) << "it is the row's kernel";
  EXPECT_EQ(one.kernel.registers, 32);
}

TEST_F(RunnerTest, KnowsHowEmptyLaunchesVary) {
  lab.device->empty_time = [n = 0]() mutable { return n++ / 20 % 3 == 2 ? 5e-6 : 1e-6; };  // every third sample
  const Result r = run(add("right", right));
  EXPECT_DOUBLE_EQ(r.floor, 1e-6);
  EXPECT_DOUBLE_EQ(r.floor_p90, 5e-6);
}

TEST_F(RunnerTest, CallsWrongWhatIsWrong) {
  for (const Result& r : {runner.verify(add("wrong", wrong)), run(lab.cell("fake/fill/wrong"))}) {
    EXPECT_EQ(r.status, Status::wrong);
    EXPECT_TRUE(r.label() == "wrong: out[2] is 301, should be 300" ||  // by the generation
                r.label() == "wrong: out[2] is 1301, should be 1300")
        << r.label();
    EXPECT_TRUE(r.measurement.seconds.empty());  // no time is spent on it
  }
}

TEST_F(RunnerTest, CallsWrongWhatDoesNothing) {
  add("right", right);
  const Cell nothing = add("nothing", [](const Launch&) {});
  // The right one leaves its results in the buffers that both share.
  EXPECT_EQ(runner.verify(lab.cell("fake/fill/right")).status, Status::ok);
  EXPECT_EQ(runner.verify(nothing).status, Status::wrong);
  EXPECT_EQ(runner.run({lab.cell("fake/fill/right"), nothing}, Mode::cold, {"fake"})[1].status, Status::wrong);
}

TEST_F(RunnerTest, CallsWrongWhatWritesPastTheEnd) {
  const Result r = runner.verify(add("past", [](const Launch& l) {
    l.fill();
    l.problem.args(l.set).out.data()[4] = 0;
  }));
  EXPECT_EQ(r.label(), "wrong: a guard band was written to");
}

TEST_F(RunnerTest, CallsWrongWhatWritesPastItsWorkspace) {
  const Result r = runner.verify(add("past", [](const Launch& l) {
    l.fill();
    l.workspace.data()[l.workspace.size()] = std::byte{0};
  }));
  EXPECT_EQ(r.label(), "wrong: a guard band beside the workspace was written to");
}

TEST_F(RunnerTest, CatchesAfterTimingWhatGoesWrongLater) {
  for (const Mode mode : {Mode::cold, Mode::hot, Mode::single}) {
    const std::size_t later = mode == Mode::cold ? before_sampling + launches : mode == Mode::hot ? 60 : 6;
    const auto launch = [n = 0ul, later](const Launch& l) mutable { n++ < later ? right(l) : wrong(l); };
    const Result r = run(add("later_" + to_string(mode), launch), mode);
    EXPECT_EQ(r.status, Status::wrong) << to_string(mode);
    EXPECT_TRUE(r.note.starts_with("after timing: out[2] is")) << r.note;
    EXPECT_FALSE(r.time() || r.bytes_per_second());
    EXPECT_FALSE(r.measurement.seconds.empty());
  }
}

TEST_F(RunnerTest, CatchesWhatIsWrongOnlyWhenTimed) {
  const Result r = run(add("timed", [n = 0ul](const Launch& l) mutable { n++ < 2 * launches ? right(l) : wrong(l); }));
  EXPECT_EQ(r.status, Status::wrong);
  EXPECT_TRUE(r.note.starts_with("when timed: out[2] is")) << r.note;
  EXPECT_TRUE(r.measurement.seconds.empty());
}

TEST_F(RunnerTest, CatchesAfterTimingWhatDoesNothingLater) {
  const Result r = run(add("lazy", [n = 0ul](const Launch& l) mutable {
    if (n++ < before_sampling + launches) l.fill();
  }));
  EXPECT_EQ(r.status, Status::wrong) << r.label();
}

TEST_F(RunnerTest, CatchesAfterTimingWhatWritesPastItsWorkspaceLater) {
  const Result r = run(add("past", [n = 0ul](const Launch& l) mutable {
    l.fill();
    if (n++ > before_sampling + launches) l.workspace.data()[l.workspace.size()] = std::byte{0};
  }));
  EXPECT_EQ(r.status, Status::wrong) << r.label();
}

/// Variants that pass a single check.
TEST_F(RunnerTest, CatchesWhatRemembersResultsByAddress) {
  for (const Mode mode : {Mode::cold, Mode::hot, Mode::single}) {
    const Result r = run(add("remembers_" + to_string(mode),
                             [known = std::map<const float*, float>()](const Launch& l) mutable {
                               const Fill::Args args = l.problem.args(l.set);
                               const float value = known.try_emplace(args.in.data(), args.value()).first->second;
                               std::fill(args.out.begin(), args.out.end(), value);
                               l.device.elapsed += 1e-6;
                             }),
                         mode);
    EXPECT_EQ(r.status, Status::wrong) << to_string(mode);
    EXPECT_FALSE(r.time());
  }
}

TEST_F(RunnerTest, CatchesWhatRemembersResultsOnceItIsTimed) {
  const Result r =
      run(add("remembers_later", [n = 0ul, known = std::map<const float*, float>()](const Launch& l) mutable {
        const Fill::Args args = l.problem.args(l.set);
        if (n++ < before_sampling) return l.fill();
        const float value = known.try_emplace(args.in.data(), args.value()).first->second;
        std::fill(args.out.begin(), args.out.end(), value);
      }));
  EXPECT_EQ(r.status, Status::wrong);
  EXPECT_TRUE(r.note.starts_with("after timing: ")) << r.note;
}

TEST_F(RunnerTest, ChangesInputsBetweenVerificationAndSamplesAndBehindThem) {
  std::vector<float> values;
  run(add("notes", [&](const Launch& l) {
    if (l.set == 0) values.push_back(l.problem.args(0).value());
    l.fill();
  }));
  ASSERT_EQ(values.size(), 12u);  // plainly, again, each captured, as timed, seven samples, a verified one
  EXPECT_EQ(values[0], values[1]);
  EXPECT_NE(values[1], values[2]);
  EXPECT_NE(values[2], values[3]);
  EXPECT_NE(values[10], values[11]);
}

TEST_F(RunnerTest, CountsTheVerifiedSampleAsAPlacementsFirst) {
  const StopRule rule{.precision = 0, .min_samples = 8, .max_samples = 8, .placements = 2};
  for (const Mode mode : {Mode::cold, Mode::hot}) {
    const Cell cell =
        add(std::string("slows_down_") + (mode == Mode::hot ? "hot" : "cold"), [n = 0](const Launch& l) mutable {
          l.fill();
          l.device.elapsed += 1e-6 * ++n;  // the verified sample behind the others is the slowest
        });
    const Result r = runner.run({cell}, mode, {"fake"}, LaunchBy::stream, rule).at(0);
    ASSERT_EQ(r.measurement.seconds.size(), 2u);
    for (const std::vector<double>& placement : r.measurement.seconds) {
      EXPECT_EQ(placement.size(), 4u);
      EXPECT_EQ(std::ranges::max_element(placement) == placement.begin(), mode != Mode::hot);
    }
  }
}

TEST_F(RunnerTest, CatchesALaunchThatDoesTheWorkOfLaterOnes) {
  const Result r = run(add("batches", [](const Launch& l) {
    if (l.set > 0) return;
    for (std::size_t set = 0; set < launches; ++set) {
      const Fill::Args args = l.problem.args(set);
      std::fill(args.out.begin(), args.out.end(), args.value());
    }
    l.device.elapsed += 1e-3;
  }));
  EXPECT_EQ(r.label(),
            "wrong: when timed: the output of launch 1 was written before that launch: each launch does its own work");
}

TEST_F(RunnerTest, CatchesALaunchThatLeavesItsWorkToTheNext) {
  const Result r = run(add("defers", [](const Launch& l) {
    l.device.elapsed += 1e-3;
    for (std::size_t set = 0; set < launches && l.set + 1 == launches; ++set) {
      const Fill::Args args = l.problem.args(set);
      std::fill(args.out.begin(), args.out.end(), args.value());
    }
  }));
  EXPECT_EQ(r.status, Status::wrong);
  EXPECT_TRUE(r.note.starts_with("when timed: ")) << r.note;
}

TEST_F(RunnerTest, CatchesWorkThatDoesNotWaitForTheGate) {
  const Result r = run(add("outside", [](const Launch& l) {
    l.fill();
    const Fill::Args args = l.problem.args(l.set);
    l.device.outside = [args, others = l.device.outside] {
      if (others) others();
      std::fill(args.out.begin(), args.out.end(), args.value());
    };
  }));
  EXPECT_EQ(r.status, Status::wrong);
  EXPECT_TRUE(r.note.starts_with("when timed: ran outside of queue.stream")) << r.note;
}

TEST_F(RunnerTest, CatchesWorkThatGoesOnBehindTheLastLaunch) {
  const Result r = run(add("goes_on", [n = 0ul](const Launch& l) mutable {
    if (n++ < 3 * launches) return l.fill();
    l.device.elapsed += 1e-9;
    const Fill::Args args = l.problem.args(l.set);
    l.device.later = [args, before = l.device.later] {
      if (before) before();
      std::fill(args.out.begin(), args.out.end(), args.value());
    };
  }));
  EXPECT_EQ(r.status, Status::wrong);
  EXPECT_NE(r.note.find("work continues after the last event of queue.stream"), std::string::npos) << r.note;
}

/// A busy machine may hold up the check until the output is there, or its writer until after the second look.
TEST_F(RunnerTest, SaysThatWorkGoesOnWhenFirstVerified) {
  std::thread late;
  float off = 0;
  const Cell cell = add("late", [&](const Launch& l) {
    if (late.joinable()) late.join();
    const Fill::Args args = l.problem.args(l.set);
    late = std::thread([args, off] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::fill(args.out.begin(), args.out.end(), args.value() + off);
    });
  });
  const auto is_told = [](const Result& r) {
    return r.status == Status::wrong && r.note.starts_with("its output was not there behind the last launch");
  };
  for (off = 0; off < 2; ++off) {  // what comes late is right, or wrong
    Result r = run(cell);
    for (int again = 0; again < 20 && !is_told(r); ++again) r = run(cell);
    EXPECT_TRUE(is_told(r)) << r.note;
  }
  late.join();
}

TEST_F(RunnerTest, CatchesWhatLeavesNumbersInItsOutputAlone) {
  const Result r = run(add("skips", [](const Launch& l) {
    if (std::isnan(l.problem.args(l.set).out[0])) l.fill();
  }));
  EXPECT_EQ(r.status, Status::wrong);
  EXPECT_TRUE(r.note.starts_with("after timing: ")) << r.note;
}

TEST_F(RunnerTest, CatchesWhatDestroysItsInputsAndNotTheRowsBehindIt) {
  add("destroys", [](const Launch& l) {
    l.fill();
    const_cast<float&>(l.problem.args(l.set).in[0]) += 1;
  });
  add("right", right);
  const auto results = runner.run({lab.cell("fake/fill/destroys"), lab.cell("fake/fill/right")}, Mode::cold, {"fake"});
  EXPECT_TRUE(results[0].label().starts_with("wrong: launched again on the same inputs")) << results[0].label();
  EXPECT_EQ(results[1].label(), "ok");
}

TEST_F(RunnerTest, RepairsInputsForTheRowsBehindOneThatIsWrong) {
  add("scribbles", [](const Launch& l) { const_cast<float&>(l.problem.args(l.set).in[0]) = -1; });
  add("right", right);
  const auto results = runner.run({lab.cell("fake/fill/scribbles"), lab.cell("fake/fill/right")}, Mode::cold, {"fake"});
  EXPECT_EQ(results[0].status, Status::wrong);
  EXPECT_EQ(results[1].label(), "ok");
}

TEST_F(RunnerTest, CallsFailedWhatChangesTheDevicesState) {
  const Result r = run(add("persists", [](const Launch& l) {
    l.fill();
    l.device.changed_state = "L2 set aside";
  }));
  EXPECT_EQ(r.label(), "failed: changed the device's state: L2 set aside; a launch must leave it as it was");
}

TEST_F(RunnerTest, CallsFailedWhatLeaksMemoryButNotWhereAnotherProcessTakesSome) {
  lab.device->own_memory = true;
  std::size_t free = std::size_t{1} << 30;
  lab.device->free = [&] { return free; };
  const Cell leaks = add("leaks", [&](const Launch& l) {
    l.fill();
    free -= std::size_t{1} << 18;
  });
  EXPECT_EQ(run(leaks).label(), "failed: leaks device memory: 5 MiB in 20 launches");
  const Cell beside = add("beside", [&, n = 0ul](const Launch& l) mutable {
    l.fill();
    if (n++ == before_sampling - 1) free -= std::size_t{8} << 20;  // while it is verified as timed
  });
  EXPECT_EQ(run(beside).label(), "ok");
  lab.device->own_memory = false;  // a host's: others may take the same each time
  EXPECT_EQ(run(leaks).label(), "ok");
}

TEST_F(RunnerTest, CallsImplausibleWhatIsFasterThanAnEmptyLaunch) {
  const Cell quick = add("quick", [](const Launch& l) { l.fill(0.9e-6); });
  EXPECT_EQ(run(quick).status, Status::ok);  // where a launch is a call
  lab.device->asynchronous = true;
  EXPECT_EQ(run(quick).status, Status::implausible);
  EXPECT_TRUE(run(quick).note.starts_with("faster than an empty launch (0.9 µs against 1 µs)")) << run(quick).note;
  EXPECT_EQ(run(add("honest", [](const Launch& l) { l.fill(1.1e-6); })).status, Status::ok);
}

TEST_F(RunnerTest, HoldsAMachineOfUnknownPeaksToWhatWasMeasured) {
  const Cell quick = add("quick", [](const Launch& l) { l.fill(16 / 5e9); });  // reads run at 1 GB/s
  EXPECT_EQ(run(quick).status, Status::implausible);
  EXPECT_EQ(run(add("wide", [](const Launch& l) { l.fill(16 / 3e9); })).status, Status::ok);
}

TEST_F(RunnerTest, ComparesWithAnEmptyLaunchOfTheSameMechanism) {
  lab.device->asynchronous = true;
  lab.device->pdl_saves = 0.5e-6;
  const auto by_pdl = [&](const std::string& name, double seconds) {
    return add(name, [seconds](const Launch& l) {
      l.fill(seconds);
      if (l.log.on) l.log.kernels = {{.blocks = 1, .threads = 1, .pdl = true}, {.blocks = 2, .threads = 1}};
    });
  };
  for (const LaunchBy launch_by : {LaunchBy::stream, LaunchBy::graph}) {
    const auto results =
        runner.run({by_pdl("hides_" + to_string(launch_by), 0.9e-6), by_pdl("skips_" + to_string(launch_by), 0.4e-6),
                    add("plain_" + to_string(launch_by), [](const Launch& l) { l.fill(0.9e-6); })},
                   Mode::cold, {"fake"}, launch_by);
    EXPECT_EQ(results[0].label(), "ok");
    EXPECT_DOUBLE_EQ(results[0].floor, 0.5e-6);
    EXPECT_EQ(results[1].status, Status::implausible);
    EXPECT_EQ(results[2].status, Status::implausible);
    EXPECT_DOUBLE_EQ(results[2].floor, 1e-6);
  }
}

TEST_F(RunnerTest, ChecksEveryValueThatIsReturnedToTheHost) {
  VariantEntry v = fake::variant("fake", "host_result", [n = 0ul](const Launch& l) mutable {
    l.fill();
    if (n++ == before_sampling + 3 * launches) l.problem.args(l.set).out[0] += 1;  // once, in the midst
  });
  v.result = ResultIn::host;
  const Result r = run(lab.add(v));
  EXPECT_EQ(r.status, Status::failed);
  EXPECT_TRUE(r.note.starts_with("returned a wrong result while timed: ")) << r.note;
}

TEST_F(RunnerTest, TimesAGraphOfAllLaunches) {
  for (const Mode mode : {Mode::cold, Mode::hot}) {
    std::set<std::size_t> sets;
    lab.device->batches_of.clear();
    lab.device->captures = 0;
    const auto launch = [&](const Launch& l) { sets.insert(l.set), l.fill(); };
    const Result r = runner.run({add("by_graph_" + to_string(mode), launch)}, mode, {"fake"}, LaunchBy::graph).front();
    EXPECT_EQ(r.status, Status::ok) << r.note;
    EXPECT_TRUE(r.name().ends_with(to_string(mode) + "/graph")) << r.name();
    EXPECT_DOUBLE_EQ(*r.time(), 1e-3);  // of one launch
    EXPECT_DOUBLE_EQ(r.floor, 1e-6);
    EXPECT_EQ(r.measurement.launches, launches);
    EXPECT_EQ(sets.size(), mode == Mode::hot ? 1 : launches);
    EXPECT_EQ(lab.device->batches_of[launches], 1);  // a verified one; all others are a graph
    EXPECT_EQ(lab.device->captures, 2);              // the row's and the floor's
  }
}

TEST_F(RunnerTest, CallsWrongWhatIsWrongInAGraphAlone) {
  const Cell cell = add("captured", [](const Launch& l) {
    if (!l.device.graph_runs) l.fill();
  });
  const Result r = runner.run({cell}, Mode::cold, {"fake"}, LaunchBy::graph).front();
  EXPECT_EQ(r.status, Status::wrong) << r.label();
  EXPECT_EQ(run(cell).status, Status::ok);
}

TEST_F(RunnerTest, SkipsWhatCannotBeCapturedAndKeepsTheOthers) {
  add("right", right);
  add("waits", [](const Launch& l) { l.fill(), l.device.synchronize(); });
  VariantEntry returns = fake::variant("fake", "returns");
  returns.result = ResultIn::host;
  lab.add(returns);
  const std::vector<Cell> cells{lab.cell("fake/fill/right"), lab.cell("fake/fill/waits"),
                                lab.cell("fake/fill/returns")};
  const auto results = runner.run(cells, Mode::cold, {"fake"}, LaunchBy::graph);
  EXPECT_EQ(results[0].label(), "ok");
  EXPECT_EQ(results[1].label(), "skipped: cannot be captured: nobody may wait while the fake captures");
  EXPECT_EQ(results[2].label(), "skipped: cannot be captured: it waits for its result");
  for (const Result& r : runner.run(cells, Mode::cold, {"fake"})) EXPECT_EQ(r.status, Status::ok) << r.note;
  lab.device->facts().graphs = false;
  EXPECT_EQ(runner.run(cells, Mode::cold, {"fake"}, LaunchBy::graph)[0].label(),
            "skipped: cannot be captured: Fake 1 has no graphs");
}

// As a variant does that records a graph for the buffers that it is given.
TEST_F(RunnerTest, LaunchesBeforeAGateIsClosedWhereverBuffersAre) {
  Runner spread({.seed = 3, .stop = {.min_samples = 8, .max_samples = 40, .placements = 4}});
  std::set<std::size_t> known;
  const Cell cell = add("records", [&known](const Launch& l) {
    if (known.insert(l.device.places.size()).second && l.device.behind_gate) throw Error("waits at the gate");
    l.fill();
  });
  const Result r = spread.run({cell}, Mode::cold, {"fake"}).front();
  EXPECT_EQ(r.status, Status::ok) << r.note;
  EXPECT_EQ(known.size(), 4u);
}

TEST_F(RunnerTest, CallsFailedWhatCanNoLongerBeCaptured) {
  Runner spread({.seed = 3, .stop = {.min_samples = 8, .max_samples = 40, .placements = 4}});
  const Cell cell = add("later", [](const Launch& l) {
    l.fill();
    if (l.device.captures > 2) l.device.synchronize();
  });
  const Result r = spread.run({cell}, Mode::cold, {"fake"}, LaunchBy::graph).front();
  EXPECT_EQ(r.status, Status::failed) << r.label();
}

TEST_F(RunnerTest, CallsFailedWhatThrows) {
  const auto throws = [](const Launch&) { throw std::runtime_error("cudaErrorInvalidValue"); };
  for (const Result& r : {runner.verify(add("throws", throws)), run(lab.cell("fake/fill/throws"))})
    EXPECT_EQ(r.label(), "failed: cudaErrorInvalidValue");
}

TEST_F(RunnerTest, CallsFailedWhatThrowsLaterAndKeepsTheOthers) {
  add("right", right);
  for (const std::size_t from : {launches, 2 * launches, 5 * launches, 11 * launches}) {  // verifying … and again
    const std::string name = "throws_" + std::to_string(from);
    add(name, [n = 0ul, from](const Launch& l) mutable {
      if (n++ >= from) throw std::runtime_error("gone");
      l.fill();
    });
    const auto results = runner.run({lab.cell("fake/fill/right"), lab.cell("fake/fill/" + name)}, Mode::cold, {"fake"});
    EXPECT_EQ(results[0].status, Status::ok) << results[0].note;
    EXPECT_EQ(results[1].label(), "failed: gone") << name;
    EXPECT_FALSE(results[1].time());
  }
}

TEST_F(RunnerTest, SkipsWhatTheDeviceLacks) {
  VariantEntry v = fake::variant("fake", "tensor");
  v.needs = {"ptx", "wgmma"};
  const Cell cell = lab.add(v);
  EXPECT_EQ(run(cell).label(), "skipped: needs ptx, which Fake 1 (fk_1) lacks");
  lab.device->facts().features = {"ptx"};
  EXPECT_EQ(runner.skipped(cell), "needs wgmma, which Fake 1 (fk_1) lacks");
  lab.device->facts().features = {"wgmma", "ptx"};
  EXPECT_EQ(run(cell).label(), "ok");
}

TEST_F(RunnerTest, SkipsWhatTheBuildLacks) {
  VariantEntry v = fake::variant("fake", "tensor");
  v.needs = {"wgmma"};
  lab.device->facts().set_features({"cluster", "wgmma"}, {"cluster"});
  lab.device->facts().how_to_compile = "build for fk_1a";
  EXPECT_EQ(run(lab.add(v)).label(), "skipped: needs wgmma, which this build's code for Fake 1 lacks: build for fk_1a");
}

TEST_F(RunnerTest, SkipsWhatIsMissingWhenAskedFor) {
  VariantEntry v = fake::variant("fake", "library");
  static bool is_installed = false;
  v.missing = [] { return std::string(is_installed ? "" : "needs a library, which is not installed"); };
  const Cell cell = lab.add(v);
  EXPECT_EQ(run(cell).label(), "skipped: needs a library, which is not installed");
  is_installed = true;
  EXPECT_EQ(run(cell).label(), "ok");
}

TEST_F(RunnerTest, SkipsWhatCannotBeExpressed) {
  VariantEntry v = fake::variant("fake", "wmma");
  v.not_expressible = "no matrix units in Kokkos";
  v.bind = {};
  EXPECT_EQ(run(lab.add(v)).label(), "skipped: not expressible: no matrix units in Kokkos");
  v.backend = "none";  // the finding stands without a device, too
  EXPECT_EQ(run(lab.add(v)).label(), "skipped: not expressible: no matrix units in Kokkos");
}

TEST_F(RunnerTest, SkipsWhatIsLargerThanTheDevice) {
  const Result r = run(add("large", right, Fill::point(1 << 29)));
  EXPECT_EQ(r.label(), "skipped: needs 2048 MiB, Fake 1 has 1024");
  EXPECT_EQ(Fill::prepared, 0);
}

TEST_F(RunnerTest, SkipsWhereThereIsNoDevice) {
  EXPECT_EQ(run(lab.add(fake::variant("none", "naive"))).label(), "skipped: nobody built one");
  Runner second({.device = 1});
  EXPECT_EQ(second.verify(add("right", right)).label(), "skipped: --device 1: fake sees 1 device");
}

TEST_F(RunnerTest, CallsImplausibleWhatIsFasterThanMemory) {
  lab.device->facts().peaks["memory"] = 1e6;
  const Cell fast = add("fast", [](const Launch& l) { l.fill(15e-6); });
  EXPECT_EQ(run(fast).status, Status::implausible);  // 16 bytes
  EXPECT_NE(run(fast).note.find("1.5e-05 s is less than the 1.6e-05 s that Fake 1 could take"), std::string::npos);
  EXPECT_FALSE(run(fast).bytes_per_second());
  EXPECT_EQ(run(add("honest", [](const Launch& l) { l.fill(17e-6); })).status, Status::ok);
}

TEST_F(RunnerTest, LaunchesOnDistinctInputsExceptWhenHot) {
  for (const Mode mode : {Mode::cold, Mode::hot, Mode::single}) {
    std::map<std::size_t, std::size_t> on_set;
    const Result r = run(add("counts_" + to_string(mode), [&](const Launch& l) { ++on_set[l.set], l.fill(); }), mode);
    EXPECT_EQ(r.measurement.launches, mode == Mode::single ? 1 : launches);
    EXPECT_EQ(on_set.size(), mode == Mode::cold ? launches : 1) << to_string(mode);
    EXPECT_EQ(r.mode, mode);
  }
}

TEST_F(RunnerTest, TakesFewerLaunchesOfLargeSets) {
  lab.device->facts().memory = 128 * 3 * 4096;
  EXPECT_EQ(run(add("large", right, Fill::point(1024))).measurement.launches, 3u);
  EXPECT_EQ(run(lab.cell("fake/fill/large", Fill::point(8192))).measurement.launches, 1u);
}

// 16 bytes at 10 kB/s take 1.6 ms.
TEST_F(RunnerTest, TakesFewerLaunchesThatMustBeLong) {
  lab.device->facts().peaks["memory"] = 1e4;
  EXPECT_EQ(run(add("long", [](const Launch& l) { l.fill(2e-3); })).measurement.launches, 3u);
}

TEST_F(RunnerTest, SpreadsSamplesOverPlacements) {
  const Cell cell = add("right", right);
  run(cell);
  const std::size_t sizes = lab.device->sizes.size();
  Fill::prepared = Fill::most_alive = 0;
  lab.device->places.clear();
  Runner spread({.seed = 3, .stop = {.min_samples = 32, .max_samples = 400, .placements = 4}});
  const Result r = spread.run({cell}, Mode::cold, {"fake"}).at(0);
  EXPECT_EQ(r.label(), "ok");
  ASSERT_EQ(r.measurement.seconds.size(), 4u);
  for (const auto& placement : r.measurement.seconds) EXPECT_EQ(placement.size(), 8u);
  EXPECT_DOUBLE_EQ(*r.time(), 1e-3);
  EXPECT_DOUBLE_EQ(r.floor, 1e-6);
  EXPECT_EQ(Fill::prepared, 4);
  EXPECT_EQ(Fill::most_alive, 1);
  EXPECT_EQ(lab.device->sizes.size(), sizes + 6);  // two things of other sizes move the buffers of each placement
  EXPECT_EQ(lab.device->allocations, 0);
  EXPECT_EQ(lab.device->places, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST_F(RunnerTest, CountsTheDeviceTimeOfWholeSamples) {
  Runner brief({.stop = {.min_time = 0.2, .min_samples = 4, .max_samples = 40, .placements = 1}});
  const Cell restless =
      add("restless", [n = 0ul](const Launch& l) mutable { l.fill(n++ / launches % 2 ? 1e-3 : 2e-3); });
  const Result r = brief.run({restless}, Mode::cold, {"fake"}).at(0);
  EXPECT_EQ(r.measurement.stopped, "min_time");
  EXPECT_NEAR(static_cast<double>(flatten(r.measurement.seconds).size()), 7, 1);  // of 30 ms, on the average
}

void launch_slowly(const Launch& l) {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  l.fill();
}

TEST_F(RunnerTest, SendsACellHomeAtItsTimeLimit) {
  Runner brief({.stop = {.min_samples = 4, .max_samples = 40, .placements = 4, .time_limit = 0.015}});
  std::vector<Cell> cells{add("slow", launch_slowly)};
  for (int i = 0; i < 20; ++i) cells.push_back(add("quick" + std::to_string(i), right));
  const auto results = brief.run(cells, Mode::single, {"fake"});
  EXPECT_LT(results[0].measurement.seconds.size(), 4u);
  EXPECT_EQ(results[0].status, Status::ok);  // with what it has
  // A busy machine may hold up some of the others.
  EXPECT_TRUE(std::any_of(results.begin() + 1, results.end(),
                          [](const Result& r) { return r.measurement.seconds.size() == 4; }));
}

TEST_F(RunnerTest, CountsVerificationAgainstTheTimeLimit) {
  Runner brief({.stop = {.min_samples = 4, .max_samples = 40, .placements = 4, .time_limit = 0.015}});
  const Result r = brief.run({add("slow", launch_slowly)}, Mode::single, {"fake"}).at(0);
  EXPECT_EQ(r.measurement.seconds.size(), 1u);  // one sample of 10 ms, but verified three times
  EXPECT_EQ(r.status, Status::ok);
}

TEST_F(RunnerTest, DoesNotCountAFirstBindingAgainstTheTimeLimit) {
  Runner brief({.stop = {.min_samples = 4, .max_samples = 40, .placements = 4, .time_limit = 0.05}});
  // Placements of a variant whose first so many bindings take longer than that.
  const auto placements = [&](const std::string& name, std::size_t slow_bindings) {
    VariantEntry variant = fake::variant("fake", name, right);
    variant.bind = [bind = variant.bind, slow_bindings, done = std::size_t{0}](Device& device, const Problem& problem,
                                                                               const Tuning& tuning) mutable {
      if (done++ < slow_bindings) std::this_thread::sleep_for(std::chrono::milliseconds(60));
      return bind(device, problem, tuning);
    };
    return brief.run({lab.add(variant)}, Mode::single, {"fake"}).at(0).measurement.seconds.size();
  };
  std::size_t most = 0;  // a busy machine may hold up a placement
  for (int again = 0; again < 5 && most < 4; ++again) most = placements("tuned" + std::to_string(again), 1);
  EXPECT_EQ(most, 4u);
  EXPECT_LE(placements("slow", 100), 2u);
}

TEST_F(RunnerTest, KeepsThePointLimitWithFewerPlacements) {
  const StopRule slow{.min_time = 1e9, .min_samples = 1000, .max_samples = 1000, .placements = 8, .time_limit = 10};
  StopRule limited = slow;
  limited.point_limit = 0.2;
  const Cell cell = add("slow", launch_slowly);
  const Result r = runner.run({cell}, Mode::single, {"fake"}, LaunchBy::stream, limited).at(0);
  EXPECT_EQ(r.label(), "ok");
  EXPECT_LT(r.measurement.seconds.size(), 8u);
  EXPECT_FALSE(flatten(r.measurement.seconds).empty());
  EXPECT_LE(flatten(r.measurement.seconds).size(), 20u);  // of 10 ms and more
}

TEST_F(RunnerTest, TakesNoMoreLaunchesThanTheRule) {
  const StopRule few{.min_samples = 8, .max_samples = 8, .placements = 1, .launches = 3};
  EXPECT_EQ(runner.run({add("right", right)}, Mode::cold, {"fake"}, LaunchBy::stream, few)[0].measurement.launches, 3u);
}

TEST_F(RunnerTest, TellsWhereTheWallTimeWent) {
  Fill::preparing_takes = std::chrono::milliseconds(30);
  const std::vector<Cell> cells{add("slow", launch_slowly), add("right", right)};
  double told = 0;  // of the wall time; a busy machine may interrupt the program between two phases
  for (int again = 0; again < 5 && told < 0.9; ++again) {
    const auto began = std::chrono::steady_clock::now();
    const auto results = runner.run(cells, Mode::single, {"fake"});
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    Phases sum;
    for (const Result& r : results) sum += r.measurement.wall;
    EXPECT_GE(sum.preparing, 0.03);
    EXPECT_GE(sum.verifying, 0.03);  // four launches of 10 ms at least
    EXPECT_GE(sum.timing, 0.07);     // seven samples
    EXPECT_LE(sum.sum(), wall);
    EXPECT_DOUBLE_EQ(results[0].measurement.wall.timing, results[1].measurement.wall.timing);
    told = sum.sum() / wall;
  }
  Fill::preparing_takes = {};
  EXPECT_GE(told, 0.9);
}

TEST_F(RunnerTest, TimesSlowLaunchesOneByOne) {
  const auto results = runner.run({add("slow", launch_slowly), add("quick", right)}, Mode::cold, {"fake"});
  EXPECT_EQ(results[0].label(), "ok");
  EXPECT_EQ(results[0].measurement.launches, 1u);
  EXPECT_FALSE(flatten(results[0].measurement.seconds).empty());
  EXPECT_EQ(results[1].measurement.launches, launches);
  EXPECT_EQ(runner.run({lab.cell("fake/fill/slow")}, Mode::cold, {"fake"})[0].label(), "ok");
}

// What remembers its inputs is fast from its second launch on each: single launches would show little of that.
TEST_F(RunnerTest, TimesSeveralLaunchesOfWhatIsSlowAtFirst) {
  const auto takes_a_millisecond = [](bool always) {
    return [always, n = 0ul](const Launch& l) mutable {
      if (always || n++ < launches) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      l.fill();
    };
  };
  std::size_t taken = 0;
  for (int again = 0; again < 5 && taken != launches; ++again)  // a busy machine interrupts a fast launch, too
    taken = run(add("slow_at_first" + std::to_string(again), takes_a_millisecond(false))).measurement.launches;
  EXPECT_EQ(taken, launches);
  EXPECT_EQ(run(add("always_slow", takes_a_millisecond(true))).measurement.launches, 1u);
}

// A group of ranks leaves another device current.
TEST_F(RunnerTest, MakesTheDeviceCurrentForEachRun) {
  int before = 0;
  const Cell cell = add("current", [&before](const Launch& l) {
    EXPECT_GT(l.device.made_current, before);
    l.fill();
  });
  for (int i = 0; i < 2; ++i, before = lab.device->made_current) runner.verify(cell);
  run(cell);
}

TEST_F(RunnerTest, FindsWrongResultsOfSlowLaunches) {
  const auto wrong_and_slow = [](const Launch& l) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    wrong(l);
  };
  EXPECT_EQ(runner.run({add("slow", wrong_and_slow), add("quick", right)}, Mode::cold, {"fake"})[0].status,
            Status::wrong);
}

TEST_F(RunnerTest, TakesFewerPlacementsWherePreparingIsSlow) {
  Fill::preparing_takes = std::chrono::milliseconds(20);
  Runner brief({.stop = {.min_samples = 8, .max_samples = 40, .placements = 8, .time_limit = 0.03}});
  const Result r = brief.run({add("right", right)}, Mode::cold, {"fake"}).at(0);
  Fill::preparing_takes = {};
  EXPECT_LE(r.measurement.seconds.size(), 2u);
  EXPECT_EQ(r.status, Status::ok);
}

TEST_F(RunnerTest, VerifiesInEveryPlacement) {
  Runner spread({.seed = 3, .stop = {.min_samples = 32, .max_samples = 400, .placements = 4}});
  add("right", right);
  const Cell late = add("late", [](const Launch& l) { Fill::prepared < 3 ? right(l) : wrong(l); });
  const auto results = spread.run({lab.cell("fake/fill/right"), late}, Mode::cold, {"fake"});
  EXPECT_EQ(results[0].status, Status::ok);
  EXPECT_EQ(results[0].measurement.seconds.size(), 4u);  // the other goes on
  EXPECT_EQ(results[1].status, Status::wrong);
  EXPECT_FALSE(results[1].time());
}

TEST_F(RunnerTest, CatchesInAnyPlacementWhatLeavesNumbersInItsOutputAlone) {
  Runner spread({.seed = 3, .stop = {.precision = 0, .min_samples = 32, .max_samples = 400, .placements = 8}});
  const Result r = spread
                       .run({add("skips_later",
                                 [](const Launch& l) {
                                   if (Fill::prepared < 3 || std::isnan(l.problem.args(l.set).out[0])) l.fill();
                                 })},
                            Mode::cold, {"fake"})
                       .at(0);
  EXPECT_EQ(r.status, Status::wrong);
  EXPECT_TRUE(r.note.starts_with("after timing: ")) << r.note;
}

TEST_F(RunnerTest, SendsHomeAfterNinePlacementsWhatIsPrecise) {
  Runner spread({.seed = 3, .stop = {.min_samples = 32, .max_samples = 400, .placements = 16}});
  const Cell moved =
      add("depends_on_addresses", [](const Launch& l) { l.fill(1e-3 * (1 + 0.01 * (Fill::prepared % 3))); });
  const auto results = spread.run({add("steady", right), moved}, Mode::cold, {"fake"});
  EXPECT_EQ(results[0].measurement.seconds.size(), 9u);
  EXPECT_EQ(results[0].measurement.stopped, "precision");
  EXPECT_EQ(results[1].measurement.seconds.size(), 16u);
  for (const Result& r : results) EXPECT_EQ(r.status, Status::ok) << r.note;
}

TEST_F(RunnerTest, SharesInputsBetweenBackendsOfOneDevice) {
  const Cell cells[] = {add("right", right), lab.add(fake::variant("other", "right")),
                        lab.add(fake::variant("far", "right"))};
  const auto results = runner.run({cells, cells + 3}, Mode::cold, {"fake", "other", "far"});
  EXPECT_EQ(Fill::prepared, 2);  // one for each device
  EXPECT_DOUBLE_EQ(results[0].other->value, 1);
  EXPECT_EQ(results[1].other_rung, "fake/fill/right");
  EXPECT_FALSE(results[2].other);  // alone on its device
}

TEST_F(RunnerTest, PreparesAProblemForEachVerificationAndKeepsNone) {
  Fill::alive = Fill::most_alive = 0;
  add("right", right);
  for (const std::int64_t offset : {0, 0, 3})
    EXPECT_EQ(runner.verify(lab.cell("fake/fill/right", Fill::point(4, offset))).label(), "ok");
  EXPECT_EQ(Fill::prepared, 3);
  EXPECT_EQ(Fill::most_alive, 1);  // two large ones are never alive at once
  EXPECT_EQ(Fill::alive, 0);
}

TEST_F(RunnerTest, MeasuresTheCeilingOnce) {
  EXPECT_NEAR(runner.measured_peak(*lab.device, "memory"), 1e9, 1);
  EXPECT_GT(lab.device->reads, 1);
  const Result r = run(add("right", right));
  const int reads = lab.device->reads;
  run(lab.cell("fake/fill/right"));
  EXPECT_NEAR(r.measured_peak, 1e9, 1);
  EXPECT_NEAR(*r.of_measured_peak(), 16e3 / 1e9, 1e-9);
  EXPECT_EQ(lab.device->reads, reads);
}

TEST_F(RunnerTest, TellsWhatTheLargestKernelTook) {
  const Result r = run(add("logs", [](const Launch& l) {
    l.fill();
    if (!l.log.on) return;
    l.log.kernels.push_back({.registers = 32, .blocks = 100, .threads = 256});
    l.log.kernels.push_back({.registers = 16, .blocks = 1, .threads = 1024});
  }));
  EXPECT_EQ(r.kernel.registers, 32);
}

Counters two_kernels(const std::vector<const Counter*>& wanted) {
  return {.counts = {{wanted.at(0), 7.0, {}}},
          .kernels = {{.name = "small", .use = {.registers = 16, .blocks = 1, .threads = 1024}, .limited_by = {}},
                      {.name = "large", .use = {.registers = 40, .blocks = 99, .threads = 256}, .limited_by = {}}},
          .why_not = {}};
}

TEST_F(RunnerTest, CountsWhatWasTimedAndNothingElse) {
  lab.device->counts = two_kernels;
  std::vector<Result> results = runner.run({add("right", right), add("wrong", wrong)}, Mode::cold, {"fake"});
  const int batches = lab.device->batches;
  runner.count(results, select_counters("memory"));
  EXPECT_EQ(lab.device->batches, batches);
  EXPECT_TRUE(lab.device->counted_cold);
  ASSERT_TRUE(results[0].counters);
  EXPECT_EQ(results[0].counters->counts.at(0).value, 7.0);
  EXPECT_EQ(results[0].kernel.registers, 40);  // which no launch had told
  EXPECT_FALSE(results[1].counters);
}

TEST_F(RunnerTest, SaysWhyItCouldNotCount) {
  std::vector<Result> results{run(add("right", right), Mode::hot)};
  runner.count(results, select_counters("memory"));
  EXPECT_EQ(results[0].counters.value().why_not, "nobody may count");
  EXPECT_TRUE(results[0].time());
  lab.device->counts = two_kernels;
  runner.count(results, select_counters("memory"));
  EXPECT_FALSE(lab.device->counted_cold);
}

TEST_F(RunnerTest, KeepsNoCountsOfAWrongResult) {
  int launched = 0;
  lab.device->counts = two_kernels;
  std::vector<Result> results{run(add("wrong_when_counted", [&](const Launch& l) {
    ++launched;
    l.fill();
    if (launched == -1) l.problem.args(l.set).out[2] += 1;
  }))};
  ASSERT_TRUE(results[0].time());
  launched = -2;
  runner.count(results, select_counters("memory"));
  EXPECT_NE(results[0].counters.value().why_not.find("wrong when counted"), std::string::npos);
  EXPECT_TRUE(results[0].counters->counts.empty());
}

TEST_F(RunnerTest, MeasuresErrorsOnGeneralNumbers) {
  const Cell exact = add("exact", right);
  const Cell rounded = add("rounded", [](const Launch& l) {
    l.fill();
    l.problem.args(l.set).out[1] *= 1 + 0x1p-20f;
  });
  std::vector<Result> results{fake::timed(exact, {1e-3}), fake::timed(rounded, {}), fake::timed(exact, {1e-3})};
  results[2].status = Status::wrong;
  Fill::general_refills = 0;
  runner.accuracy(results);
  ASSERT_TRUE(results[0].accuracy && results[1].accuracy);
  EXPECT_FALSE(results[2].accuracy);
  EXPECT_EQ(Fill::general_refills, 6);  // shared by rows; two draws: a launch has four outputs of the eight wanted
  for (const Distribution distribution : distributions) {
    const ErrorSummary* const none = results[0].accuracy->find(distribution);
    const ErrorSummary* const some = results[1].accuracy->find(distribution);
    ASSERT_TRUE(none && some);
    EXPECT_EQ(none->outputs, 8u);
    EXPECT_EQ(none->ulp_max, 0);
    EXPECT_EQ(none->relative_max, 0);
    EXPECT_EQ(some->ulp_median, 0);
    EXPECT_GT(some->ulp_max, 7);
    EXPECT_LT(some->ulp_max, 17);
    EXPECT_NEAR(some->relative_max, 0x1p-20, 0x1p-24);
  }
}

TEST_F(RunnerTest, MeasuresNoErrorsWhereNothingRounds) {
  std::vector<Result> results{fake::timed(add("right", right), {1e-3})};
  Fill::rounds = false;
  runner.accuracy(results);
  Fill::rounds = true;
  EXPECT_FALSE(results[0].accuracy);
}

TEST_F(RunnerTest, SaysWhyThereAreNoErrors) {
  const Cell cells[] = {add("throws", [](const Launch&) { throw Error("no such kernel"); }), add("right", right)};
  std::vector<Result> results;
  for (const Cell& cell : cells) results.push_back(fake::timed(cell, {1e-3}));
  runner.accuracy(results);
  EXPECT_EQ(results[0].accuracy.value().why_not, "no such kernel");
  EXPECT_TRUE(results[0].accuracy->on.empty());
  EXPECT_EQ(results[1].accuracy.value().on.size(), distributions.size());
}

TEST_F(RunnerTest, FindsAResultThatIsNeverWrittenInfinitelyFarOff) {
  std::vector<Result> results{fake::timed(add("idle", [](const Launch&) {}), {1e-3})};
  runner.accuracy(results);
  EXPECT_TRUE(std::isinf(results[0].accuracy.value().on.at(0).ulp_median));  // poison is not a number
}

/// Resets the expectations of counters at scope exit.
struct Expecting {
  explicit Expecting(std::vector<Expectation> expected) { Fill::expected = std::move(expected); }
  ~Expecting() { Fill::expected.clear(); }
};

TEST_F(RunnerTest, ProvesWhatIsExpectedOfCounters) {
  const Expecting expecting({{.counter = "l1_hit_rate", .least = 95}});
  auto results = runner.run({add("right", right)}, Mode::cold, {"fake"});
  EXPECT_EQ(results[0].label(), "ok");
  EXPECT_EQ(results[0].proof, "unproven: l1_hit_rate not read; add --counters");
  const auto count = [&](std::optional<double> value) {
    lab.device->counts = [value](const auto& wanted) {
      Counters counters;
      for (const Counter* counter : wanted) counters.counts.push_back({counter, value, {}});
      return counters;
    };
    runner.count(results, select_counters("memory"));
  };
  count({});
  EXPECT_EQ(results[0].proof, "unproven: l1_hit_rate not read");
  count(96);
  EXPECT_EQ(results[0].proof, "proven: l1_hit_rate 96");
  EXPECT_TRUE(results[0].time());
  count(20);
  EXPECT_EQ(results[0].label(), "implausible: l1_hit_rate is 20, not at least 95: it measured something else");
  EXPECT_FALSE(results[0].time());
}

TEST_F(RunnerTest, ProvesNothingWhereNothingIsExpected) { EXPECT_EQ(run(add("right", right)).proof, ""); }

TEST_F(RunnerTest, ObservesEachPlacementAndTakesTheMedian) {
  Fill::observed = [n = 0]() mutable { return std::vector<Observation>{{"cycles", "cycle", n++ == 0 ? 90.0 : 7.0}}; };
  const Result r = run(add("right", right));
  Fill::observed = [] { return std::vector<Observation>{}; };
  ASSERT_EQ(r.observed.size(), 1u);
  EXPECT_EQ(r.observed[0].name, "cycles");
  EXPECT_TRUE(r.observed[0].value == 7 || r.measurement.seconds.size() < 3) << r.observed[0].value;
  EXPECT_EQ(outcomes({r}).at(0).observed.at("cycles"), r.observed[0].value);
  EXPECT_TRUE(outcomes({Result{}}).empty());
}

TEST_F(RunnerTest, TakesTheTimeOfAStepFromLaunchesOfTwoLengths) {
  Fill::left_out = 100;
  const auto steps = [](const Launch& l) { l.fill(l.problem.args(l.set).is_shorter ? 2e-3 : 5e-3); };
  const Result r = run(add("steps", steps));
  const Result wrong = run(add("wrong", [&](const Launch& l) {
    steps(l);
    if (l.problem.args(l.set).is_shorter) l.problem.args(l.set).out[2] += 1;
  }));
  Fill::left_out = 0;
  EXPECT_EQ(r.label(), "ok");
  EXPECT_DOUBLE_EQ(*r.time(), 5e-3);
  EXPECT_NEAR(*r.step_time(), 3e-5, 1e-12);
  EXPECT_EQ(flatten(r.step_seconds()).size(), flatten(r.measurement.seconds).size());
  EXPECT_NEAR(outcomes({r}).at(0).observed.at(std::string(ns_per_step)), 3e4, 1e-3);
  EXPECT_EQ(wrong.status, Status::wrong);
  EXPECT_NE(wrong.note.find("when timed with fewer steps: "), std::string::npos) << wrong.note;
  EXPECT_FALSE(run(add("whole", right)).step_time());
}

TEST_F(RunnerTest, TellsOfUsefulBlocksWhereTheLaunchDoes) {
  const auto with_blocks = [&](const char* name, std::size_t useful) {
    return add(name, [useful](const Launch& l) {
      if (l.log.on) l.log.kernels = {{.registers = 8, .blocks = 100, .useful_blocks = useful, .threads = 32}};
      l.fill();
    });
  };
  auto results = runner.run({with_blocks("says", 7), with_blocks("silent", 0)}, Mode::cold, {"fake"});
  lab.device->counts = [](const auto& wanted) {
    Counters counters;
    for (const Counter* counter : wanted) counters.counts.push_back({counter, {}, "not the hardware's to tell"});
    return counters;
  };
  runner.count(results, select_counters("occupancy"));
  EXPECT_EQ((*results[0].counters)["useful_blocks"], 7.0);
  EXPECT_FALSE((*results[1].counters)["useful_blocks"]);
}

TEST_F(RunnerTest, KnowsCeilingsOfEarlierRuns) {
  Ceilings ceilings;
  ceilings.raise(lab.device->info(), "l1", 5e12);
  Runner informed({.ceilings = ceilings});
  EXPECT_EQ(informed.measured_peak(*lab.device, "l1"), 5e12);
  EXPECT_EQ(informed.measured_peak(*lab.device, "l2"), 0);
  EXPECT_EQ(runner.measured_peak(*lab.device, "l1"), 0);
}

/// The fake's caches read 1e9 bytes per second: with the margin of 4, 16 bytes take 4 ns or more.
class CacheCeilingTest : public RunnerTest {
 protected:
  /// Runs a cell that takes `seconds`, as in a new process.
  Result run_anew(double seconds) {
    const Cell cell = add("row" + std::to_string(cells_++), [=](const Launch& l) { l.fill(seconds); });
    lab.device->cache_reads = 0;
    Runner anew({.seed = 3, .stop = {.min_samples = 8, .max_samples = 40, .placements = 1}, .ceilings = ceilings()});
    return anew.run({cell}, Mode::cold, {"fake"}).at(0);
  }
  Ceilings ceilings() const { return Ceilings(file_); }
  double kept() const { return ceilings().rate(lab.device->info(), "cache"); }

  static constexpr double honest = 5e-9, too_fast = 3e-9;
  CacheCeilingTest()
      : folder_(testing::TempDir() + "crosswarp_ceilings_" + std::to_string(getpid())),
        file_(folder_ + "/crosswarp/ceilings.json") {}
  ~CacheCeilingTest() override { std::filesystem::remove_all(folder_); }

 private:
  std::string folder_, file_;
  int cells_ = 0;
};

TEST_F(CacheCeilingTest, IsMeasuredOnceAMachine) {
  EXPECT_EQ(run_anew(honest).label(), "ok");
  EXPECT_GT(lab.device->cache_reads, 0);
  EXPECT_DOUBLE_EQ(kept(), 1e9);
  EXPECT_EQ(run_anew(honest).label(), "ok");
  EXPECT_EQ(lab.device->cache_reads, 0);
}

TEST_F(CacheCeilingTest, IsOfTheUnitsInUse) {
  run_anew(honest);
  lab.device->facts().compute_units = 7;
  run_anew(honest);
  EXPECT_GT(lab.device->cache_reads, 0);
}

TEST_F(CacheCeilingTest, IsMeasuredAgainBeforeItCallsARowImplausible) {
  ceilings().raise(lab.device->info(), "cache", 1e6);  // by a busy machine
  EXPECT_EQ(run_anew(honest).label(), "ok");
  EXPECT_DOUBLE_EQ(kept(), 1e9);
  EXPECT_EQ(run_anew(too_fast).status, Status::implausible);
  EXPECT_GT(lab.device->cache_reads, 0);
}

TEST_F(CacheCeilingTest, KeepsTheLargerOfTwoMeasurements) {
  ceilings().raise(lab.device->info(), "cache", 2e9);
  EXPECT_EQ(run_anew(too_fast).label(), "ok");
  EXPECT_DOUBLE_EQ(kept(), 2e9);
  EXPECT_EQ(run_anew(too_fast / 2).status, Status::implausible);
  EXPECT_DOUBLE_EQ(kept(), 2e9);
}

TEST_F(RunnerTest, ShowsProfilersEachCellByItsId) {
  const Cell cell = add("right", right);
  run(cell);
  EXPECT_TRUE(lab.device->ranges.contains(cell.id()));
}

TEST_F(RunnerTest, ProfilesOneCellWithNothingHeldBack) {
  int launched = 0;
  const Cell cell = add("right", [&](const Launch& l) {
    ++launched;
    l.fill();
  });
  const Result r = runner.profile(cell, Mode::hot, 5);
  EXPECT_EQ(r.status, Status::ok);
  EXPECT_EQ(launched, 5);
  EXPECT_EQ(lab.device->gated, 0);
  EXPECT_EQ(lab.device->cold, 0);
  EXPECT_FALSE(r.time());
  EXPECT_EQ(runner.profile(add("wrong", wrong), Mode::cold, 5).status, Status::wrong);
}

/// Profilers that know kernels by their times take those between the begin and the end of a range.
TEST_F(RunnerTest, ShowsProfilersRangesThatHoldTheirLaunchesWhole) {
  const Cell cell = add("counted", [&](const Launch& l) {
    lab.device->events += 'L';
    l.fill();
  });
  lab.device->events.clear();
  ASSERT_EQ(runner.profile(cell, Mode::cold, 2).status, Status::ok);
  EXPECT_TRUE(lab.device->events.starts_with("s(Ls)s(Ls)")) << lab.device->events;
  EXPECT_EQ(lab.device->ranges, std::set<std::string>{cell.id()});
}

TEST_F(RunnerTest, TellsTheDeviceHowToLaunchACellInAnotherProcess) {
  lab.device->counts = two_kernels;
  Position position;
  std::vector<std::string> asked;
  Runner counting{{.seed = 3,
                   .stop = {.max_samples = 8, .placements = 1},
                   .position = &position,
                   .profile_command = [&](const Cell& cell, Mode mode) {
                     asked = {"bench", cell.id(), cell.tuning->name(), to_string(mode)};
                     return asked;
                   }}};
  VariantEntry v = fake::variant("fake", "tuned", right);
  v.tunings = {{{{"block", 64}}}, {{{"block", 128}}}};
  v.tuned_by_table = true;
  const Cell cell = lab.add(std::move(v), Fill::point(4));
  std::vector<Result> results = counting.run({cell}, Mode::hot, {"fake"});
  results[0].tuned_by_table = "block128";
  counting.count(results, select_counters("memory"));
  EXPECT_EQ(lab.device->counted_by.command, asked);
  EXPECT_EQ(asked,
            (std::vector<std::string>{"bench", cell.id().insert(cell.rung().size(), "@block128"), "block128", "hot"}));
  EXPECT_EQ(lab.device->counted_by.range, asked[1]);
  const std::uint64_t before = position.steps;
  lab.device->counted_by.sign_of_life();
  EXPECT_EQ(position.steps, before + 1);
  EXPECT_EQ(position.cell, 0u);
}

TEST_F(RunnerTest, KeepsNoTimesWhereTheySayNothing) {
  Runner watched{{.seed = 3, .stop = {.max_samples = 8, .placements = 1}, .why_untimed = "under a profiler"}};
  const std::vector<Result> results = watched.run({add("right", right), add("wrong", wrong)}, Mode::cold, {"fake"});
  EXPECT_EQ(results[0].label(), "skipped: under a profiler");
  EXPECT_FALSE(results[0].time());
  EXPECT_EQ(results[1].status, Status::wrong);
  EXPECT_EQ(watched.measured_bandwidth(*lab.device), 0);
}

TEST_F(RunnerTest, FlushesExceptWhenHot) {
  run(add("right", right), Mode::hot);
  EXPECT_EQ(lab.device->cold, 0);
  lab.device->batches = 0;
  for (const Mode mode : {Mode::cold, Mode::single}) run(lab.cell("fake/fill/right"), mode);
  EXPECT_EQ(lab.device->cold, lab.device->batches);
}

TEST_F(RunnerTest, OpensTheGateForResultsOnTheHost) {
  VariantEntry v = fake::variant("fake", "host_result");
  v.result = ResultIn::host;
  const Result r = run(lab.add(v));
  EXPECT_EQ(r.status, Status::ok);
  EXPECT_NE(r.note.find("synchronisation"), std::string::npos);
  EXPECT_EQ(Fill::looked_in, ResultIn::host);
  // What waits for the device cannot be held back; the floor beside it can.
  EXPECT_EQ(lab.device->batches - lab.device->gated, 11);  // verified twice, eight samples, verified again
  EXPECT_GE(lab.device->gated, 8);
}

TEST_F(RunnerTest, StopsByItsCellsNotByTheFloor) {
  // An empty launch is short and restless: by itself it would go on to the most samples.
  lab.device->empty_time = [n = 0]() mutable { return n++ / 20 % 2 ? 1e-6 : 2e-6; };
  const Result r = run(add("right", right));
  EXPECT_EQ(r.measurement.stopped, "precision");
  EXPECT_EQ(flatten(r.measurement.seconds).size(), 8u);
}

TEST_F(RunnerTest, FailsEverythingAfterADeviceIsLost) {
  EXPECT_FALSE(runner.lost_device());
  const Cell faults = add("faults", [this](const Launch&) {
    lab.device->is_lost = true;
    throw Error("an illegal address was accessed");
  });
  EXPECT_EQ(run(faults).label(), "failed: an illegal address was accessed");
  EXPECT_TRUE(runner.lost_device());
  EXPECT_EQ(run(add("right", right)).label(), "failed: the device was lost to an earlier fault");
}

TEST_F(RunnerTest, DoesNotLaunchOnAProblemThatWentWithItsDevice) {
  Fill::alive = 0;
  bool dangled = false;
  add("right", [&](const Launch& l) {
    dangled = dangled || Fill::alive == 0;
    if (l.device.is_lost) throw Error("lost");
    l.fill();
  });
  add("faults", [](const Launch& l) {
    l.device.is_lost = true;
    throw Error("an illegal address was accessed");
  });
  const auto results = runner.run({lab.cell("fake/fill/right"), lab.cell("fake/fill/faults")}, Mode::cold, {"fake"});
  EXPECT_FALSE(dangled);
  for (const Result& r : results) EXPECT_EQ(r.status, Status::failed) << r.label();
}

TEST_F(RunnerTest, SaysOfCellsAfterAFaultThatTheDeviceWasLostBefore) {
  add("faults", [](const Launch& l) {
    l.device.is_lost = true;
    throw Error("an illegal address was accessed");
  });
  add("right", right);
  const auto results = runner.run({lab.cell("fake/fill/faults"), lab.cell("fake/fill/right")}, Mode::cold, {"fake"});
  EXPECT_EQ(results[0].label(), "failed: an illegal address was accessed");
  EXPECT_EQ(results[1].label(), "failed: the device was lost to an earlier fault");
}

TEST_F(RunnerTest, StaysAtTheCellThatLostTheDevice) {
  Position position;
  RunOptions options;
  options.position = &position;
  Runner watched(options);
  std::vector<std::uint64_t> places;
  add("after", [&](const Launch& l) {
    places.push_back(position.cell);
    l.fill();
  });
  add("before", [&](const Launch& l) {
    places.push_back(position.cell);
    l.fill();
  });
  add("faults", [&](const Launch& l) {
    l.device.is_lost = true;
    throw Error("an illegal address was accessed");
  });
  const std::vector<Cell> cells{lab.cell("fake/fill/before"), lab.cell("fake/fill/faults"),
                                lab.cell("fake/fill/after")};
  const auto results = watched.run(cells, Mode::cold, {"fake"});
  EXPECT_EQ(position.cell, 1u);
  EXPECT_GT(position.steps, 1u);
  EXPECT_EQ(std::count(places.begin(), places.end(), 2u), 0) << "nothing is launched on a lost device";
  EXPECT_EQ(std::count(places.begin(), places.end(), 0u), static_cast<std::ptrdiff_t>(places.size()));
  EXPECT_EQ(results[1].label(), "failed: an illegal address was accessed");
  EXPECT_EQ(results[0].label(), "failed: the device was lost to an earlier fault");
  EXPECT_EQ(results[2].label(), "failed: the device was lost to an earlier fault");
}

}  // namespace
}  // namespace crosswarp
