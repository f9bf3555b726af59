// One test per cell of every linked backend: poison the outputs, launch, check against the oracle. Knows no backend and
// no experiment by name.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/runner.hpp"

namespace crosswarp {
namespace {

constexpr std::uint64_t sets = 2;  // distinct inputs, which expose stale results

/// Max bytes of a point on an emulated device, a thousand times slower: 2^16 floats with their surroundings fit.
#ifndef CROSSWARP_MOST_EMULATED
#define CROSSWARP_MOST_EMULATED 300'000
#endif
constexpr std::size_t most_emulated = CROSSWARP_MOST_EMULATED;

/// One cell in this many is a test, in turn, so that a variant's tested points are spread over its list.
#ifndef CROSSWARP_ONE_CELL_OF
#define CROSSWARP_ONE_CELL_OF 1
#endif
constexpr std::size_t one_cell_of = CROSSWARP_ONE_CELL_OF;

/// One runner for all tests: devices are opened once.
Runner& runner() {
  static Runner shared({.seed = 20});
  return shared;
}

class CellTest : public testing::Test {
 public:
  explicit CellTest(const Cell& cell) : cell_(cell) {}

  void TestBody() override {
    if (cell_.slow && std::getenv("CROSSWARP_SKIP_SLOW")) GTEST_SKIP() << "slow, and CROSSWARP_SKIP_SLOW is set";
    if (const char* most = std::getenv("CROSSWARP_MOST_BYTES");
        most && cell_.experiment->footprint(cell_.point) > std::stoull(most))
      GTEST_SKIP() << "more than CROSSWARP_MOST_BYTES";
    if (const Device* device = runner().device(*cell_.backend).device;
        device && device->info().emulated && (cell_.slow || cell_.experiment->footprint(cell_.point) > most_emulated))
      GTEST_SKIP() << "too large for an emulation";
    const Result result = runner().verify(cell_, cell_.slow ? 1 : sets);
    if (result.status == Status::skipped) GTEST_SKIP() << result.note;
    EXPECT_EQ(result.status, Status::ok) << cell_.id() << ": " << result.label();
  }

 private:
  Cell cell_;
};

/// Point names leave out what goes without saying; tests must all differ.
std::string full_name(const Cell& cell) {
  std::string name = cell.slow ? "slow/" : "";
  name += cell.rung();
  for (const auto& c : cell.point.coordinates()) name += "/" + c.axis + ":" + to_string(c.value);
  return name;
}

}  // namespace
}  // namespace crosswarp

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  static const auto cells = crosswarp::Registry::instance().test_cells();
  for (std::size_t i = 0; i < cells.size(); i += crosswarp::one_cell_of)
    testing::RegisterTest("conformance", crosswarp::full_name(cells[i]).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&cell = cells[i]] { return static_cast<testing::Test*>(new crosswarp::CellTest(cell)); });
  return RUN_ALL_TESTS();
}
