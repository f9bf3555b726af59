// One test per cell of every linked backend: poison the outputs, launch, check against the oracle. Knows no backend and
// no experiment by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "core/runner.hpp"

namespace crosswarp {
namespace {

constexpr std::uint64_t sets = 2;  // distinct inputs, which expose stale results

/// Max bytes of a point on an emulated device, a thousand times slower: 2^16 floats with their surroundings fit.
#ifndef CROSSWARP_MOST_EMULATED
#define CROSSWARP_MOST_EMULATED crosswarp::most_emulated_bytes
#endif
constexpr std::size_t most_emulated = CROSSWARP_MOST_EMULATED;

/// Of each variant one cell in this many is a test, one at least; more than 1 for emulations only.
#ifndef CROSSWARP_ONE_CELL_OF
#define CROSSWARP_ONE_CELL_OF 1
#endif
constexpr std::size_t one_cell_of = CROSSWARP_ONE_CELL_OF;

/// Random points of each experiment; every variant takes all of them.
#ifndef CROSSWARP_RANDOM_POINTS
#define CROSSWARP_RANDOM_POINTS 4
#endif
constexpr std::size_t random_points = CROSSWARP_RANDOM_POINTS;

/// One runner for all tests: devices are opened once.
Runner& runner() {
  static Runner shared({.seed = 20});
  return shared;
}

class CellTest : public testing::Test {
 public:
  CellTest(const Cell& cell, std::string how_to_repeat) : cell_(cell), how_to_repeat_(std::move(how_to_repeat)) {}

  void TestBody() override {
    if (cell_.slow && std::getenv("CROSSWARP_SKIP_SLOW")) GTEST_SKIP() << "slow, and CROSSWARP_SKIP_SLOW is set";
    if (const char* most = std::getenv("CROSSWARP_MOST_BYTES");
        most && cell_.experiment->footprint(cell_.point) > std::stoull(most))
      GTEST_SKIP() << "more than CROSSWARP_MOST_BYTES";
    const Device* const device = runner().device(cell_).device;
    if (device) RecordProperty("device", device->info().name);
    if (device && device->info().emulated && (cell_.slow || cell_.experiment->footprint(cell_.point) > most_emulated))
      GTEST_SKIP() << "too large for an emulation";
    const Result result = runner().verify(cell_, cell_.slow ? 1 : sets);
    if (result.status == Status::skipped) GTEST_SKIP() << result.note;
    EXPECT_EQ(result.status, Status::ok) << cell_.id() << ": " << result.label() << how_to_repeat_;
  }

 private:
  Cell cell_;
  std::string how_to_repeat_;
};

/// Point names leave out what goes without saying; tests must all differ.
std::string full_name(const Cell& cell) {
  std::string name = cell.slow ? "slow/" : "";
  name += cell.rung();
  for (const auto& c : cell.point.coordinates()) name += "/" + c.axis + ":" + to_string(c.value);
  return name;
}

/// The name of a random test does not tell its point, so that a seed does not change the list of tests; only that it
/// is over ranks.
std::string random_name(const Cell& cell, std::size_t number) {
  std::string name = "random/" + std::to_string(number) + "/";
  name += cell.variant->id();
  if (std::ranges::any_of(cell.point.coordinates(), [](const auto& c) { return c.axis == "ranks"; }))
    name += "/ranks:drawn";
  return name;
}

void add_test(const std::string& name, const Cell& cell, const std::string& how_to_repeat) {
  testing::RegisterTest("conformance", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                        [=] { return static_cast<testing::Test*>(new CellTest(cell, how_to_repeat)); });
}

/// Whether an emulation does not skip it.
bool runs_emulated(const Cell& cell) {
  return cell.variant->not_expressible.empty() && !cell.slow && cell.experiment->footprint(cell.point) <= most_emulated;
}

/// Every so many of each variant's cells that run, and one at least. The first is another one for each variant, so that
/// all points of an experiment take part.
std::vector<Cell> sample_of(const std::vector<Cell>& cells) {
  std::map<std::string, std::vector<Cell>> by_variant;
  for (const Cell& cell : cells)
    if (one_cell_of == 1 || runs_emulated(cell)) by_variant[cell.variant->id()].push_back(cell);
  std::vector<Cell> sample;
  std::size_t first = 0;
  for (const auto& [variant, own] : by_variant)
    for (std::size_t i = first++ % std::min(one_cell_of, own.size()); i < own.size(); i += one_cell_of)
      sample.push_back(own[i]);
  return sample;
}

/// Of random points every so many over all variants.
void add_tests(std::uint64_t seed) {
  for (const Cell& cell : sample_of(Registry::instance().test_cells())) add_test(full_name(cell), cell, "");
  std::map<std::string, std::size_t> numbers;  // of the next test, by variant
  std::size_t drawn = 0;
  for (const Cell& cell : Registry::instance().random_test_cells(random_points, seed, most_emulated)) {
    const std::size_t number = numbers[cell.variant->id()]++;
    if (one_cell_of > 1 && (!runs_emulated(cell) || drawn++ % one_cell_of != 0)) continue;
    add_test(random_name(cell, number), cell, "; --seed=" + std::to_string(seed) + " draws this point again");
  }
}

/// Of `--seed=7`, else of CROSSWARP_SEED, else another one in each run. Throws std::exception for no number.
std::uint64_t seed_of(int argc, char** argv) {
  constexpr std::string_view flag = "--seed=";
  for (int i = 1; i < argc; ++i)
    if (const std::string_view argument = argv[i]; argument.starts_with(flag))
      return std::stoull(std::string(argument.substr(flag.size())));
  if (const char* seed = std::getenv("CROSSWARP_SEED")) return std::stoull(seed);
  return std::random_device()();
}

}  // namespace
}  // namespace crosswarp

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::uint64_t seed = crosswarp::seed_of(argc, argv);
  std::cout << "Random points by seed " << seed << "; --seed=" << seed << " or CROSSWARP_SEED draws them again."
            << std::endl;
  crosswarp::add_tests(seed);
  return RUN_ALL_TESTS();
}
