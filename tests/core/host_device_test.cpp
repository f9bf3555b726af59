// The host device: memory, order of launches, time.
#include "core/host_device.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/core/refuses.hpp"

extern "C" int omp_get_max_threads();  // tests are compiled without OpenMP's header

namespace crosswarp {
namespace {

Device& host() { return *open_host_device(); }

TEST(DeviceInfo, TellsAUnitsPeakPerCycle) {
  DeviceInfo device;
  device.peaks["f32"] = 3e12;
  EXPECT_EQ(device.peak_per_cycle("f32", 7), 7) << "units and clock are unknown";
  device.compute_units = 10;
  EXPECT_EQ(device.peak_per_cycle("f32", 7), 7) << "the clock is unknown";
  device.clock = 1.5e9;
  EXPECT_DOUBLE_EQ(device.peak_per_cycle("f32", 7), 200);
  EXPECT_EQ(device.peak_per_cycle("f64", 7), 7) << "this peak is unknown";
}

TEST(HostDevice, IsOne) {
  EXPECT_EQ(open_host_device(), open_host_device());
  EXPECT_EQ(host().info().key, "host");
  EXPECT_EQ(host().info().name, host_device_info().name);
}

TEST(HostDevice, KnowsItself) {
  const DeviceInfo info = host_device_info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.architecture.empty());
  EXPECT_GT(info.memory, std::size_t{1} << 28);
  EXPECT_GT(info.compute_units, 0);
  EXPECT_TRUE(info.versions.contains("compiler"));
  EXPECT_FALSE(host().lost());
}

TEST(HostDevice, TakesTheSizeOfItsCacheFromTheEnvironment) {
  const char* const before = std::getenv("CROSSWARP_HOST_CACHE");
  const std::string kept = before ? before : "";
  setenv("CROSSWARP_HOST_CACHE", "1048576", 1);
  EXPECT_EQ(host_device_info().cache, std::size_t{1} << 20);
  EXPECT_EQ(host_device_info().versions.at("cache_as_told"), "1048576") << "results say so";
  for (const char* const wrong : {"", "1M", "-1", "1", "1048575", "9223372036854775808", "99999999999999999999"}) {
    setenv("CROSSWARP_HOST_CACHE", wrong, 1);
    EXPECT_TRUE(refuses([] { host_device_info(); }, "set it to a number of bytes")) << wrong;
  }
  before ? setenv("CROSSWARP_HOST_CACHE", kept.c_str(), 1) : unsetenv("CROSSWARP_HOST_CACHE");
}

TEST(HostDevice, AllocatesAlignedMemoryOfEverySize) {
  for (const std::size_t bytes : {0, 1, 255, 257, 100'000}) {
    void* const memory = host().allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u) << bytes;
    host().fill(memory, 7, bytes);
    host().release(memory);
  }
}

TEST(HostDevice, RefusesMoreMemoryThanThereIs) {
  EXPECT_GT(host().free_memory(), 0u);
  EXPECT_LE(host().free_memory(), host().info().memory);
  for (const std::size_t bytes : {host().info().memory + 1, ~std::size_t{0}})
    EXPECT_TRUE(refuses([&] { host().allocate(bytes); }, "MiB of host memory are not available"));
}

TEST(HostDevice, GeneratesTheLattice) {
  const Lattice elements{RandomStream(3, 1), 11};
  std::vector<float> generated(10'001);
  host().generate(generated, elements);
  for (std::size_t i = 0; i < generated.size(); ++i) ASSERT_EQ(generated[i], elements(i)) << i;
}

TEST(HostDevice, TimesLaunchesWithTheThreadsThatWereChosen) {
  const auto threads_of_a_launch = [] {
    int threads = 0;
    const std::function<void(std::size_t)> launch = [&](std::size_t) { threads = omp_get_max_threads(); };
    host().time({.launch = launch, .count = 2});
    return threads;
  };
  const int all = host_device_info().compute_units;
  EXPECT_EQ(launch_threads(), all);
  set_launch_threads(1);
  EXPECT_EQ(launch_threads(), 1);
  EXPECT_EQ(threads_of_a_launch(), 1);
  EXPECT_EQ(host_device_info().compute_units, all) << "outside of launches";
  set_launch_threads(all + 1);
  EXPECT_EQ(launch_threads(), all);
  set_launch_threads(0);
  EXPECT_EQ(launch_threads(), all);
  EXPECT_EQ(threads_of_a_launch(), all);
}

TEST(HostDevice, RunsEveryLaunchOfABatchInOrder) {
  for (const bool cold : {false, true}) {
    std::vector<std::size_t> ran;
    const std::function<void(std::size_t)> launch = [&](std::size_t i) { ran.push_back(i); };
    EXPECT_GE(host().time({.launch = launch, .count = 5, .cold = cold}), 0);
    EXPECT_EQ(ran, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  }
}

TEST(HostDevice, TimesTheLaunchesAndNotTheFlush) {
  const std::function<void(std::size_t)> sleep = [](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  EXPECT_GE(host().time({.launch = sleep, .count = 3, .cold = false}), 0.006);
  const std::function<void(std::size_t)> nothing = [](std::size_t) {};
  const std::vector<std::byte> cache(host().info().cache);
  double least = 1, least_to_read = 1;  // of several: this machine may be busy
  for (int i = 0; i < 5; ++i) {
    least = std::min(least, host().time({.launch = nothing, .count = 1, .cold = true}));
    least_to_read = std::min(least_to_read, host().time_read(cache));
  }
  EXPECT_LT(least, least_to_read / 2);
}

TEST(HostDevice, ThrowsWhatALaunchThrows) {
  const std::function<void(std::size_t)> launch = [](std::size_t i) {
    if (i == 1) throw Error("launch 1");
  };
  EXPECT_TRUE(refuses([&] { host().time({.launch = launch, .count = 2}); }, "launch 1"));
}

TEST(HostDevice, TimesReadsAndEmptyLaunches) {
  const std::vector<float> set(1 << 20, 1.0f);
  EXPECT_GT(host().time_read(std::as_bytes(std::span(set))), 0);
  EXPECT_NO_THROW(host().launch_empty());
  EXPECT_NO_THROW(host().synchronize());
}

}  // namespace
}  // namespace crosswarp
