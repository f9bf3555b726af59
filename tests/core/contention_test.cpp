// Contention: readings that are made up, and threads that compete for the processors.
#include "core/contention.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <atomic>
#include <sstream>
#include <thread>
#include <vector>

namespace crosswarp {
namespace {

constexpr const char* stat =
    "cpu  300 30 0 900 60 0 0 10 0 0\n"
    "cpu0 100 10 0 300 20 0 0 0 7 0\n"
    "cpu1 200 20 0 600 40 0 0 10 0 0\n"
    "intr 12 0 0\n";

std::optional<ProcessorTimes> read(const std::string& text, std::size_t from, std::size_t to) {
  std::istringstream file(text);
  return processor_times(file, [&](std::size_t i) { return from <= i && i < to; });
}

TEST(ProcessorTimes, AreOfTheProcessorsThatCount) {
  const double ticks = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(read(stat, 0, 1)->busy, 110 * ticks);
  EXPECT_DOUBLE_EQ(read(stat, 0, 1)->all, 430 * ticks);
  EXPECT_DOUBLE_EQ(read(stat, 0, 2)->busy, 340 * ticks);  // with stolen ones
  EXPECT_DOUBLE_EQ(read(stat, 0, 2)->all, 1300 * ticks);
}

TEST(ProcessorTimes, AreUnknownWhereTheFileDoesNotTell) {
  EXPECT_FALSE(read(stat, 2, 9));
  EXPECT_FALSE(read("", 0, 9));
  EXPECT_FALSE(read("cpu0 1 2\ncpux 1 2 3 4 5 6 7 8\n", 0, 9));
}

TEST(UsedByOthers, IsWhatThisProcessDidNotUse) {
  const ProcessorTimes before{10, 100}, after{25, 120};  // 15 of 20 seconds
  EXPECT_DOUBLE_EQ(used_by_others(before, after, 5), 0.5);
  EXPECT_EQ(used_by_others(before, after, 15), 0);
  EXPECT_EQ(used_by_others(before, after, 16), 0);  // ticks are coarse
  EXPECT_EQ(used_by_others(before, before, 0), 0);
}

TEST(OtherProcesses, UseAShare) {
  OtherProcesses others;
  if (const auto share = others.share()) {
    EXPECT_GE(*share, 0);
    EXPECT_LE(*share, 1);
  }
}

TEST(ThreadClock, SeesThreadsThatWaitForAProcessor) {
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([&] {
      while (!over) {
      }
    });
  ThreadClock clock;
  clock.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto times = clock.stop();
  over = true;
  for (std::thread& thread : threads) thread.join();
  if (!times) GTEST_SKIP() << "the kernel does not tell";
  EXPECT_GT(times->ran, 0);
  EXPECT_GT(times->waited_share(), 0.4) << "ran " << times->ran << " s, waited " << times->waited << " s";
}

TEST(ThreadTimes, AddUp) {
  ThreadTimes sum{1, 2};
  sum += {3, 1};
  EXPECT_DOUBLE_EQ(sum.waited_share(), 3.0 / 7);
  EXPECT_DOUBLE_EQ((sum - ThreadTimes{1, 2}).waited_share(), 0.25);
  EXPECT_EQ(ThreadTimes{}.waited_share(), 0);
}

}  // namespace
}  // namespace crosswarp
