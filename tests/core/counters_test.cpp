// The table of counters, selection of groups, and formatting of values.
#include "core/counters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

TEST(CounterTable, NamesEachCounterOnce) {
  std::set<std::string_view> names, metrics;
  for (const Counter& c : all_counters()) {
    EXPECT_TRUE(names.insert(c.name).second) << c.name;
    EXPECT_TRUE(c.metric.empty() || metrics.insert(c.metric).second) << c.metric;
    EXPECT_FALSE(c.unit.empty() || c.group.empty() || c.meaning.empty()) << c.name;
    EXPECT_EQ(c.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), c.name.npos) << c.name;
  }
}

TEST(CounterTable, KeepsGroupsTogether) {
  const auto groups = counter_groups();
  EXPECT_EQ(std::set<std::string>(groups.begin(), groups.end()).size(), groups.size());
}

TEST(OverKernels, AddsOrTakesTheMeanByTime) {
  const std::vector<double> values{10, 40}, times{3, 1};
  EXPECT_DOUBLE_EQ(over_kernels(values, times, true), 50);
  EXPECT_DOUBLE_EQ(over_kernels(values, times, false), 17.5);
  const double none = std::nan("");
  EXPECT_DOUBLE_EQ(over_kernels(std::vector{none, 40.0}, times, false), 40)
      << "a kernel without the value has no weight";
  EXPECT_TRUE(std::isnan(over_kernels(std::vector{none, none}, times, true)));
  EXPECT_TRUE(std::isnan(over_kernels({}, {}, true)));
}

TEST(SelectCounters, TakesGroupsInTheOrderOfTheTable) {
  EXPECT_EQ(select_counters("all").size(), all_counters().size());
  const auto some = select_counters("stalls,memory");
  EXPECT_EQ(some.front()->group, "memory");
  EXPECT_EQ(some.back()->group, "stalls");
  EXPECT_EQ(some.size(), select_counters("memory").size() + select_counters("stalls").size());
}

TEST(SelectCounters, RefusesWhatIsNoGroup) {
  EXPECT_TRUE(refuses([] { select_counters("memory,stals"); }, "did you mean 'stalls'"));
  EXPECT_TRUE(refuses([] { select_counters("memory,"); }, "unknown"));
}

TEST(ShowCounter, PutsOnItsUnit) {
  const auto counter = [](std::string_view unit) { return Counter{"c", unit, "g", "m", ""}; };
  EXPECT_EQ(show(counter("%"), 12.345), "12.3 %");
  EXPECT_EQ(show(counter("ns"), 63500), "63.5 µs");
  EXPECT_EQ(show(counter("B"), 2.5e9), "2.50 GB");
  EXPECT_EQ(show(counter("inst"), 7.97), "7.97");
  EXPECT_EQ(show(counter("inst"), 1234567), "1.23 M");
  EXPECT_EQ(show(counter("inst"), {}), "-");
}

TEST(CountersValue, IsNothingWhereItWasNotCounted) {
  const Counters counters{
      .counts = {{&all_counters()[0], 5.0, {}}, {&all_counters()[1], {}, "why"}}, .kernels = {}, .why_not = {}};
  EXPECT_EQ(counters[all_counters()[0].name], 5.0);
  EXPECT_FALSE(counters[all_counters()[1].name]);
  EXPECT_FALSE(counters[all_counters()[2].name]);
}

}  // namespace
}  // namespace crosswarp
