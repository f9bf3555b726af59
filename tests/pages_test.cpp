// Pages: relative links and their anchors exist, the README is short, indexes name every page, and the JSON page every
// field; figures of changed kernels are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  const fs::path source = source_tree();
  for (const auto& entry : fs::directory_iterator(source))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const char* folder : {"docs", "results", "examples"})
    for (const auto& entry : fs::recursive_directory_iterator(source / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// The anchor of a heading, as GitHub makes it: lower case, spaces to hyphens, only letters, digits, - and _.
std::string anchor(const std::string& heading) {
  std::string made;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ')
      made += '-';
    else if (std::isalnum(byte) || c == '-' || c == '_')
      made += static_cast<char>(std::tolower(byte));
  }
  return made;
}

/// Lines outside of code blocks.
std::vector<std::string> prose(const fs::path& page) {
  std::vector<std::string> lines;
  std::istringstream text(read(page));
  bool code = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code) lines.push_back(line);
  }
  return lines;
}

bool has_anchor(const fs::path& page, const std::string& wanted) {
  const std::vector<std::string> lines = prose(page);
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    const auto hashes = line.find_first_not_of('#');
    return hashes != 0 && hashes != std::string::npos && line[hashes] == ' ' &&
           anchor(line.substr(hashes + 1)) == wanted;
  });
}

/// Targets of a page's links and pictures, without web addresses.
std::vector<std::string> links(const fs::path& page) {
  static const std::regex inline_link(R"(\]\(([^)\s]+)\))"), reference(R"(^\[[^\]]+\]:\s+(\S+))");
  std::vector<std::string> targets;
  for (const std::string& line : prose(page))
    for (const std::regex* form : {&inline_link, &reference})
      for (std::sregex_iterator match(line.begin(), line.end(), *form), end; match != end; ++match)
        if ((*match)[1].str().find("://") == std::string::npos) targets.push_back((*match)[1]);
  return targets;
}

TEST(Pages, LinkToFilesAndHeadingsThatExist) {
  std::size_t count = 0;
  for (const fs::path& page : pages())
    for (const std::string& link : links(page)) {
      ++count;
      const auto hash = link.find('#');
      const std::string file = link.substr(0, hash);
      const fs::path target = file.empty() ? page : page.parent_path() / file;
      EXPECT_TRUE(fs::exists(target)) << page << " links to " << link;
      if (hash == std::string::npos || target.extension() != ".md" || !fs::exists(target)) continue;
      EXPECT_TRUE(has_anchor(target, link.substr(hash + 1))) << page << " links to " << link;
    }
  EXPECT_GT(count, 100u) << "the links are not found";
}

/// Help, errors and comments name pages, too; `bench --help EXPERIMENT` that of each experiment.
TEST(Pages, NamedInSourcesExist) {
  static const std::regex page("docs/[\\w./-]+\\.md");
  std::set<std::string> named;
  for (const char* folder : {"backends", "bench", "cmake", "core", "examples", "experiments", "scripts"})
    for (const auto& entry : fs::recursive_directory_iterator(source_tree() / folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = read(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), page), end; match != end; ++match) {
        named.insert(match->str());
        EXPECT_TRUE(fs::exists(source_tree() / match->str())) << entry.path() << " names " << match->str();
      }
    }
  EXPECT_GT(named.size(), 5u) << "the names are not found";
  std::istringstream list(run_process(sibling("bench") + " --list").output);
  for (std::string line; std::getline(list, line);) {
    const auto slash = line.find('/');
    if (slash == line.npos) continue;
    const std::string experiment = line.substr(slash + 1, line.find('/', slash + 1) - slash - 1);
    EXPECT_TRUE(fs::exists(source_tree() / "docs/experiments" / (experiment + ".md"))) << experiment;
  }
}

TEST(Pages, ReadmeFitsIntoTenMinutes) {
  const std::string readme = read(source_tree() / "README.md");
  EXPECT_LE(readme.size(), 12'000u);
  EXPECT_LE(std::count(readme.begin(), readme.end(), '\n'), 150);
}

TEST(Pages, EveryPageIsInAnIndex) {
  const fs::path docs = source_tree() / "docs";
  std::set<fs::path> named;
  for (const std::string& link : links(docs / "README.md"))
    named.insert((docs / link.substr(0, link.find('#'))).lexically_normal());
  for (const fs::path& page : pages()) {
    const bool below_docs = page.string().starts_with(docs.string() + "/");
    if (below_docs && page != docs / "README.md") {
      EXPECT_TRUE(named.contains(page.lexically_normal())) << "no index names " << page;
    }
  }
}

TEST(Pages, OfResultsAreMadeWithAnIndex) {
  const fs::path out = temporary_file("pages");
  const Finished made = run_process((source_tree() / "scripts/pages").string() + " " + out.string() + " " +
                                    sibling("bench") + " nvidia-h200-x2");
  EXPECT_EQ(made.exit_code, 0) << made.output;
  EXPECT_EQ(links(out / "README.md"), std::vector<std::string>{"nvidia-h200-x2/all_gather_matmul.md"});
  const std::string page = read(out / "nvidia-h200-x2/all_gather_matmul.md");
  EXPECT_NE(page.find("2 × NVIDIA H200"), std::string::npos) << page;
  EXPECT_NE(page.find("| `cuda/all_gather_matmul/by_chunks"), std::string::npos) << page;
  fs::remove_all(out);
}

TEST(Pages, JsonPageNamesEveryField) {
  const std::string page = read(source_tree() / "docs/json.md");
  const auto results = nlohmann::json::parse(whole_results(source_tree() / "results/nvidia-h100/reduce_sum.json"));
  for (const auto& field : results["benchmarks"].front().items())
    EXPECT_NE(page.find('`' + field.key() + '`'), std::string::npos) << "docs/json.md does not name " << field.key();
}

/// A tree with a kernel, its results and a page that shows them.
class Figures : public testing::Test {
 protected:
  Figures() {
    fs::remove_all(tree_);
    write(kernel_, "run<4>();\n");
    write("README.md", "A page.\n");
    write("docs/sum.md", "<!-- report results/gpu/sum.json -->\n\n| figures |\n\n<!-- end -->\n");
    write("results/gpu/sum.json", results({hash_of_kernel()}).dump());
  }
  ~Figures() override { fs::remove_all(tree_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((tree_ / path).parent_path());
    std::ofstream(tree_ / path) << text;
  }
  std::string hash_of_kernel() const {
    const auto sources = nlohmann::json::parse(run_process(sibling("variant_sources") + " " + tree_.string()).output);
    return sources.at("cuda/sum/plain").at("hash");
  }
  /// A row for each hash; empty for none.
  static nlohmann::json results(const std::vector<std::string>& hashes) {
    nlohmann::json rows = nlohmann::json::array();
    for (const std::string& hash : hashes) {
      rows.push_back({{"name", "cuda/sum/plain/n:" + std::to_string(rows.size())},
                      {"rung", "cuda/sum/plain"},
                      {"backend", "cuda"},
                      {"experiment", "sum"},
                      {"variant", "plain"},
                      {"real_time", 1.5}});
      if (!hash.empty()) rows.back()["source_hash"] = hash;
    }
    return {{"context", nlohmann::json::object()}, {"benchmarks", rows}};
  }
  Finished check(const std::string& options = "") const {
    return run_process((source_tree() / "scripts/check-figures").string() + options + " " + tree_.string() + " " +
                       sibling("variant_sources"));
  }
  std::string list() const { return check(" --earlier results/gpu").output; }

  const fs::path tree_ = temporary_file("figures");
  const std::string kernel_ = "backends/cuda/sum/plain.cu";
};

TEST_F(Figures, OfTheSameSourcePass) {
  EXPECT_EQ(check().exit_code, 0) << check().output;
  write(kernel_, "// another comment\nrun< 4 >();\n");
  EXPECT_EQ(check().exit_code, 0) << check().output;
}

TEST_F(Figures, OfAChangedKernelFailWhereAPageShowsThem) {
  write(kernel_, "run<8>();\n");
  const Finished stale = check();
  EXPECT_EQ(stale.exit_code, 1);
  EXPECT_NE(stale.output.find("results/gpu/sum.json: cuda/sum/plain (in docs/sum.md)"), std::string::npos)
      << stale.output;
  write("docs/sum.md", "No figures.\n");
  const Finished unused = check();
  EXPECT_EQ(unused.exit_code, 0);
  EXPECT_NE(unused.output.find("Stale, and in no page:\n  results/gpu/sum.json: cuda/sum/plain\n"), std::string::npos)
      << unused.output;
}

TEST_F(Figures, OfAChangedKernelPassWhereThePageListsIt) {
  const std::string page = read(tree_ / "docs/sum.md"), begin = "<!-- earlier results/gpu -->\n\n",
                    end = "\n<!-- end -->\n";
  write("docs/sum.md", page + begin + list() + end);
  EXPECT_NE(list().find("All figures of `results/gpu` in tables are of the kernels of now."), std::string::npos)
      << list();
  EXPECT_EQ(check().exit_code, 0) << check().output;
  write(kernel_, "run<8>();\n");
  EXPECT_EQ(check().exit_code, 1) << "the list is that of before";
  write("docs/sum.md", page + begin + list() + end);
  EXPECT_NE(list().find("): `plain` of `sum`. All its other figures"), std::string::npos) << list();
  EXPECT_EQ(check().exit_code, 0) << check().output;
  write("docs/other.md", page);
  EXPECT_EQ(check().exit_code, 1) << "the other page does not tell";
}

/// A drawing has no text of its own.
TEST_F(Figures, OfAChangedKernelPassInADrawingWhosePagesListIt) {
  write("docs/results/sum.md", read(tree_ / "docs/sum.md"));
  write("docs/sum.svg", "<svg/>\n");
  write(kernel_, "run<8>();\n");
  const std::string told = "<!-- earlier results/gpu -->\n\n" + list() + "\n<!-- end -->\n",
                    drawing = "![a sum](../sum.svg)\n", table = read(tree_ / "docs/results/sum.md");
  write("docs/sum.md", told + "![a sum](sum.svg)\n");
  write("docs/results/sum.md", told + table);
  EXPECT_EQ(check().exit_code, 0) << check().output;
  write("docs/results/other.md", drawing);
  EXPECT_EQ(check().exit_code, 1) << "a page that shows the drawing does not tell";
  write("docs/results/other.md", told + drawing);
  EXPECT_EQ(check().exit_code, 0) << check().output;
}

TEST_F(Figures, OfARemovedVariantFailAndOfARenamedOnePass) {
  fs::rename(tree_ / kernel_, tree_ / "backends/cuda/sum/renamed.cu");
  EXPECT_EQ(check().exit_code, 0) << check().output;
  write("backends/cuda/sum/renamed.cu", "other();\n");
  EXPECT_EQ(check().exit_code, 1) << check().output;
}

TEST_F(Figures, WithoutAHashFailInAFileWithHashes) {
  write("results/gpu/sum.json", results({hash_of_kernel(), ""}).dump());
  EXPECT_EQ(check().exit_code, 1) << check().output;
  write("results/gpu/sum.json", results({""}).dump());
  EXPECT_NE(check().output.find("results/gpu/sum.json: "), std::string::npos) << "neither current nor listed";
}

}  // namespace
}  // namespace crosswarp
