// Follows includes from each variant's file.
#include "cmake/variant_sources/variant_sources.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "cmake/variant_sources/source_text.hpp"

namespace crosswarp::build {
namespace {

namespace fs = std::filesystem;

class Tree {
 public:
  explicit Tree(fs::path root) : root_(std::move(root)) {}

  bool has(const std::string& path) const { return fs::exists(root_ / path); }

  const SourceText& read(const std::string& path) {
    const auto [file, is_new] = files_.try_emplace(path);
    if (is_new) {
      std::ifstream stream(root_ / path);
      if (!stream) throw std::runtime_error(path + ": cannot be read");
      std::ostringstream text;
      text << stream.rdbuf();
      file->second = read_source(text.str());
    }
    return file->second;
  }

  /// Files `backends/<backend>/<experiment>/<variant>.{cu,cpp}`, by `<experiment>/<variant>`.
  std::map<std::string, std::string> variants(const std::string& backend) const {
    std::map<std::string, std::string> found;
    for (const auto& folder : fs::directory_iterator(root_ / "backends" / backend)) {
      if (!folder.is_directory()) continue;
      for (const auto& file : fs::directory_iterator(folder))
        if (file.path().extension() == ".cu" || file.path().extension() == ".cpp") {
          const std::string experiment = folder.path().filename().string();
          found[experiment + "/" + file.path().stem().string()] =
              "backends/" + backend + "/" + experiment + "/" + file.path().filename().string();
        }
    }
    return found;
  }

 private:
  fs::path root_;
  std::map<std::string, SourceText> files_;
};

/// A backend's variants: experiment and name to path.
struct Room {
  std::string backend;
  std::map<std::string, std::string> variants;
};

/// A backend with a folder platform/ compiles the kernels of backends/cuda that it does not replace.
Room room(const Tree& tree, const std::string& backend) {
  Room room{backend, tree.variants(backend)};
  if (tree.has("backends/" + backend + "/platform")) room.variants.merge(tree.variants("cuda"));
  return room;
}

/// The file that `#include "header"` names; empty for core's, which measures and holds no kernel.
std::string resolve(const Tree& tree, const Room& room, const std::string& header, const std::string& from) {
  if (header.starts_with("core/")) return {};
  const std::string path = header.starts_with("platform/") ? "backends/" + room.backend + "/" + header : header;
  if (!tree.has(path)) throw std::runtime_error(from + ": #include \"" + header + "\" is no file of the project");
  return path;
}

/// The file of the kernel that a qualifier like `reduce_sum_last_block` links to; empty for none. CONTRIBUTING.md has
/// this convention.
std::string linked_kernel(const Room& room, const std::string& qualifier) {
  for (const auto& [variant, path] : room.variants) {
    std::string name = variant;
    std::ranges::replace(name, '/', '_');
    if (name == qualifier) return path;
  }
  return {};
}

/// All files that `path` includes or links to, itself among them.
std::set<std::string> reached_from(Tree& tree, const Room& room, const std::string& path) {
  std::set<std::string> reached;
  std::vector<std::string> open{path};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (next.empty() || !reached.insert(next).second) continue;
    const SourceText& text = tree.read(next);
    for (const std::string& header : text.includes) open.push_back(resolve(tree, room, header, next));
    for (const std::string& name : text.namespaces) open.push_back(linked_kernel(room, name));
  }
  return reached;
}

/// Kokkos's and the host's is queue.hpp; that of kernels stands in backends/gpu and platform/.
bool is_api(const fs::path& path) {
  return path.filename() == "queue.hpp" || path.parent_path().filename() == "platform";
}

VariantSource describe(Tree& tree, const Room& room, const std::string& id, const std::string& path) {
  VariantSource source{id, path, "", tree.read(path).code_lines};
  const std::string folder = path.substr(0, path.find('/', std::string_view("backends/").size()) + 1);
  std::vector<std::string> texts;  // sorted, so that neither names nor the order of includes matter
  for (const std::string& file : reached_from(tree, room, path)) {
    const SourceText& text = tree.read(file);
    if (file.starts_with(folder) && !is_api(file)) source.lines_with_headers += text.code_lines;
    if (file != path) texts.push_back(text.tokens);
  }
  std::ranges::sort(texts);
  std::string all = tree.read(path).tokens;
  for (const std::string& text : texts) all += '\0' + text;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(fnv1a(all)));
  source.hash = digits;
  return source;
}

}  // namespace

std::vector<VariantSource> variant_sources(const fs::path& root) {
  Tree tree(root);
  std::vector<VariantSource> all;
  for (const auto& folder : fs::directory_iterator(root / "backends")) {
    if (!folder.is_directory()) continue;
    const Room variants = room(tree, folder.path().filename().string());
    for (const auto& [variant, path] : variants.variants) {
      all.push_back(describe(tree, variants, variants.backend + "/" + variant, path));
      if (variants.backend != "simt") continue;
      all.push_back(all.back());  // one emulation, two sizes of warps
      all.back().id = "simt64/" + variant;
    }
  }
  std::ranges::sort(all, {}, &VariantSource::id);
  return all;
}

}  // namespace crosswarp::build
