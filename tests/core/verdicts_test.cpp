// The fastest handwritten variant against its first rung, the library and other backends; one way for all ratios.
#include "core/verdicts.hpp"

#include <gtest/gtest.h>

#include <list>

#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

using fake::Fill;

class Verdicts : public testing::Test {
 protected:
  Verdicts() {
    for (const char* backend : {"kokkos", "host", "hip", "cuda"})
      lab.registry.add(std::make_unique<fake::FakeBackend>(backend, lab.device));
  }
  /// A row that takes so many microseconds.
  Result& row(const std::string& backend, const std::string& name, double microseconds,
              const std::string& improves = {}, std::int64_t n = 4) {
    VariantEntry v = fake::variant(backend, name);
    v.improves = improves;
    v.library = name == "cub";
    const bool known = lab.registry.variants().contains(v.id());
    const Cell cell = known ? lab.cell(v.id(), Fill::point(n)) : lab.add(v, Fill::point(n));
    rows.push_back(fake::timed(cell, std::vector<double>(16, 1e-6 * microseconds)));
    return rows.back();
  }
  Result& without_time(const std::string& backend, const std::string& name, Status status,
                       const std::string& improves = {}) {
    Result& r = row(backend, name, 1, improves);
    r.status = status;
    r.measurement.seconds.clear();
    return r;
  }
  std::vector<ExperimentVerdict> all() const {
    std::vector<const Result*> pointers;
    for (const Result& r : rows) pointers.push_back(&r);
    return verdicts(pointers);
  }

  fake::Lab lab;
  std::list<Result> rows;
};

TEST_F(Verdicts, AboveOneTheHandwrittenVariantIsFaster) {
  row("kokkos", "range", 10);
  row("kokkos", "team", 6);
  row("cuda", "cub", 1);
  row("cuda", "naive", 8);
  row("cuda", "better", 2, "naive");
  const auto found = all();
  ASSERT_EQ(found.size(), 1u);
  const ExperimentVerdict& v = found[0];
  EXPECT_EQ(v.experiment, "fill");
  EXPECT_EQ(v.mode, "cold");
  EXPECT_EQ(v.device, "Fake 1");
  ASSERT_TRUE(v.best && v.naive && v.library);
  EXPECT_EQ(v.best->cell.rung(), "cuda/fill/better");
  EXPECT_DOUBLE_EQ(v.naive->ratio.value, 4);
  EXPECT_DOUBLE_EQ(v.library->ratio.value, 0.5);
  ASSERT_TRUE(v.other("kokkos"));
  EXPECT_EQ(v.other("kokkos")->result->cell.rung(), "kokkos/fill/team");
  EXPECT_DOUBLE_EQ(v.other("kokkos")->ratio.value, 3);
  EXPECT_FALSE(v.other("hip"));
}

TEST_F(Verdicts, TakeCudaThenHipThenTheHostForTheReference) {
  row("kokkos", "range", 1);
  EXPECT_EQ(all()[0].best->cell.rung(), "kokkos/fill/range");
  row("host", "reference", 2);
  EXPECT_EQ(all()[0].best->cell.rung(), "host/fill/reference");
  row("hip", "naive", 3);
  EXPECT_EQ(all()[0].best->cell.rung(), "hip/fill/naive");
  row("cuda", "naive", 4);
  const auto found = all();
  EXPECT_EQ(found[0].best->cell.rung(), "cuda/fill/naive");
  std::vector<std::string> others;
  for (const Rival& r : found[0].others) others.push_back(r.result->cell.variant->backend);
  EXPECT_EQ(others, (std::vector<std::string>{"hip", "host", "kokkos"}));
}

TEST_F(Verdicts, HaveTheLadderOfTheBestVariant) {
  row("cuda", "naive", 8);
  without_time("cuda", "skipped", Status::skipped, "naive");
  row("cuda", "aside", 3, "naive");
  row("cuda", "third", 4, "skipped");
  row("cuda", "best", 2, "third");
  const auto found = all();
  const std::vector<Step>& ladder = found[0].ladder;
  ASSERT_EQ(ladder.size(), 3u);
  EXPECT_EQ(ladder[0].result->cell.variant->name, "naive");
  EXPECT_FALSE(ladder[0].over_parent);
  EXPECT_EQ(ladder[1].result->cell.variant->name, "third");
  EXPECT_DOUBLE_EQ(ladder[1].over_parent->value, 2);  // over the next rung below that has a time
  EXPECT_DOUBLE_EQ(ladder[2].over_parent->value, 2);
}

TEST_F(Verdicts, EndWhereImprovementsMakeARing) {
  row("cuda", "egg", 2, "hen");
  row("cuda", "hen", 1, "egg");
  EXPECT_EQ(all()[0].ladder.size(), 2u);
}

TEST_F(Verdicts, TellWhatHasNoTime) {
  without_time("cuda", "a", Status::skipped);
  EXPECT_FALSE(all()[0].is_unsound());
  without_time("cuda", "b", Status::wrong);
  without_time("cuda", "c", Status::wrong);
  const auto found = all();
  EXPECT_TRUE(found[0].is_unsound());
  EXPECT_FALSE(found[0].best || found[0].naive || found[0].library);
  EXPECT_TRUE(found[0].ladder.empty() && found[0].others.empty());
  EXPECT_EQ(found[0].not_ok, (std::map<Status, std::size_t>{{Status::wrong, 2}, {Status::skipped, 1}}));
}

TEST_F(Verdicts, ArePairedWithinARunOnly) {
  row("kokkos", "range", 1).measurement.seconds = {{1, 2, 9}};
  row("cuda", "naive", 1).measurement.seconds = {{1, 1, 3}};
  const std::vector<const Result*> pointers{&rows.front(), &rows.back()};
  EXPECT_DOUBLE_EQ(verdicts(pointers)[0].others[0].ratio.value, 2);
  const auto apart = verdicts(pointers, [](const Result&, const Result&) { return false; });
  rows.back().measurement.seconds = {{1, 3, 3}};  // medians 2 and 3
  EXPECT_NEAR(verdicts(pointers, [](const Result&, const Result&) { return false; })[0].others[0].ratio.value, 2. / 3,
              1e-12);
}

TEST_F(Verdicts, KeepModesAndPointsApart) {
  row("cuda", "naive", 1);
  row("cuda", "naive", 2, {}, 16);
  row("cuda", "naive", 3).launch_by = LaunchBy::graph;
  const auto found = all();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].mode, "cold/graph");
}

TEST_F(Verdicts, HaveAHeadline) {
  row("cuda", "naive", 1);
  row("kokkos", "range", 1);
  row("cuda", "naive", 2, {}, 16);
  row("kokkos", "range", 2, {}, 16);
  row("cuda", "naive", 3, {}, 64);
  const auto found = all();
  std::vector<const ExperimentVerdict*> pointers;
  for (const ExperimentVerdict& v : found) pointers.push_back(&v);
  EXPECT_EQ(headline(pointers), &found[1]);
  EXPECT_EQ(headline({}), nullptr);
  EXPECT_EQ(headline(pointers, {Fill::point(4), Fill::point(64), Fill::point(99)}), &found[2]);  // the last that it has
  EXPECT_EQ(headline(pointers, {Fill::point(99)}), &found[1]);
}

}  // namespace
}  // namespace crosswarp
