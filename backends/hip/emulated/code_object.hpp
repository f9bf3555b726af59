// Code objects of AMD's GPUs in the host's memory: the bundle that the compiler embeds, its ELF file for one
// architecture, and the kernels that it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosswarp::amd_emulated {

/// What the code object's metadata say of a kernel (LLVM's AMDGPU guide, "Code Object Metadata").
struct Kernel {
  struct Argument {
    std::size_t offset, size;  ///< Bytes, within the kernarg segment.
    std::string kind;          ///< `.value_kind`: by_value, global_buffer, hidden_block_count_x …
  };

  std::string name;
  const std::byte* descriptor = nullptr;  ///< 64 bytes, in the loaded code object.
  std::size_t kernarg_bytes = 0;
  std::size_t group_bytes = 0;    ///< Static LDS.
  std::size_t private_bytes = 0;  ///< Of a thread.
  std::size_t max_threads = 0;    ///< Of a block.
  int vector_registers = 0;       ///< Of a thread, accumulation registers included.
  std::vector<Argument> arguments{};
};

/// A code object with its segments loaded and relocated. It stays at its address.
class CodeObject {
 public:
  /// Throws Error for a file that is not a code object of AMD's, and for a relocation of unknown type.
  explicit CodeObject(std::span<const std::byte> elf);

  /// Null where it has no kernel of this (mangled) name.
  const Kernel* kernel(const std::string& name) const;
  /// Memory of a variable; empty where it has none of this name.
  std::span<std::byte> variable(const std::string& name) const;

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<std::byte, Unmap> image_;
  std::map<std::string, std::span<std::byte>> variables_;  // kernel descriptors, too
  std::map<std::string, Kernel> kernels_;
};

/// The code object for `architecture` (gfx90a) in the bundle at `bundle`; empty where it has none. Throws Error for a
/// bundle in another format.
std::span<const std::byte> find_code_object(const std::byte* bundle, std::string_view architecture);

}  // namespace crosswarp::amd_emulated
