// Formatting of numbers, especially rounding across a prefix.
#include "core/format.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace crosswarp {
namespace {

TEST(Si, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(si(4.13e-6, "s"), "4.13 µs");
  EXPECT_EQ(si(1.02e12, "B/s"), "1.02 TB/s");
  EXPECT_EQ(si(41.3e-6, "s"), "41.3 µs");
  EXPECT_EQ(si(413e-6, "s"), "413 µs");
  EXPECT_EQ(si(1, "s"), "1.00 s");
  EXPECT_EQ(si(0, "s"), "0 s");
  EXPECT_EQ(si(-2500, "m"), "-2.50 km");
}

TEST(Si, TakesTheNextPrefixWhereRoundingReachesIt) {
  EXPECT_EQ(si(999.4e-6, "s"), "999 µs");
  EXPECT_EQ(si(999.6e-6, "s"), "1.00 ms");
  EXPECT_EQ(si(9.996, "s"), "10.0 s");
  EXPECT_EQ(si(99.96, "s"), "100 s");
}

TEST(Si, IsExactAtEveryPowerOfAThousand) {
  const char* const expected[] = {"1.00 ps", "1.00 ns", "1.00 µs", "1.00 ms", "1.00 s",
                                  "1.00 ks", "1.00 Ms", "1.00 Gs", "1.00 Ts"};
  const double values[] = {1e-12, 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e12};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(si(values[i], "s"), expected[i]);
}

TEST(Si, StaysReadableBeyondThePrefixes) {
  EXPECT_EQ(si(1e15, "B"), "1000 TB");
  EXPECT_EQ(si(2e-13, "s"), "0.20 ps");
}

TEST(Si, IsADashForNothing) {
  EXPECT_EQ(si({}, "s"), "-");
  EXPECT_EQ(si(std::nan(""), "s"), "-");
  EXPECT_EQ(si(HUGE_VAL, "B/s"), "-");
}

TEST(Percent, HasOneDecimal) {
  EXPECT_EQ(percent(0.973), "97.3 %");
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(1.25), "125.0 %");
  EXPECT_EQ(percent({}), "-");
  EXPECT_EQ(percent(std::nan("")), "-");
}

TEST(BinaryBytes, TakesMultiplesOf1024) {
  EXPECT_EQ(binary_bytes(0), "0 B");
  EXPECT_EQ(binary_bytes(1023), "1023 B");
  EXPECT_EQ(binary_bytes(1024), "1 KiB");
  EXPECT_EQ(binary_bytes(60 << 20), "60 MiB");
  EXPECT_EQ(binary_bytes(139.8 * (1 << 30)), "139.8 GiB");
  EXPECT_EQ(binary_bytes(std::ldexp(1, 50)), "1024 TiB");
}

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", "cuda/float4", "4 µs × 2 … € 𝛼", "a | b < c"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, HasNoCommandsForATerminal) {
  EXPECT_EQ(printable("a\033[2J\007b\r\n\tc\177"), "a [2J b   c ");
  EXPECT_EQ(printable("a\u009b2Jb"), "a 2Jb");  // C1, as UTF-8
  EXPECT_EQ(printable("a\x9b"
                      "2Jb"),
            "a\ufffd2Jb");  // and as a byte
  EXPECT_EQ(printable("\u202egnp.exe"), "\ufffdgnp.exe");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a b");
}

TEST(Printable, IsUtf8WhateverCame) {
  for (const char* broken : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"})
    EXPECT_TRUE(printable(broken).starts_with("\ufffd")) << broken;
}

TEST(Markdown, TakesCellsForText) {
  EXPECT_EQ(markdown_cell("a | b\n<script>"), "a \\| b \\<script>");
  EXPECT_EQ(markdown_cell("![x](http://y)"), "![x]\\(http://y)");
  EXPECT_EQ(markdown_cell("1.03 [1.02, 1.04]"), "1.03 [1.02, 1.04]");
  EXPECT_EQ(markdown_code("a`|b"), "`a'\\|b`");
}

TEST(Columns, CountsCodePoints) {
  EXPECT_EQ(columns(""), 0u);
  EXPECT_EQ(columns("4 µs"), 4u);
  EXPECT_EQ(columns("× …"), 3u);
}

TEST(Times, KeepsTwoDigitsOfSmallRatios) {
  EXPECT_EQ(times(1.0449), "1.04");
  EXPECT_EQ(times(0.1), "0.10");
  EXPECT_EQ(times(0.000523), "0.00052");
  EXPECT_EQ(times(0), "0.00");
  EXPECT_EQ(times(99.99), "99.99");
  EXPECT_EQ(times(99.996), "100");
  EXPECT_EQ(times(999.6), "1,000");
  EXPECT_EQ(times(910192.21), "910,192");
  EXPECT_EQ(times(1234567.8), "1,234,568");
  EXPECT_EQ(times(HUGE_VAL), "inf");
}

}  // namespace
}  // namespace crosswarp
