// Kernels hold the machine instructions that their variants name, by NVIDIA's disassembler.
#include "tests/machine_code.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

constexpr const char* some_code = R"(
Fatbin elf code:
================
arch = sm_90a
	code for sm_90a
		Function : _ZN9crosswarp3gpu54_GLOBAL__N__9f1c_8_fused_cu_5b_1410run_chainsEv
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;              /* 0x00000a00ff017b82 */
                                                                       /* 0x000fe20000000800 */
        /*0010*/                   FFMA R0, R0, R2, R3 ;               /* 0x0000000200007223 */
        /*0020*/              @!P0 FFMA R4, R4, R2, R3 ;               /* 0x0000000204047223 */
        /*0030*/              @UP0 HGMMA.64x256x16.F32 R24, gdesc[UR4], R24 ;
        /*0040*/                   HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24 ;
        /*0050*/               @P0 EXIT ;                              /* 0x000000000000094d */
		..........

		Function : _ZN9crosswarp3gpu54_GLOBAL__N__9f1c_8_fused_cu_5b_1410run_chainsIfEv
        /*0000*/                   FFMA R0, R0, R2, R3 ;               /* 0x0000000200007223 */
        /*10a0*/                   FFMA R0, R0, R2, R3 ;               /* 0x0000000200007223 */
        /*10b0*/                   FFMA R0, R0, R2, R3 ;               /* 0x0000000200007223 */
		Function : _ZN9crosswarp3gpu60_GLOBAL__N__77aa_12_not_fused_cu_5b_1410run_chainsEv
        /*0000*/                   FMUL R0, R0, R2 ;                   /* 0x0000000200007220 */
)";

constexpr const char* combined_code = R"(
		Function : _ZN9crosswarp3gpu33crosswarp_cuda_peak_compute_fused10run_chainsEv
        /*0000*/                   FFMA R0, R0, R2, R3 ;               /* 0x0000000200007223 */
		Function : _ZN9crosswarp3gpu57_GLOBAL__N__bb_15_variants_0_cu_50run_chainsINS0_35crosswarp_cuda_peak_compute_unfused4StepEEvv
        /*0000*/                   FMUL R0, R0, R2 ;                   /* 0x0000000200007220 */
		Function : _ZN9crosswarp3gpu4cuda20peak_compute_tensors11gemm_kernelILj2EEEvv
        /*0000*/                   HMMA.16816.F32 R0, R0, R2 ;         /* 0x0000000200007220 */
		Function : _ZN9crosswarp3gpu57_GLOBAL__N__bb_15_variants_0_cu_50shared_kernelEvv
        /*0000*/                   DMUL R0, R0, R2 ;                   /* 0x0000000200007220 */
)";

MachineCode of(const std::string& text) {
  std::istringstream stream(text);
  return read_machine_code(stream);
}

TEST(MachineCode, IsReadByFunction) {
  const MachineCode code = of(some_code);
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code.begin()->second.size() + std::next(code.begin())->second.size(), 9u);
  EXPECT_EQ(code.begin()->second[1], "FFMA R0, R0, R2, R3 ;               ");
  EXPECT_TRUE(of("").empty());
  EXPECT_TRUE(of("        /*0010*/  FFMA R0, R0, R2, R3 ;").empty());  // outside a function
}

TEST(MachineCode, IsCountedByFileAndByHowInstructionsBegin) {
  const MachineCode code = of(some_code);
  const auto most = [&](const char* variant, const char* beginning) {
    return most_in_a_kernel(code, "peak_compute", variant, beginning);
  };
  EXPECT_EQ(most("fused", "FFMA"), 3);  // the largest of two kernels, not their sum
  EXPECT_EQ(most("fused", "HGMMA.64x256x16.F32"), 2);
  EXPECT_EQ(most("fused", "HGMMA.64x256x16.F32 "), 1);
  EXPECT_EQ(most("fused", "FMUL"), 0);
  EXPECT_EQ(most("fused", "gdesc"), 0);  // an operand
  EXPECT_EQ(most("not_fused", "FMUL"), 1);
  EXPECT_EQ(most("used", "FFMA"), -1);
}

TEST(MachineCode, OfCombinedFilesIsCountedByTheVariantsNamespace) {
  const MachineCode code = of(combined_code);
  EXPECT_EQ(most_in_a_kernel(code, "peak_compute", "fused", "FFMA"), 1);
  EXPECT_EQ(most_in_a_kernel(code, "peak_compute", "fused", "FMUL"), 0);
  EXPECT_EQ(most_in_a_kernel(code, "peak_compute", "unfused", "FMUL"), 1);  // a kernel of a type of its own
  EXPECT_EQ(most_in_a_kernel(code, "peak_compute", "tensors", "HMMA"), 1);  // a kernel of a dispatcher, too
  EXPECT_EQ(most_in_a_kernel(code, "op_latency", "fused", "FFMA"), -1);
  EXPECT_EQ(most_in_a_kernel(code, "compute", "fused", "FFMA"), -1);
  EXPECT_EQ(most_in_a_kernel(code, "peak_compute", "shared_kernel", "DMUL"), -1);
}

TEST(MachineCode, OfFilesOfOneNameIsToldApartByTheirNamespaces) {
  const MachineCode code = of(R"(
		Function : _ZN9crosswarp3gpu46_GLOBAL__N__cd66d040_12_wgmma_tma_cu_3fd36c4e11gemm_kernelILb0EEEv14CUtensorMap
        /*0000*/                   HGMMA.64x256x16.F32 R24, gdesc[UR4], R24 ;
		Function : _ZN9crosswarp3gpu4cuda19matmul_f8_wgmma_tma11gemm_kernelEv46_GLOBAL__N__8f69_12_wgmma_tma_cu_c0b9fd6d4Tile
        /*0000*/                   QGMMA.64x256x32.F32.E4M3.E4M3 R24, gdesc[UR4], R24 ;
)");
  EXPECT_EQ(most_in_a_kernel(code, "matmul_f16", "wgmma_tma", "HGMMA"), 1);
  EXPECT_EQ(most_in_a_kernel(code, "matmul_f16", "wgmma_tma", "QGMMA"), 0);
  EXPECT_EQ(most_in_a_kernel(code, "matmul_f8", "wgmma_tma", "QGMMA"), 1);
  EXPECT_EQ(most_in_a_kernel(code, "matmul_f8", "wgmma_tma", "HGMMA"), 0);
  EXPECT_EQ(most_in_a_kernel(code, "matmul_f8", "tma", "QGMMA"), -1);
}

/// A hash that ends in the length of what follows it.
TEST(MachineCode, IsNotNamedByHashes) {
  const MachineCode code = of(R"(
		Function : _ZN9crosswarp3gpu41_GLOBAL__N__085035b9_9_repack_cu_484cb93211repack_rowsENS1_12RowRepackingES2_
        /*0000*/                   LDG.E.128 R24, desc[UR4][R2.64] ;
)");
  EXPECT_EQ(most_in_a_kernel(code, "matmul_f16", "repack", "LDG.E.128"), 1);
}

TEST(MachineCode, TellsSerializedMatrixInstructions) {
  const std::string first = "HGMMA.64x256x16.F32.BF16 R24, gdesc[UR8], R24 ;",
                    closing = "HGMMA.64x256x16.F32.BF16 R24, gdesc[UR8], R24, gsb0 ;",
                    wait = "WARPGROUP.DEPBAR.LE gsb0, 0x0 ;";
  EXPECT_FALSE(is_serialized({first, first, closing, wait}));
  EXPECT_TRUE(is_serialized({closing, wait, closing, wait}));
  EXPECT_FALSE(is_serialized({closing, wait}));
  EXPECT_TRUE(is_serialized({"QGMMA.64x256x32.F32.E4M3.E4M3 R24, gdesc[UR8], R24, gsb0 ;", wait, closing, wait}));
  EXPECT_FALSE(is_serialized({"FFMA R0, R0, R2, R3 ;"}));
}

/// CUDA variants that name instructions, from the program's list.
std::vector<nlohmann::json> variants_with_instructions() {
  const std::string list = temporary_file("list.json");
  const Finished finished = run_process(sibling("bench") + " --list --backend cuda --json " + list);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  std::ifstream file(list);
  std::vector<nlohmann::json> variants;
  std::set<std::string> seen;  // a variant is listed once for each tuning
  for (const auto& entry : nlohmann::json::parse(file))
    if (!entry.at("instructions").empty() && entry.at("not_expressible") == "" &&
        seen.insert(entry.at("experiment").get<std::string>() + "/" + entry.at("variant").get<std::string>()).second)
      variants.push_back(entry);
  std::filesystem::remove(list);
  return variants;
}

bool has_cuda() { return run_process(sibling("bench") + " devices").output.find("\ncuda ") != std::string::npos; }

/// Of files of one name at most one does without a namespace of its own: is_in_file_of().
TEST(MachineCode, IsNamedByFilesOrByTheirNamespaces) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA in this build";
  std::map<std::string, std::string> by_file_name;  // the experiment
  const auto variants = variants_with_instructions();
  for (const auto& v : variants) {
    const std::string experiment = v.at("experiment"), variant = v.at("variant");
    std::ifstream file(source_tree() / "backends/cuda" / experiment / (variant + ".cu"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_FALSE(text.empty()) << experiment << "/" << variant;
    if (text.find("\nnamespace " + experiment + "_" + variant + " {") != text.npos) continue;
    const auto [other, is_new] = by_file_name.try_emplace(variant, experiment);
    EXPECT_TRUE(is_new) << variant << ".cu of " << other->second << " and " << experiment << " cannot be told apart";
  }
  EXPECT_FALSE(variants.empty()) << "no variant names an instruction";
}

/// The machine code of bench for sm_90a, whose instructions variants name, or the reason why there is none to check.
/// Takes about 20 seconds.
struct Disassembly {
  MachineCode code;
  std::string missing;

  Disassembly() {
    if (!has_cuda()) {
      missing = "no CUDA in this build";
    } else if (run_process("command -v cuobjdump && command -v nvdisasm").exit_code != 0) {
      missing = "no cuobjdump and nvdisasm on PATH; scripts/test installs them";
    } else {
      const std::string text = temporary_file("bench.sass");
      const Finished dumped = run_process("cuobjdump -sass -arch sm_90a " + sibling("bench") + " >" + text);
      EXPECT_EQ(dumped.exit_code, 0) << dumped.output;
      if (run_process("grep -q -m 1 'Fatbin elf code' " + text).exit_code != 0) {
        missing = "no machine code of sm_90a in this build";
      } else {
        std::ifstream lines(text);
        code = read_machine_code(lines);
        EXPECT_FALSE(code.empty()) << "the disassembly has no function";
      }
      std::filesystem::remove(text);
    }
  }
};

/// One test, since programs whose tests are shared out among processes would disassemble in each of them.
TEST(MachineCode, HasTheInstructionsThatVariantsNameAndNoneSerialized) {
  const Disassembly bench;
  if (!bench.missing.empty()) GTEST_SKIP() << bench.missing;
  for (const auto& variant : variants_with_instructions())
    for (const auto& wanted : variant.at("instructions")) {
      const auto beginning = wanted.at(0).get<std::string>();
      const auto most = most_in_a_kernel(bench.code, variant.at("experiment").get<std::string>(),
                                         variant.at("variant").get<std::string>(), beginning);
      const auto rung = variant.at("rung").get<std::string>();
      EXPECT_NE(most, -1) << "no kernel of " << rung << " found: has its file got one since CMake ran?";
      EXPECT_GE(most, wanted.at(1).get<int>()) << beginning << " in " << rung;
    }
  std::size_t with_matrix_instructions = 0;
  for (const auto& [name, instructions] : bench.code) {
    EXPECT_FALSE(is_serialized(instructions)) << name;
    with_matrix_instructions +=
        std::ranges::any_of(instructions, [](const std::string& i) { return i.starts_with("HGMMA"); });
  }
  EXPECT_GT(with_matrix_instructions, 0u) << "no function has warpgroup matrix instructions";
}

}  // namespace
}  // namespace crosswarp
