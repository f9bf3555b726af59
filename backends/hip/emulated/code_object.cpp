// Formats: LLVM's AMDGPU guide ("Code Object", relocations, metadata) and clang's offload bundler.
#include "backends/hip/emulated/code_object.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace crosswarp::amd_emulated {
namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::uint16_t machine_amdgpu = 224;
constexpr std::uint32_t note_metadata = 32;  // NT_AMDGPU_METADATA
constexpr std::uint32_t relocation_absolute_64 = 3, relocation_relative_64 = 13;
constexpr std::size_t page = 4096;

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
std::vector<T> load_many(const std::byte* from, std::size_t count) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), from, count * sizeof(T));
  return values;
}

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// The metadata in a note segment; null where it holds none.
nlohmann::json metadata(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    const auto header = load<Elf64_Nhdr>(notes.data());
    const std::size_t name = round_up(header.n_namesz, 4);
    const auto body = notes.subspan(sizeof header + name, header.n_descsz);
    if (header.n_type == note_metadata)
      return nlohmann::json::from_msgpack(reinterpret_cast<const std::uint8_t*>(body.data()),
                                          reinterpret_cast<const std::uint8_t*>(body.data() + body.size()));
    notes = notes.subspan(std::min(notes.size(), sizeof header + name + round_up(body.size(), 4)));
  }
  return nullptr;
}

Kernel described(const nlohmann::json& from) {
  Kernel kernel{.name = from.at(".name"),
                .kernarg_bytes = from.at(".kernarg_segment_size"),
                .group_bytes = from.at(".group_segment_fixed_size"),
                .private_bytes = from.at(".private_segment_fixed_size"),
                .max_threads = from.at(".max_flat_workgroup_size"),
                .vector_registers = from.at(".vgpr_count")};
  for (const auto& argument : from.value(".args", nlohmann::json::array()))
    kernel.arguments.push_back({argument.at(".offset"), argument.at(".size"), argument.at(".value_kind")});
  return kernel;
}

}  // namespace

void CodeObject::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

CodeObject::CodeObject(std::span<const std::byte> elf) : image_(nullptr, Unmap{0}) {
  const auto header = elf.size() < sizeof(Elf64_Ehdr) ? Elf64_Ehdr{} : load<Elf64_Ehdr>(elf.data());
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != machine_amdgpu)
    throw Error("this is not a code object of AMD's GPUs");
  const auto segments = load_many<Elf64_Phdr>(elf.data() + header.e_phoff, header.e_phnum);

  std::size_t bytes = 0;
  for (const Elf64_Phdr& s : segments)
    if (s.p_type == PT_LOAD) bytes = std::max<std::size_t>(bytes, s.p_vaddr + s.p_memsz);
  bytes = round_up(bytes, page) + page;  // instructions are prefetched past their end
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(fmt::format("the host has no {} KiB for a code object", bytes >> 10));
  image_ = {static_cast<std::byte*>(memory), Unmap{bytes}};
  std::byte* const image = image_.get();

  nlohmann::json kernels;
  std::map<std::int64_t, std::uint64_t> dynamic;
  for (const Elf64_Phdr& s : segments) {
    const auto content = elf.subspan(s.p_offset, s.p_filesz);
    if (s.p_type == PT_LOAD && !content.empty()) std::memcpy(image + s.p_vaddr, content.data(), content.size());
    if (s.p_type == PT_NOTE && kernels.is_null()) kernels = metadata(content);
    if (s.p_type == PT_DYNAMIC)
      for (const auto& entry : load_many<Elf64_Dyn>(content.data(), content.size() / sizeof(Elf64_Dyn)))
        dynamic[entry.d_tag] = entry.d_un.d_val;
  }
  if (kernels.is_null()) throw Error("the code object has no metadata");

  // The hash table's second word is the number of symbols.
  const std::size_t count = load<std::uint32_t>(image + dynamic.at(DT_HASH) + sizeof(std::uint32_t));
  const auto symbols = load_many<Elf64_Sym>(image + dynamic.at(DT_SYMTAB), count);
  const auto* const names = reinterpret_cast<const char*>(image + dynamic.at(DT_STRTAB));
  for (const Elf64_Sym& symbol : symbols)
    if (symbol.st_shndx != SHN_UNDEF)
      variables_[names + symbol.st_name] = {image + symbol.st_value, static_cast<std::size_t>(symbol.st_size)};

  if (dynamic.contains(DT_RELA))
    for (const auto& relocation :
         load_many<Elf64_Rela>(image + dynamic.at(DT_RELA), dynamic.at(DT_RELASZ) / sizeof(Elf64_Rela))) {
      std::uint64_t value = reinterpret_cast<std::uint64_t>(image) + relocation.r_addend;
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type == relocation_absolute_64)
        value += symbols.at(ELF64_R_SYM(relocation.r_info)).st_value;
      else if (type != relocation_relative_64)
        throw Error(fmt::format("the code object has a relocation of type {}, which is not supported", type));
      std::memcpy(image + relocation.r_offset, &value, sizeof value);
    }

  for (const auto& one : kernels.at("amdhsa.kernels")) {
    Kernel kernel = described(one);
    kernel.descriptor = variables_.at(one.at(".symbol").get<std::string>()).data();
    kernels_.emplace(kernel.name, kernel);
  }
}

const Kernel* CodeObject::kernel(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

std::span<std::byte> CodeObject::variable(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::span<std::byte>{} : found->second;
}

std::span<const std::byte> find_code_object(const std::byte* bundle, std::string_view architecture) {
  if (std::memcmp(bundle, bundle_magic.data(), bundle_magic.size()) != 0)
    throw Error("the program's code objects are not in a plain bundle; compile with --no-offload-compress");
  const std::byte* at = bundle + bundle_magic.size();
  const auto next = [&] {
    const auto value = load<std::uint64_t>(at);
    at += sizeof value;
    return value;
  };
  for (std::uint64_t entries = next(); entries > 0; --entries) {
    const std::uint64_t offset = next(), bytes = next(), length = next();
    const std::string_view target(reinterpret_cast<const char*>(at), length);
    at += length;
    // hipv4-amdgcn-amd-amdhsa--gfx90a:xnack- : kind, triple, processor and its features
    const std::string_view processor = target.substr(std::min(target.find("gfx"), target.size()));
    if (target.starts_with("hip") && processor.substr(0, processor.find(':')) == architecture)
      return {bundle + offset, bytes};
  }
  return {};
}

}  // namespace crosswarp::amd_emulated
