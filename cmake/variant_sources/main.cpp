// variant_sources ROOT [OUTPUT]: hash and size of every variant's source, as JSON on standard output or as the C++ file
// OUTPUT. The build makes the latter a part of the program.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "cmake/variant_sources/variant_sources.hpp"

namespace {

using namespace crosswarp::build;

std::string json(const std::vector<VariantSource>& sources) {
  std::ostringstream text;
  for (const VariantSource& s : sources)
    text << (text.tellp() > 0 ? ",\n" : "{") << '"' << s.id << R"(": {"path": ")" << s.path << R"(", "hash": ")"
         << s.hash << R"(", "lines": )" << s.lines << R"(, "lines_with_headers": )" << s.lines_with_headers << "}";
  text << "}\n";
  return text.str();
}

std::string cpp(const std::vector<VariantSource>& sources) {
  std::ostringstream text;
  text << "// Made by cmake/variant_sources.\n#include \"core/variant_sources.hpp\"\n\nnamespace crosswarp {\n\n"
          "std::span<const BuiltInSource> built_in_sources() {\n  static const BuiltInSource all[] = {\n";
  for (const VariantSource& s : sources)
    text << "    {\"" << s.id << "\", \"" << s.path << "\", \"" << s.hash << "\", " << s.lines << ", "
         << s.lines_with_headers << "},\n";
  text << "  };\n  return all;\n}\n\n}  // namespace crosswarp\n";
  return text.str();
}

std::string content(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 3) throw std::runtime_error("variant_sources ROOT [OUTPUT]");
  const std::vector<VariantSource> sources = variant_sources(argv[1]);
  if (argc == 2) {
    std::cout << json(sources);
  } else if (const std::string text = cpp(sources); text != content(argv[2])) {  // else nothing is built anew
    std::ofstream file(argv[2]);
    if (!(file << text << std::flush)) throw std::runtime_error(std::string(argv[2]) + ": cannot be written");
  }
} catch (const std::exception& error) {
  std::cerr << "variant_sources: " << error.what() << "\n";
  return 1;
}
