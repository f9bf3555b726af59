// Hashes of variants' sources: what changes them, and what does not.
#include "core/variant_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>

#include "cmake/variant_sources/source_text.hpp"
#include "cmake/variant_sources/variant_sources.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using build::read_source;

bool same(std::string_view a, std::string_view b) { return read_source(a).tokens == read_source(b).tokens; }

TEST(SourceText, LeavesOutCommentsAndWhitespace) {
  EXPECT_TRUE(same("int a = b; // c\n", "/* d\n e */ int a=b ;"));
  EXPECT_TRUE(same("int a; // c \\\n goes on\n", "int a; // c \\\n goes on")) << "a comment at the end of the text";
  EXPECT_TRUE(same("#define A(b) \\\n  (b)\nint c;", "#define  A( b ) ( b )  // why\nint c;"));
  EXPECT_TRUE(same("#include \"core/x.hpp\"\n#include <cub/cub.cuh>\nint a;", "int a;"));
  EXPECT_FALSE(same("int a = b;", "int a = c;"));
  EXPECT_FALSE(same("int ab;", "int a b;"));
  EXPECT_FALSE(same("#define A b\nc", "#define A b c"));
  EXPECT_FALSE(same("#pragma unroll 4\nf();", "f();"));
}

TEST(SourceText, KeepsLiterals) {
  EXPECT_FALSE(same(R"(f("a b");)", R"(f("ab");)"));
  EXPECT_FALSE(same(R"(f("//a");)", R"(f("//b");)"));
  EXPECT_FALSE(same(R"(f("\"//a");)", R"(f("\"//b");)"));
  EXPECT_FALSE(same("f('\"'); // a\ng();", "f('\"');\nh();"));
  EXPECT_TRUE(same("n = 1'000; // it's", "n = 1'000;"));
  EXPECT_FALSE(same("f(R\"x(/* )\" a */)x\");", "f(R\"x(/* )\" b */)x\");"));
  EXPECT_TRUE(same("asm(\"a;\" // comment\n    \"b;\");", "asm(\"a;\" \"b;\");"));
}

TEST(SourceText, EndsAtAnyTruncation) {
  const std::string text =
      "#if A\\\n /* b */ R\"x(c)x\" 'd' \"e\\\" f\" // g\n#include \"h\"\nRegister<I> j{{.idea = \"k\"}};";
  for (std::size_t size = 0; size <= text.size(); ++size) EXPECT_LE(read_source(text.substr(0, size)).code_lines, 4u);
}

constexpr const char* variant = R"(
const Register<E> variant{{
    .idea = "an idea, in words",
    .bound_by = "memory",
    .applies = [](const Point& p) { return p.integer("n") > 1; },
    .tunings = {{{{"waves", 16}}}},
    .launch = run,
    .instructions = {{"FFMA", 64}, {"FADD", 1}},
}};
int behind;)";

/// `variant` with `old` replaced.
std::string with(const std::string& old, const std::string& text) {
  std::string changed = variant;
  const auto at = changed.find(old);
  if (at == changed.npos) throw std::invalid_argument(old);
  return changed.replace(at, old.size(), text);
}

TEST(SourceText, KnowsDescriptionsByTheirNamesInVariant) {
  std::ifstream file(CROSSWARP_SOURCE "/core/variant_entry.hpp");
  const std::string declared{std::istreambuf_iterator<char>(file), {}};
  for (const std::string_view name : build::descriptive)
    EXPECT_TRUE(std::regex_search(declared, std::regex(" " + std::string(name) + "( =|;)"))) << name;
}

TEST(SourceText, LeavesOutDescriptionsOfVariants) {
  EXPECT_TRUE(same(variant, with("an idea, in words", "another")));
  EXPECT_TRUE(same(variant, with("\"memory\"", "std::string(\"a\") + f({1, 2}, [] { return 3; })")));
  EXPECT_TRUE(same(variant, with("    .bound_by = \"memory\",\n", "")));
  EXPECT_TRUE(
      same(variant, with("    .launch", "    .gaps = {{GapClass::tuning, \"why\"}}, .counterparts = {\"c\"},\n    .launch")));
  EXPECT_TRUE(same(variant, with("{\"FADD\", 1}", "{\"FADD\", 2}")));
  EXPECT_TRUE(same("Register<E> v{{.launch = run, .idea = \"a\"}}; int b;", "Register<E> v{{.launch = run,}}; int b;"));
  EXPECT_FALSE(same(variant, with("16", "8"))) << "a tuning";
  EXPECT_FALSE(same(variant, with("= run", "= other")));
  EXPECT_FALSE(same(variant, with("> 1", "> 2"))) << "the points of applies";
  EXPECT_FALSE(same(variant, with("behind", "beyond"))) << "code behind the registration";
}

TEST(SourceText, KeepsMembersOfThatNameElsewhere) {
  EXPECT_FALSE(same("Config c{.gap = 1};", "Config c{.gap = 2};"));
  EXPECT_FALSE(same("const Register<E> v{{.launch = f}}; Config c{{.gap = 1}};",
                    "const Register<E> v{{.launch = f}}; Config c{{.gap = 2}};"));
}

TEST(SourceText, CountsLinesOfCode) {
  EXPECT_EQ(read_source("").code_lines, 0u);
  EXPECT_EQ(read_source("// a\n\n/* b\n\nc */\n").code_lines, 0u);
  EXPECT_EQ(read_source("/* a */ int b;\n\n  // c\n#define D \\\n  e\n}").code_lines, 4u);
  EXPECT_EQ(read_source("f(R\"(a\n\nb)\");\n").code_lines, 2u) << "blank lines within a literal are no code";
}

/// A source tree of a few files in the test's folder.
class SourceTree : public testing::Test {
 protected:
  SourceTree() {
    fs::remove_all(root_);
    write("backends/cuda/sum/plain.cu",
          "#include \"backends/cuda/sum/types.hpp\"\n#include \"core/x.hpp\"\nplain();\n");
    write("backends/cuda/sum/best.cu", "#include \"backends/cuda/sum/dispatch.hpp\"\nsum_plain::run();\n");
    write("backends/cuda/sum/dispatch.hpp", "namespace sum_plain { void run(); }\n");
    write("backends/cuda/sum/types.hpp",
          "#include \"backends/gpu/kernel.hpp\"\n#include \"experiments/sum.hpp\"\ntypes\n");
    write("backends/cuda/platform/kernel.hpp", "cuda\n");
    write("backends/hip/platform/kernel.hpp", "hip\n");
    write("backends/hip/sum/best.cu", "best_of_hip();\n");
    write("backends/gpu/kernel.hpp", "#pragma once\n#include \"platform/kernel.hpp\"\n");
    write("backends/kokkos/sum/plain.cpp", "#include \"backends/kokkos/queue.hpp\"\nplain();\n");
    write("backends/kokkos/queue.hpp", "api\napi\n");
    write("experiments/sum.hpp", "args\n");
  }
  ~SourceTree() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  using Sources = std::map<std::string, build::VariantSource>;
  Sources sources() const {
    Sources by_id;
    for (const auto& source : build::variant_sources(root_)) by_id[source.id] = source;
    return by_id;
  }

  /// Variants whose hash changes where a file's text is replaced. The file is as before afterwards.
  std::string changed_by(const std::string& path, const std::string& text) {
    const Sources before = sources();
    std::ifstream file(root_ / path);
    const std::string old{std::istreambuf_iterator<char>(file), {}};
    write(path, text);
    std::string changed;
    for (const auto& [id, source] : sources())
      if (source.hash != before.at(id).hash) changed += (changed.empty() ? "" : " ") + id;
    write(path, old);
    return changed;
  }

  fs::path root_ = fs::path(testing::TempDir()) /
                   ("crosswarp_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(SourceTree, HashesFollowIncludesOfTheProject) {
  EXPECT_EQ(changed_by("backends/cuda/sum/types.hpp",
                       "// a comment\n#include \"experiments/sum.hpp\"\n"
                       "#include \"backends/gpu/kernel.hpp\"\ntypes"),
            "");
  EXPECT_EQ(changed_by("experiments/sum.hpp", "other args"), "cuda/sum/best cuda/sum/plain hip/sum/plain");
  EXPECT_EQ(changed_by("backends/cuda/platform/kernel.hpp", "other"), "cuda/sum/best cuda/sum/plain");
  EXPECT_EQ(changed_by("backends/hip/platform/kernel.hpp", "other"), "hip/sum/plain");
  EXPECT_EQ(changed_by("backends/kokkos/queue.hpp", "other"), "kokkos/sum/plain");
}

TEST_F(SourceTree, HashesOfDispatchersFollowTheKernelsThatTheyLinkTo) {
  EXPECT_EQ(changed_by("backends/cuda/sum/plain.cu", "other();"), "cuda/sum/best cuda/sum/plain hip/sum/plain");
  EXPECT_EQ(changed_by("backends/cuda/sum/best.cu", "other();"), "cuda/sum/best");
  EXPECT_EQ(changed_by("backends/hip/sum/best.cu", "other();"), "hip/sum/best") << "it replaces CUDA's";
}

TEST_F(SourceTree, LinesAreOfTheFileAndOfItsBackendsHeaders) {
  const Sources all = sources();
  EXPECT_EQ(all.at("cuda/sum/plain").lines, 3u);
  EXPECT_EQ(all.at("cuda/sum/plain").lines_with_headers, 6u);
  EXPECT_EQ(all.at("cuda/sum/best").lines_with_headers, 9u) << "its own, dispatch.hpp and the linked kernel";
  EXPECT_EQ(all.at("hip/sum/plain").lines_with_headers, 6u);
  EXPECT_EQ(all.at("kokkos/sum/plain").lines_with_headers, 2u) << "without the API";
  EXPECT_EQ(all.at("hip/sum/plain").path, "backends/cuda/sum/plain.cu");
}

TEST_F(SourceTree, MissingHeadersAreErrors) {
  write("backends/cuda/sum/plain.cu", "#include \"types.hpp\"\n");
  EXPECT_THROW(sources(), std::runtime_error);
}

TEST(BuiltInSources, AreFoundByIdAndFile) {
  const auto all = built_in_sources();
  EXPECT_GT(all.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &BuiltInSource::id));
  const SourceInfo info = source_info("cuda/reduce_sum/float4", "/a/tree/backends/cuda/reduce_sum/float4.cu");
  EXPECT_EQ(info.hash.size(), 16u);
  EXPECT_GT(info.lines, 10u);
  EXPECT_GT(info.lines_with_headers, info.lines);
  EXPECT_TRUE(source_info("cuda/reduce_sum/float4", "/a/folder/float4.cu").hash.empty()) << "another file of that name";
  EXPECT_TRUE(source_info("cuda/reduce_sum/none", "backends/cuda/reduce_sum/none.cu").hash.empty());
}

}  // namespace
}  // namespace crosswarp
