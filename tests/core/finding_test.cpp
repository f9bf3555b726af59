// Findings: records of numbers that become sentences where they are printed.
#include "core/finding.hpp"

#include <gtest/gtest.h>

#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

const Finding level{"latency_level",
                    "{rung}: level {level} takes {cycles:.1f} cycles ({time}), from {first} on",
                    {{"rung", "cuda/memory_latency/chase"},
                     {"level", 2},
                     {"cycles", 280.81},
                     {"time", 142.0e-9, "s"},
                     {"first", 3.0 * (1 << 20), "B"}}};

TEST(Finding, IsASentenceWithItsNumbers) {
  EXPECT_EQ(to_string(level), "cuda/memory_latency/chase: level 2 takes 280.8 cycles (142 ns), from 3 MiB on");
}

TEST(Finding, ShowsNumbersByTheirUnits) {
  const auto shown = [](double number, const char* unit) { return to_string({"", "{x}", {{"x", number, unit}}}); };
  EXPECT_EQ(shown(4.5e12, "B/s"), "4.50 TB/s");
  EXPECT_EQ(shown(0.512, "%"), "51.2 %");
  EXPECT_EQ(shown(1.046, "×"), "1.05 ×");
  EXPECT_EQ(shown(32.25, "cycles"), "32.25 cycles");
  EXPECT_EQ(shown(7, ""), "7");
}

TEST(Finding, JoinsASeries) {
  const Finding curve{"curve",
                      "by stride: {series}",
                      {},
                      "{stride}: {cycles:.2f}",
                      {{{"stride", 1}, {"cycles", 1.02}}, {{"stride", 2}, {"cycles", 2}}}};
  EXPECT_EQ(to_string(curve), "by stride: 1: 1.02, 2: 2.00");
}

TEST(Finding, GivesItsNumbersToPrograms) {
  EXPECT_EQ(level.number("cycles"), 280.81);
  EXPECT_EQ(level.word("rung"), "cuda/memory_latency/chase");
  EXPECT_FALSE(level.number("rung"));
  EXPECT_FALSE(level.number("last"));
  EXPECT_EQ(level.word("cycles"), "");
}

TEST(Finding, TakesNamesAsTheyAre) { EXPECT_EQ(to_string(sentence("{braces} stay")), "{braces} stay"); }

TEST(Finding, RefusesATextThatDoesNotFit) {
  EXPECT_TRUE(refuses([] { to_string({"", "{none}", {}}); }, "'none'"));
  EXPECT_TRUE(refuses([] { to_string({"", "{open", {}}); }, "closing brace"));
  EXPECT_TRUE(refuses([] { to_string({"", "{x:.999999999f}", {{"x", 1.0}}}); }, ".999999999f"));
  EXPECT_TRUE(refuses([] { to_string({"", "{x:s}", {{"x", 1.0}}}); }, "'s'"));
}

}  // namespace
}  // namespace crosswarp
