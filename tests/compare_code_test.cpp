// scripts/compare-code on small units that nvcc compiles for sm_90a: which changes it reports, and which it does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

constexpr const char* unit = R"(namespace {
__device__ unsigned positive, negative;
__device__ float weights[4] = {1, 2, 3, 4};
__constant__ float factors[4] = {1, 2, 3, 4};

__global__ void copy(float* x) { x[threadIdx.x] = x[threadIdx.x + 32]; }
__global__ void scale(float* x) { x[threadIdx.x] *= 1.5f; }
__global__ void shift(float* x) { x[threadIdx.x] += 1.5f; }
__global__ void add_one(float* x) { x[threadIdx.x] += 1.0f; }
__global__ void count(float* x) { if (x[threadIdx.x] > 0) atomicAdd(&positive, 1u); }
__global__ void weigh(float* x) { x[threadIdx.x] *= weights[blockIdx.x & 3]; }
__global__ void multiply(float* x) { x[threadIdx.x] *= factors[blockIdx.x & 3]; }
__global__ void print(float* x) { printf("at %u", threadIdx.x); x[threadIdx.x] = 0; }
__global__ void allocate(float** x) { x[threadIdx.x] = static_cast<float*>(malloc(64)); }
__global__ void __launch_bounds__(128) bounded(float* x) { x[threadIdx.x] = 0; }
__global__ void exchange(float* x) {
  __shared__ float s[64];
  s[threadIdx.x & 31] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[31 - (threadIdx.x & 31)];
}
__global__ void __launch_bounds__(1024, 1) sort(float* x) {
  float v[48];
  for (int i = 0; i < 48; ++i) v[i] = x[i * 1024 + threadIdx.x];
  for (int i = 0; i < 48; ++i) x[i * 1024 + threadIdx.x] = v[47 - i] + v[i];
}
__global__ void choose(float* x, int how) {
  switch (how) {
    case 0: x[1] = sinf(x[0]); break;
    case 1: x[2] = x[3] * x[4]; break;
    case 2: __syncthreads(); x[5] = sqrtf(x[6]); break;
    case 3: atomicAdd(x + 7, x[8]); break;
    case 4: x[9] = x[10] / x[11]; break;
    case 5: x[12] = __expf(x[13]); break;
  }
}
}
void launch_all(float* x) {
  copy<<<1, 32>>>(x), scale<<<1, 32>>>(x), shift<<<1, 32>>>(x), add_one<<<1, 32>>>(x), count<<<1, 32>>>(x);
  weigh<<<1, 32>>>(x), multiply<<<1, 32>>>(x), print<<<1, 32>>>(x), allocate<<<1, 32>>>(reinterpret_cast<float**>(x));
  bounded<<<1, 32>>>(x), exchange<<<1, 32>>>(x), sort<<<1, 32>>>(x), choose<<<1, 32>>>(x, 0);
}
)";
constexpr int kernels = 13;

using Replacements = std::vector<std::pair<std::string, std::string>>;

/// `unit` with each first text replaced wherever it stands.
std::string with(const Replacements& replacements) {
  std::string source = unit;
  for (const auto& [from, to] : replacements) {
    auto at = source.find(from);
    EXPECT_NE(at, source.npos) << from;
    for (; at != source.npos; at = source.find(from, at + to.size())) source.replace(at, from.size(), to);
  }
  return source;
}

/// Compiles on first use. Units have one file name in a folder each, so that their cubins have one name, too.
class CompareCode : public testing::Test {
 protected:
  void SetUp() override {
    if (run_process("command -v nvcc && command -v cuobjdump && command -v nvdisasm").exit_code != 0)
      GTEST_SKIP() << "no nvcc, cuobjdump and nvdisasm on PATH; scripts/test installs the latter two";
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

  static std::string folder(const std::string& of = "") {
    const std::string path = temporary_file("compare_code") + "/" + of;
    std::filesystem::create_directories(path);
    return path;
  }
  static std::string compiled(const std::string& name, const std::string& source,
                              const std::string& options = "-arch=sm_90a") {
    const std::string file = folder(name) + "/unit";
    std::ofstream(file + ".cu") << source;
    const Finished finished =
        run_process("nvcc " + options + " -lineinfo -include cstdio -c -o " + file + ".o " + file + ".cu");
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    return file + ".o";
  }
  static const std::string& original() {
    static const std::string object = compiled("original", unit);
    return object;
  }
  /// One kernel more, in front, with an address, a constant, a string and a function that move those of others.
  static const std::string& extended() {
    static const std::string object = compiled("extended", std::string(R"(
      __device__ float first[3] = {1, 2, 3};
      __constant__ float first_factors[5] = {5};
      __global__ void more(float* x) {
        printf("first %f", x[0]);
        x[0] = first[threadIdx.x] * first_factors[blockIdx.x];
        free(x);
      }
    )") + unit);
    return object;
  }
  static Finished compare(const std::string& arguments) {
    return run_process((source_tree() / "scripts/compare-code").string() + " " + arguments);
  }
};

TEST_F(CompareCode, NamesFilesAndNamespacesAreNoDifference) {
  std::ofstream(folder("moved") + "/kernels.cuh") << with({{"namespace {", "namespace elsewhere { namespace {"},
                                                           {"scale", "scale_all"},
                                                           {"}\nvoid launch_all", "} }\nvoid elsewhere::launch_all"},
                                                           {"elsewhere {", "elsewhere { void launch_all(float*);"}});
  const Finished same = compare(original() + " " + compiled("moved", "#include \"kernels.cuh\"\n"));
  EXPECT_EQ(same.output, "no kernel differs (13 kernels)\n");
  EXPECT_EQ(same.exit_code, 0);
}

TEST_F(CompareCode, PositionsInConstantBanksAreNoDifference) {
  const Finished added = compare(original() + " " + extended());
  EXPECT_EQ(added.output, "added more(float*)\n1 of 14 kernels, 13 before differ: 1 added\n");
  EXPECT_EQ(added.exit_code, 1);
  EXPECT_EQ(compare(extended() + " " + original()).output,
            "removed more(float*)\n1 of 13 kernels, 14 before differ: 1 removed\n");
}

TEST_F(CompareCode, EveryChangeIsReportedForItsKernelAlone) {
  const std::string mutated =
      compiled("mutated", with({{"scale(float* x) { x[threadIdx.x] *=", "scale(float* x) { x[threadIdx.x] +="},
                                {"shift(float* x) { x[threadIdx.x] +=", "shift(float* x) { x[threadIdx.x] *="},
                                {"1.0f", "2.0f"},
                                {"&positive", "&negative"},
                                {"weights[4] = {1, 2, 3, 4}", "weights[4] = {1, 2, 3, 5}"},
                                {"factors[4] = {1, 2, 3, 4}", "factors[4] = {1, 2, 4, 3}"},
                                {"at %u", "At %u"},
                                {"malloc(64)", "malloc(65)"},
                                {"(128)", "(256)"},
                                {"s[64]", "s[96]"},
                                {"(1024, 1)", "(1024, 2)"},
                                {"case 1:", "case 6:"},
                                {"case 4:", "case 1:"},
                                {"case 6:", "case 4:"}}));
  // By kernel, what its line must contain.
  const std::map<std::string, std::string> expected{
      {"scale(float*)", "FMUL"},
      {"shift(float*)", "FADD"},
      {"add_one(float*)", ": 1 of "},
      {"count(float*)", "c[0x4][positive"},
      {"weigh(float*)", "c[0x4][weights"},
      {"multiply(float*)", "factors"},
      {"print(float*)", "c[0x4][string"},
      {"allocate(float**)", ": 1 of "},
      {"bounded(float*)", ": max threads 128x1x1 → 256x1x1\n"},
      {"exchange(float*)", "shared 1,280 → 1,408"},
      {"sort(float*)", "registers "},
      {"choose(float*, int)", "bank 2 "},
  };
  for (const std::string& old : {original(), extended()}) {
    const Finished changed = compare(old + " " + mutated);
    EXPECT_EQ(changed.exit_code, 1);
    for (const auto& [kernel, what] : expected) {
      const auto at = changed.output.find("changed " + kernel);
      ASSERT_NE(at, std::string::npos) << kernel << "\n" << changed.output;
      const std::string line = changed.output.substr(at, changed.output.find('\n', at) + 1 - at);
      EXPECT_NE(line.find(what), std::string::npos) << line;
    }
    EXPECT_EQ(lines_in(changed.output), expected.size() + 1 + (old == extended())) << changed.output;
  }
}

/// cuobjdump alone would extract both units to one file.
TEST_F(CompareCode, ReadsAllUnitsOfProgramsAndFolders) {
  const std::string both = folder("both") + "/both.o", build = folder("build");
  std::filesystem::copy_file(original(), build + "/a.o");
  std::filesystem::copy_file(extended(), build + "/b.o");
  std::ofstream(build + "/host.o") << "no code for a GPU";
  ASSERT_EQ(run_process("ld -r -z muldefs -o " + both + " " + extended() + " " + original()).exit_code, 0);
  EXPECT_EQ(compare(both + " " + build).output,
            "no kernel differs (" + std::to_string(2 * kernels + 1) + " kernels)\n");
  EXPECT_EQ(compare(original() + " " + both).output,
            "added more(float*)\n1 of 27 kernels, 13 before differ: 1 added\n");
}

TEST_F(CompareCode, ArchitecturesAreComparedOneByOne) {
  const auto object = [](const std::string& name, const std::string& factor) {
    return compiled(name,
                    "#if __CUDA_ARCH__ < 900\nconstexpr float factor = " + factor +
                        ";\n#else\nconstexpr float factor = 3;\n#endif\n"
                        "__global__ void scale(float* x) { *x *= factor; }",
                    "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a");
  };
  const Finished changed = compare(object("two", "2") + " " + object("four", "4"));
  EXPECT_EQ(changed.output.find("changed scale(float*) [sm_80]: "), 0u) << changed.output;
  EXPECT_TRUE(changed.output.ends_with("\n1 of 2 kernels differ: 1 changed\n")) << changed.output;
}

TEST_F(CompareCode, InvalidInputIsOneLine) {
  const auto refused = [](const Finished& finished, const std::string& why) {
    EXPECT_EQ(finished.exit_code, 2) << finished.output;
    EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
    EXPECT_NE(finished.output.find(why), std::string::npos) << finished.output;
  };
  const std::string text = folder("text") + "/notes", empty = folder("empty");
  std::ofstream(text) << "no code for a GPU";
  refused(compare(text), "needs two builds");
  refused(compare(text + " /nowhere/bench"), "/nowhere/bench does not exist");
  refused(compare(text + " " + text), text + " has no machine code for NVIDIA GPUs");
  refused(compare(empty + " " + text), empty + " has no machine code for NVIDIA GPUs");
  // A copy finds no .deps next to it.
  if (std::filesystem::exists("/usr/local/cuda/bin/cuobjdump")) return;
  std::filesystem::copy_file(source_tree() / "scripts/compare-code", text + ".py");
  refused(run_process("python=$(python3 -c 'import sys; print(sys.executable)'); PATH=/nowhere; $python " + text +
                      ".py " + text + " " + text),
          "with pip");
}

}  // namespace
}  // namespace crosswarp
