// The stand-in for AMD's HIP runtime, without a compiler for AMD's GPUs: a code object made here, and an emulator that
// looks at the packets it is given.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "backends/hip/emulated/code_object.hpp"
#include "backends/hip/emulated/dispatch.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp::amd_emulated {
namespace {

using Bytes = std::vector<std::byte>;
using Json = nlohmann::json;

void append_text(Bytes& to, std::string_view text) {
  for (const char c : text) to.push_back(static_cast<std::byte>(c));
}

template <class T>
void append(Bytes& to, const T& value) {
  append_text(to, {reinterpret_cast<const char*>(&value), sizeof value});
}

Json argument(std::size_t offset, std::size_t size, const char* kind) {
  return {{".offset", offset}, {".size", size}, {".value_kind", kind}};
}

/// Of a kernel `add` of (float*, std::uint16_t), compiled for 256 threads, with 1,024 bytes of LDS.
Json metadata_of_add() {
  return {{"amdhsa.kernels",
           Json::array(
               {{{".name", "add"},
                 {".symbol", "add.kd"},
                 {".kernarg_segment_size", 48},
                 {".group_segment_fixed_size", 1024},
                 {".private_segment_fixed_size", 16},
                 {".max_flat_workgroup_size", 256},
                 {".vgpr_count", 100},
                 {".args",
                  Json::array({argument(0, 8, "global_buffer"), argument(8, 2, "by_value"),
                               argument(16, 4, "hidden_block_count_x"), argument(20, 4, "hidden_block_count_y"),
                               argument(28, 2, "hidden_group_size_x"), argument(34, 2, "hidden_remainder_x"),
                               argument(40, 2, "hidden_grid_dims"), argument(44, 4, "hidden_dynamic_lds_size")})}}})}};
}

/// One segment, loaded at 0: descriptor of `add`, variable `table`, a pointer to that, symbols, relocation.
Bytes code_object(const Json& metadata, std::uint32_t relocation_type = 13) {
  constexpr std::size_t descriptor = 0x400, variable = 0x440, pointer = 0x450;
  Bytes names;
  append_text(names, std::string_view("\0add.kd\0table\0", 14));
  const auto packed = Json::to_msgpack(metadata);
  Bytes note;
  append(note, Elf64_Nhdr{7, static_cast<Elf64_Word>(packed.size()), 32});
  append_text(note, std::string_view("AMDGPU\0\0", 8));
  for (const std::uint8_t byte : packed) note.push_back(static_cast<std::byte>(byte));

  Bytes file(0x1000);
  const auto put = [&](std::size_t at, const auto& value) { std::memcpy(file.data() + at, &value, sizeof value); };
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = 224;
  header.e_phoff = sizeof header;
  header.e_phnum = 3;
  put(0, header);
  const auto segment = [&](std::size_t i, std::uint32_t type, std::size_t at, std::size_t bytes) {
    put(sizeof header + i * sizeof(Elf64_Phdr), Elf64_Phdr{type, 0, at, at, at, bytes, bytes, 8});
  };
  segment(0, PT_LOAD, 0, file.size());
  segment(1, PT_DYNAMIC, 0x200, 5 * sizeof(Elf64_Dyn));
  segment(2, PT_NOTE, 0x800, note.size());
  const std::size_t tags[][2] = {
      {DT_HASH, 0x280}, {DT_SYMTAB, 0x300}, {DT_STRTAB, 0x380}, {DT_RELA, 0x3a0}, {DT_RELASZ, sizeof(Elf64_Rela)}};
  for (std::size_t i = 0; i < std::size(tags); ++i)
    put(0x200 + i * sizeof(Elf64_Dyn), Elf64_Dyn{static_cast<Elf64_Sxword>(tags[i][0]), {tags[i][1]}});
  put(0x284, std::uint32_t{3});  // symbols; the first one is empty
  put(0x300 + sizeof(Elf64_Sym), Elf64_Sym{1, 0, 0, 1, descriptor, 64});
  put(0x300 + 2 * sizeof(Elf64_Sym), Elf64_Sym{8, 0, 0, 1, variable, 16});
  put(0x3a0, Elf64_Rela{pointer, relocation_type, variable});
  std::memcpy(file.data() + 0x380, names.data(), names.size());
  std::memcpy(file.data() + 0x800, note.data(), note.size());
  return file;
}

TEST(CodeObject, HasKernelsVariablesAndRelocations) {
  const CodeObject code(code_object(metadata_of_add()));
  const Kernel* const add = code.kernel("add");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->kernarg_bytes, 48u);
  EXPECT_EQ(add->group_bytes, 1024u);
  EXPECT_EQ(add->arguments.size(), 8u);
  EXPECT_EQ(code.kernel("subtract"), nullptr);
  const auto table = code.variable("table");
  ASSERT_EQ(table.size(), 16u);
  EXPECT_TRUE(code.variable("chair").empty());
  const std::byte* pointed_at = nullptr;
  std::memcpy(&pointed_at, table.data() + 0x10, sizeof pointed_at);
  EXPECT_EQ(pointed_at, table.data()) << "the relocation";
}

TEST(CodeObject, RefusesOtherFiles) {
  const auto load = [](const Bytes& file) { return [=] { CodeObject{file}; }; };
  EXPECT_TRUE(refuses(load({}), "not a code object"));
  Bytes other = code_object(metadata_of_add());
  other[offsetof(Elf64_Ehdr, e_machine)] = std::byte{62};
  EXPECT_TRUE(refuses(load(other), "not a code object"));
  EXPECT_TRUE(refuses(load(code_object(metadata_of_add(), 99)), "relocation of type 99"));
}

TEST(CodeObject, IsFoundByArchitectureInABundle) {
  Bytes bundle;
  append_text(bundle, "__CLANG_OFFLOAD_BUNDLE__");
  append(bundle, std::uint64_t{3});
  const auto entry = [&](std::uint64_t offset, std::uint64_t bytes, std::string_view target) {
    append(bundle, offset);
    append(bundle, bytes);
    append(bundle, std::uint64_t{target.size()});
    append_text(bundle, target);
  };
  entry(500, 0, "host-x86_64-unknown-linux-gnu");
  entry(500, 7, "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-");
  entry(600, 9, "hipv4-amdgcn-amd-amdhsa--gfx942");
  bundle.resize(700);
  EXPECT_EQ(find_code_object(bundle.data(), "gfx90a").data(), bundle.data() + 500);
  EXPECT_EQ(find_code_object(bundle.data(), "gfx942").size(), 9u);
  EXPECT_TRUE(find_code_object(bundle.data(), "gfx94").empty());
  EXPECT_TRUE(find_code_object(bundle.data(), "x86_64").empty());
  bundle[0] = std::byte{'C'};
  EXPECT_TRUE(refuses([&] { find_code_object(bundle.data(), "gfx942"); }, "--no-offload-compress"));
}

/// What the emulator was given last, and what it answers.
struct Seen {
  crosswarp_amd_packet packet;
  Bytes arguments;
  std::string architecture, kernel;
  std::uint32_t concurrent;
};
Seen seen;
const char* answer = nullptr;

const char* look(const char* architecture, const char* kernel, const crosswarp_amd_packet* packet,
                 std::uint32_t concurrent) {
  const auto* const arguments = reinterpret_cast<const std::byte*>(packet->kernarg_address);
  seen = {*packet, {arguments, arguments + 48}, architecture, kernel, concurrent};
  return answer;
}
constexpr crosswarp_amd_emulator looking{crosswarp_amd_interface, "looks", nullptr, look};

template <class T>
T argument_at(std::size_t offset) {
  T value;
  std::memcpy(&value, seen.arguments.data() + offset, sizeof value);
  return value;
}

class Dispatching : public testing::Test {
 protected:
  Dispatching() { answer = nullptr; }
  void launch(const Launch& launch) { run(module, "gfx942", prepare(*code.kernel("add"), launch, values)); }

  const CodeObject code{code_object(metadata_of_add())};
  const Module module{.emulator = &looking};
  const float* const pointer = reinterpret_cast<const float*>(0x123456789abcdef0);
  const std::uint16_t number = 0x4321;
  const void* const values[2] = {&pointer, &number};
};

TEST_F(Dispatching, FillsThePacketAndTheArguments) {
  launch({.grid = {5, 3, 1}, .block = {64, 2, 1}, .dynamic_bytes = 256});
  EXPECT_EQ(seen.architecture, "gfx942");
  EXPECT_EQ(seen.kernel, "add");
  EXPECT_EQ(seen.packet.grid_size_x, 320u);
  EXPECT_EQ(seen.packet.grid_size_y, 6u);
  EXPECT_EQ(seen.packet.grid_size_z, 1u);
  EXPECT_EQ(seen.packet.workgroup_size_x, 64u);
  EXPECT_EQ(seen.packet.workgroup_size_y, 2u);
  EXPECT_EQ(seen.packet.group_segment_size, 1280u);
  EXPECT_EQ(seen.packet.private_segment_size, 16u);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(seen.packet.kernel_object), code.kernel("add")->descriptor);
  EXPECT_EQ(argument_at<const float*>(0), pointer);
  EXPECT_EQ(argument_at<std::uint16_t>(8), number);
  EXPECT_EQ(argument_at<std::uint32_t>(16), 5u);
  EXPECT_EQ(argument_at<std::uint32_t>(20), 3u);
  EXPECT_EQ(argument_at<std::uint16_t>(28), 64u);
  EXPECT_EQ(argument_at<std::uint16_t>(34), 0u) << "no block is smaller than the others";
  EXPECT_EQ(argument_at<std::uint16_t>(40), 2u);
  EXPECT_EQ(argument_at<std::uint32_t>(44), 256u);
}

TEST_F(Dispatching, TellsHowManyBlocksAreResident) {
  // 104 registers of 512: 4 waves on each of 4 SIMDs, so 4 blocks of 4 waves on each of 2 compute units.
  launch({.grid = {100, 1, 1}, .block = {256, 1, 1}});
  EXPECT_EQ(seen.concurrent, 8u);
  launch({.grid = {100, 1, 1}, .block = {256, 1, 1}, .dynamic_bytes = 31 << 10});  // two blocks' LDS fit
  EXPECT_EQ(seen.concurrent, 4u);
}

TEST_F(Dispatching, RefusesWhatADeviceRefuses) {
  const auto of = [&](const Launch& given) { return [=, this] { launch(given); }; };
  EXPECT_TRUE(refuses(of({.grid = {1, 1, 1}, .block = {257, 1, 1}}), "a block of 257 threads"));
  EXPECT_TRUE(refuses(of({.grid = {1, 1, 1}, .block = {0, 1, 1}}), "a block of 0 threads"));
  EXPECT_TRUE(refuses(of({.grid = {0, 1, 1}, .block = {64, 1, 1}}), "a grid of 0 by 1 by 1"));
  EXPECT_TRUE(refuses(of({.grid = {1, 65536, 1}, .block = {64, 1, 1}}), "a grid of 1 by 65536"));
  EXPECT_TRUE(refuses(of({.grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_bytes = 64 << 10}), "bytes of LDS"));
  EXPECT_TRUE(refuses(of({.grid = {9, 1, 1}, .block = {256, 1, 1}, .is_cooperative = true}), "8 are resident"));
}

TEST_F(Dispatching, PassesOnWhatTheEmulatorSays) {
  answer = "lacks v_nothing_b32";
  EXPECT_TRUE(refuses([&] { launch({.grid = {1, 1, 1}, .block = {64, 1, 1}}); }, "add: lacks v_nothing_b32"));
}

TEST(EmulatorModule, SaysWhyThereIsNone) {
  EXPECT_NE(load_module(nullptr, nullptr).why_none.find("set CROSSWARP_AMD_EMULATOR"), std::string::npos);
  EXPECT_NE(load_module("/nowhere.so", nullptr).why_none.find("/nowhere.so"), std::string::npos);
  EXPECT_NE(load_module("libm.so.6", nullptr).why_none.find("does not export"), std::string::npos);
  EXPECT_TRUE(load_module(nullptr, nullptr).architectures.empty());
}

}  // namespace
}  // namespace crosswarp::amd_emulated
