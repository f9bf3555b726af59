// Profiler ranges on AMD's GPUs, against stubs of ROCTx's library.
#include "backends/gpu/amd_ranges.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/stubs/roctx.hpp"

namespace crosswarp {
namespace {

using gpu::Roctx;

RoctxCalls& calls_of(const char* library) {
  return *static_cast<RoctxCalls*>(dlsym(dlopen(library, RTLD_NOW), "stub"));
}

TEST(AmdRanges, BeginAndEnd) {
  RoctxCalls& calls = calls_of(CROSSWARP_ROCTX);
  calls = {};
  const Roctx roctx({"/no/such/library.so", CROSSWARP_ROCTX});
  roctx.push("outer");
  roctx.push("inner");
  EXPECT_EQ(calls.open, (std::vector<std::string>{"outer", "inner"}));
  roctx.pop();
  roctx.pop();
  EXPECT_EQ(calls.ended, (std::vector<std::string>{"inner", "outer"}));
  EXPECT_TRUE(calls.open.empty());
}

TEST(AmdRanges, DoNothingWithoutALibrary) {
  const Roctx roctx({"/no/such/library.so"});
  roctx.push("cell");
  roctx.pop();
}

TEST(AmdRanges, BeginOnlyWhereTheyCanEnd) {
  RoctxCalls& calls = calls_of(CROSSWARP_ROCTX_WITHOUT_POP);
  calls = {};
  const Roctx roctx({CROSSWARP_ROCTX_WITHOUT_POP});
  roctx.push("cell");
  roctx.pop();
  EXPECT_TRUE(calls.open.empty());
}

}  // namespace
}  // namespace crosswarp
