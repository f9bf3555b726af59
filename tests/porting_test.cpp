// The porting study: each HIP variant's state with its evidence, and HIP's time beside CUDA's over all points.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A tree of an experiment `sum`, and a program that lists made-up variants of it.
class Porting : public testing::Test {
 protected:
  Porting() {
    fs::remove_all(tree_);
    for (const char* file :
         {"gpu/amd_lanes.hpp", "gpu/nvidia_lanes.hpp", "gpu/amd.cpp", "gpu/amd_smi.hpp", "gpu/amd_smi.cpp",
          "gpu/amd_counters.hpp", "gpu/amd_counters.cpp", "gpu/amd_ranges.hpp", "gpu/amd_ranges.cpp", "gpu/nvidia.cpp",
          "gpu/nvidia_ml.hpp", "gpu/nvidia_ml.cpp", "gpu/nvidia_counters.cpp", "hip/platform/runtime.hpp",
          "cuda/platform/runtime.hpp", "hip/platform/hip_on_nvidia.hpp"})
      write(std::string("backends/") + file, "word;\n");
    for (const char* variant : {"ran", "older", "there", "compiled", "ptx", "wrong"}) {
      write(std::string("backends/cuda/sum/") + variant + ".cu", "run();\n");
      for (const char* backend : {"cuda", "hip", "simt", "simt64", "kokkos"}) list_.push_back(rung(backend, variant));
    }
    for (Json& each : list_)
      if (each["rung"] == "hip/sum/ptx") each["not_expressible"] = "needs ptx";
    write("backends/hip/sum/mfma.cu", "matrix();\n");
    list_.push_back(rung("hip", "mfma"));
    list_.back()["not_expressible"] = "needs mfma";  // in a build for NVIDIA GPUs
    write("list.json", list_.dump());
    write("bench", "#!/bin/sh\ncp list.json \"$3\"\n");
    fs::permissions(tree_ / "bench", fs::perms::owner_all);
    write("gfx942.json", Json{{"context", {{"device", "gfx942 by an emulator"}}},
                              {"rungs",
                               {emulated("ran", "right"), emulated("older", "right"), emulated("mfma", "right"),
                                emulated("wrong", "wrong"), emulated("ptx", "not expressible")}}}
                             .dump());
  }
  ~Porting() override { fs::remove_all(tree_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((tree_ / path).parent_path());
    std::ofstream(tree_ / path) << text;
  }
  static Json rung(const std::string& backend, const std::string& variant) {
    return {{"rung", backend + "/sum/" + variant},
            {"backend", backend},
            {"experiment", "sum"},
            {"variant", variant},
            {"not_expressible", ""}};
  }
  static Json emulated(const std::string& variant, const std::string& state) {
    return {{"rung", "hip/sum/" + variant}, {"state", state}, {"message", ""}, {"stale", variant == "older"}};
  }
  static Json timed(const std::string& backend, const std::string& variant, int n, double time) {
    Json row = rung(backend, variant);
    row["name"] = backend + "/sum/" + variant + "/n:" + std::to_string(n);
    row["real_time"] = time;
    row["status"] = "ok";
    return row;
  }
  std::string study(const std::vector<Json>& rows) {
    write("times.json", Json{{"context", {{"device.gpu0.name", "NVIDIA H200"}}}, {"benchmarks", rows}}.dump());
    const Finished finished =
        run_process("cd " + tree_.string() + " && " + (source_tree() / "scripts/porting").string() +
                    " ./bench times.json gfx942.json");
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    return finished.output;
  }

  const fs::path tree_ = temporary_file("porting");
  Json list_ = Json::array();
};

TEST_F(Porting, EachVariantHasOneOfFourStates) {
  const std::string page = study({timed("cuda", "there", 1, 2), timed("hip", "there", 1, 2)});
  for (const char* told :
       {"Of 7 HIP variants 3 ran as AMD code, 1 ran through HIP on NVIDIA, 2 compiled only, 1 not expressible.",
        "| `ran` | 1 | unchanged | ran as AMD code: gfx942 |",
        "| `older` | 1 | unchanged | ran as AMD code: gfx942 (an earlier source) |",
        "| `there` | 1 | unchanged | ran through HIP on NVIDIA |", "| `compiled` | 1 | unchanged | compiled only |",
        "| `wrong` | 1 | unchanged | compiled only: wrong on gfx942 |",
        "| `ptx` | 1 | not expressible: needs ptx | not expressible |",
        "| `mfma` |  | of its own: 1 lines | ran as AMD code: gfx942 |"})
    EXPECT_NE(page.find(told), std::string::npos) << told << " is not in\n" << page;
}

TEST_F(Porting, RatiosAreOverAllPointsThatBothHave) {
  const std::string page = study({timed("cuda", "ran", 1, 2), timed("hip", "ran", 1, 1), timed("cuda", "ran", 2, 8),
                                  timed("hip", "ran", 2, 1), timed("cuda", "ran", 3, 1), timed("hip", "there", 1, 1),
                                  timed("cuda", "there", 1, 0.5)});
  EXPECT_NE(page.find("| `ran` | 1 | unchanged | ran as AMD code: gfx942 | 4.000 | 2 |"), std::string::npos) << page;
  const std::string whole = "HIP, × as fast as CUDA: median 2.000, worst 0.500 (`there/n:1`), of 3 points.\n";
  const auto of_all = page.find(whole);
  ASSERT_NE(of_all, std::string::npos) << page;
  EXPECT_NE(page.find(whole, of_all + 1), std::string::npos) << "the experiment's own line\n" << page;
}

}  // namespace
}  // namespace crosswarp
