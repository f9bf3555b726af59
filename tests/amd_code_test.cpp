// scripts/amd_code on made-up code objects: what it reads from notes and disassembly, and what it calls wrong or slow.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

/// A kernel of hip/reduce_sum/float4, unless named otherwise, as llvm-readelf and llvm-objdump print it.
struct MadeUpKernel {
  std::string symbol = "_ZN9crosswarp3gpu28crosswarp_hip_row_sum_float44copyEPf";
  int vgprs = 24, agprs = 0, sgprs = 16, spills = 0, scratch = 0, shared = 0, threads = 256, warp = 64;
  std::string code = "\tglobal_load_dwordx4 v[2:5], v[0:1], off // 000000001000: DC5C8000 02000000\n";

  std::string notes() const {
    const auto line = [](const std::string& name, int value) {
      return "    ." + name + ": " + std::to_string(value) + "\n";
    };
    return "amdhsa.kernels:\n  - .agpr_count: " + std::to_string(agprs) +
           "\n    .args:\n      - .offset: 0\n        .name: in\n" + line("group_segment_fixed_size", shared) +
           line("max_flat_workgroup_size", threads) + "    .name: " + symbol + "\n" +
           line("private_segment_fixed_size", scratch) + line("sgpr_count", sgprs) + line("sgpr_spill_count", 0) +
           line("vgpr_count", vgprs) + line("vgpr_spill_count", spills) + line("wavefront_size", warp);
  }
  std::string listing() const {
    return "\ncode:\tfile format elf64-amdgpu\n\nDisassembly of section .text:\n\n0000000000001000 <" + symbol +
           ">:\n" + code + "\ts_endpgm // 000000001ffc: BF810000\n";
  }
};

class AmdCode : public testing::Test {
 protected:
  ~AmdCode() override {
    std::filesystem::remove(notes_);
    std::filesystem::remove(listing_);
  }
  Finished read(const MadeUpKernel& kernel, const std::string& architecture = "gfx90a") const {
    std::ofstream(notes_) << kernel.notes();
    std::ofstream(listing_) << kernel.listing();
    return run_process((source_tree() / "scripts/amd_code").string() + " --text " + architecture + " " + notes_ + " " +
                       listing_);
  }
  static bool has(const Finished& finished, const std::string& text) {
    return finished.output.find(text) != std::string::npos;
  }
  /// The kernel's row of the table, each run of spaces as one.
  static std::string row(const Finished& finished) {
    const auto begin = finished.output.find("\n  copy");
    std::string row;
    if (begin == std::string::npos) return row;
    for (const char c : finished.output.substr(begin + 1, finished.output.find('\n', begin + 1) - begin - 1))
      if (c != ' ' || !row.ends_with(' ')) row += c;
    return row;
  }

 private:
  const std::string notes_ = temporary_file("notes"), listing_ = temporary_file("listing");
};

TEST_F(AmdCode, CountsInstructionsByWidthAndKind) {
  const Finished read_well =
      read({.vgprs = 40,
            .agprs = 8,
            .sgprs = 20,
            .shared = 1024,
            .code = "\tglobal_load_ushort v1, v[0:1], off // 000000001000: 0\n"
                    "\tbuffer_load_dword v1, v0, s[0:3], 0 offen // 000000001008: 0\n"
                    "\tglobal_load_dwordx2 v[2:3], v[0:1], off // 000000001010: 0\n"
                    "\tflat_load_dwordx4 v[2:5], v[0:1] // 000000001018: 0\n"
                    "\tglobal_load_dwordx4 v[2:5], v[0:1], off // 000000001020: 0\n"
                    "\tglobal_store_dword v[0:1], v2, off // 000000001028: 0\n"
                    "\tv_add_f32_dpp v1, v1, v1 row_mirror row_mask:0xf // 000000001030: 0\n"
                    "\tv_add_f32_e32 v1, v1, v1 // 000000001038: 0\n"
                    "\tds_bpermute_b32 v4, v4, v1 // 000000001040: 0\n"
                    "\tv_mfma_f32_32x32x8f16 v[0:15], v[0:1], v[2:3], v[0:15] // 000000001048: 0\n"
                    "\tglobal_atomic_add_f32 v0, v1, s[0:1] // 000000001050: 0\n"});
  EXPECT_EQ(read_well.exit_code, 0) << read_well.output;
  EXPECT_TRUE(has(read_well, "\nrow_sum/float4\n")) << "the variant of the symbol's namespace:\n" << read_well.output;
  // VGPR, AGPR, SGPR, spills, scratch, shared, warps; loads and stores of 2, 4, 8, 16 bytes; DPP, permute; MFMA,
  // atomic, CAS.
  EXPECT_EQ(row(read_well), " copy gfx90a 40 8 20 · · 1024 8 - 1 1 1 2 · 1 · · 1 1 1 1 ·") << read_well.output;
}

TEST_F(AmdCode, ReadsTheNamesOfNewerArchitectures) {
  const Finished newer = read({.warp = 32,
                               .code = "\tglobal_load_b128 v[2:5], v[0:1], off // 000000001000: 0\n"
                                       "\tglobal_load_d16_u8 v2, v[0:1], off // 000000001008: 0\n"
                                       "\tglobal_store_b64 v[0:1], v[2:3], off // 000000001010: 0\n"
                                       "\tv_permlanex16_b32 v1, v1, s2, 0xfedcba98 // 000000001018: 0\n"},
                              "gfx1100");
  EXPECT_EQ(newer.exit_code, 0) << newer.output;
  EXPECT_EQ(row(newer), " copy gfx1100 24 · 16 · · 0 16 - 1 · · 1 · · 1 · · 1 · · ·") << newer.output;
}

TEST_F(AmdCode, ScratchMemoryIsWrong) {
  const Finished spilled = read({.spills = 3, .scratch = 16});
  EXPECT_EQ(spilled.exit_code, 1);
  EXPECT_TRUE(has(spilled, "wrong: copy on gfx90a uses scratch memory: 16 bytes a thread, 3 registers spilled\n"))
      << spilled.output;
  const Finished stack = read({.scratch = 16});
  EXPECT_EQ(stack.exit_code, 1) << "an array in memory is slow without any spill";
}

TEST_F(AmdCode, OccupancyOfOneIsSlow) {
  const Finished full = read({.vgprs = 64});
  EXPECT_TRUE(has(full, " 8 -")) << full.output;
  const Finished registers = read({.vgprs = 264});
  EXPECT_TRUE(has(registers, " 1 V")) << registers.output;
  EXPECT_TRUE(has(registers, "slow: copy on gfx90a: a SIMD holds 1 of its warps (264 VGPRs")) << registers.output;
  EXPECT_EQ(registers.exit_code, 0) << "slow is not wrong";
  const Finished shared = read({.shared = 33 << 10});
  EXPECT_TRUE(has(shared, " 1 L")) << shared.output;
  EXPECT_TRUE(has(shared, "slow: ")) << shared.output;
  const Finished two = read({.vgprs = 256, .shared = 32 << 10});
  EXPECT_FALSE(has(two, "slow: ")) << two.output;
}

TEST_F(AmdCode, NarrowLoadsAreSlowWhereTheIdeaNames16Bytes) {
  EXPECT_FALSE(has(read({}), "slow: "));
  const Finished narrow = read({.code = "\tglobal_load_dword v1, v[0:1], off // 000000001000: 0\n"});
  EXPECT_TRUE(has(narrow, "slow: row_sum/float4 on gfx90a has no 16-byte load, which its idea names\n"))
      << narrow.output;
}

TEST_F(AmdCode, TheWrongWarpSizeIsWrong) {
  const Finished halved = read({.warp = 32});
  EXPECT_EQ(halved.exit_code, 1);
  EXPECT_TRUE(has(halved, "is for warps of 32, and the hardware's have 64")) << halved.output;
}

TEST_F(AmdCode, ACompareAndSwapLoopIsWrong) {
  EXPECT_EQ(read({.code = "\tglobal_atomic_cmpswap v0, v1, v[2:3], s[0:1] glc // 000000001000: 0\n"}).exit_code, 1);
}

TEST_F(AmdCode, ReductionsMustBeDpp) {
  const std::string symbol = "_ZN9crosswarp3gpu12_GLOBAL__N_118add_row_by_shuffleEPKfmmPf";
  std::string permutes, additions;
  for (int i = 0; i < 6; ++i) {
    const std::string place = " // 0000000010" + std::to_string(10 + 4 * i) + ": 0\n";
    permutes += "\tds_bpermute_b32 v4, v4, v1" + place;
    additions += "\tv_add_f32_dpp v1, v1, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf" + place;
  }
  EXPECT_EQ(read({.symbol = symbol, .code = additions}).exit_code, 0)
      << read({.symbol = symbol, .code = additions}).output;
  const Finished shuffled = read({.symbol = symbol, .code = permutes});
  EXPECT_EQ(shuffled.exit_code, 1);
  EXPECT_TRUE(has(shuffled, "add_row_by_shuffle on gfx90a has 6 of 'permute' where 0 were meant")) << shuffled.output;
}

/// Two instructions of 32,768 FLOPs each, at 512 a clock of an MI300X's SIMD; 16 bytes a lane from shared memory,
/// at 32.
TEST_F(AmdCode, ARooflineCountsTheInnerLoopOnly) {
  const std::string symbol = MadeUpKernel().symbol;
  const Finished loop = read({.code = "\tv_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] // 000000001000: 0\n"
                                      "\tds_read_b128 v[0:3], v9 // 000000001008: 0\n"
                                      "\tv_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] // 000000001010: 0\n"
                                      "\tv_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] // 000000001018: 0\n"
                                      "\ts_cbranch_scc0 65529 // 000000001020: BF84FFF9 <" +
                                      symbol + "+0x8>\n"},
                             "gfx942");
  EXPECT_TRUE(has(loop, "gfx942      64       ·      32       ·  100 % of the matrix peak\n")) << loop.output;
  EXPECT_FALSE(
      has(read({.code = "\tv_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[2:3], v[0:15] // 000000001000: 0\n"}, "gfx942"),
          "Static roofline"))
      << "there is no loop";
}

TEST_F(AmdCode, WithoutKernelsIsWrong) {
  EXPECT_EQ(read({.symbol = "_ZN7rocprim6kernelEv"}).exit_code, 1);
  EXPECT_EQ(run_process((source_tree() / "scripts/amd_code").string()).exit_code, 2);
}

}  // namespace
}  // namespace crosswarp
