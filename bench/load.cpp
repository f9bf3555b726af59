// A module's registrars run when it is loaded, and find the registry among the program's own symbols. So it has to be
// known before whether both mean the same by them: a module carries a mark, which is read from its file.
#include "bench/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "bench/version.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

/// What the module was built against; nothing where the file is no module.
std::optional<std::string> built_against(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error("cannot be read");
  const std::string mark = "crosswarp module for ";  // cmake/version.cmake writes it
  const auto at = content.find(mark);
  if (at == content.npos || content[at + mark.size()] == '\0') return {};  // this program has the mark alone
  ElfW(Ehdr) header{};
  content.copy(reinterpret_cast<char*>(&header), sizeof header);
  if (content.size() < header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize)  // which end the file
    throw Error("is not whole; build or copy it again");
  return content.c_str() + at + mark.size();
}

/// The module that is being loaded, for refuse().
std::string loading;

/// What a registrar throws cannot pass through dlopen(), and ends the program: in one line, as any other Error.
[[noreturn]] void refuse() {
  std::string what = "its registrars failed";
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  std::cerr << fmt::format("bench: --load {}: {}\n", loading, what) << std::flush;
  std::_Exit(2);
}

void load(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) throw Error("there is no such file");
  const auto theirs = built_against(path);
  if (!theirs) throw Error("not a module; crosswarp_add_variants() of crosswarp's CMake package builds them");
  const std::string ours = fmt::format("version {} with headers {}", version(), headers());
  if (*theirs != ours)
    throw Error(
        fmt::format("built against crosswarp {}, and this is {}: build it anew against this one", *theirs, ours));
  const std::string absolute = std::filesystem::absolute(path);  // a bare name would be looked for elsewhere
  if (dlopen(absolute.c_str(), RTLD_NOW | RTLD_NOLOAD)) return;
  Registry& registry = Registry::instance();
  const std::size_t before = registry.variants().size();
  registry.set_module(path);
  loading = path;
  const std::terminate_handler usual = std::set_terminate(refuse);
  if (!dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL)) throw Error(fmt::format("cannot be loaded: {}", dlerror()));
  std::set_terminate(usual);
  if (registry.variants().size() == before) throw Error("holds no variant");
}

}  // namespace

void load_module(const std::string& path) {
  try {
    load(path);
  } catch (const Error& error) {
    throw Error(fmt::format("--load {}: {}", path, error.what()));
  }
}

}  // namespace crosswarp
