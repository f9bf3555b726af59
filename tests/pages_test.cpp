// Pages: relative links and their anchors exist, the README is short, indexes name every page, and the JSON page every
// field; rows of changed kernels are found.
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

/// A git repository with a kernel, its results and a page that shows them.
class Figures : public testing::Test {
 protected:
  Figures() {
    fs::remove_all(tree_);
    write(kernel_, kernel_text_);
    write("README.md", "A page.\n");
    write("docs/sum.md", "<!-- report results/gpu/sum.json -->\n\n| figures |\n\n<!-- end -->\n");
    write("bench", "#!/bin/sh\ncat \"$4\"\n");  // report --format json FILE
    fs::permissions(tree_ / "bench", fs::perms::owner_all);
    git("init -q");
    measure(commit());
  }
  ~Figures() override { fs::remove_all(tree_); }

  void write(const std::string& path, const std::string& text) {
    fs::create_directories((tree_ / path).parent_path());
    std::ofstream(tree_ / path) << text;
  }
  std::string git(const std::string& arguments) const {
    const Finished finished =
        run_process("cd " + tree_.string() + " && git -c user.name=a -c user.email=a@b " + arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    return finished.output.substr(0, finished.output.find('\n'));
  }
  /// Commits all, a day after the commit before.
  std::string commit() {
    git("add -A");
    setenv("GIT_COMMITTER_DATE", ("2026-01-0" + std::to_string(++day_) + "T00:00:00").c_str(), 1);
    git("commit -q -m change");
    unsetenv("GIT_COMMITTER_DATE");
    return git("rev-parse --short=12 HEAD");
  }
  /// Writes two rows of the kernel, with HIP and with CUDA, as measured at a commit; `own`: fields of both.
  void measure(const std::string& commit, const nlohmann::json& own = nlohmann::json::object()) {
    nlohmann::json rows;
    for (const char* backend : {"cuda", "hip"}) {
      rows.push_back({{"name", std::string(backend) + "/sum/plain/n:8"},
                      {"rung", std::string(backend) + "/sum/plain"},
                      {"backend", backend},
                      {"experiment", "sum"},
                      {"variant", "plain"},
                      {"real_time", 1.5}});
      rows.back().update(own);
    }
    write("results/gpu/sum.json", nlohmann::json{{"context", {{"commit", commit}}}, {"benchmarks", rows}}.dump());
  }
  Finished check(const std::string& options = "") const {
    return run_process("CROSSWARP_BENCH=" + (tree_ / "bench").string() + " " +
                       (source_tree() / "scripts/check-figures").string() + options + " " + tree_.string());
  }
  /// The two rows on the page: a note, and an error for a release unless they are as they were.
  void expect(const std::string& counts, bool is_error, const std::string& line = "") const {
    const Finished noted = check(), released = check(" --release");
    EXPECT_EQ(noted.exit_code, 0) << noted.output;
    EXPECT_EQ(released.exit_code, is_error) << released.output;
    EXPECT_EQ(noted.output, released.output);
    EXPECT_NE(noted.output.find("note: rows on pages: " + counts + "\n"), std::string::npos) << noted.output;
    EXPECT_NE(noted.output.find(line), std::string::npos) << noted.output;
  }

  int day_ = 0;
  const fs::path tree_ = temporary_file("figures");
  const std::string kernel_ = "backends/cuda/sum/plain.cu";
  const std::string kernel_text_ = "// adds\nint a;\nint b;\nint c;\nint d;\nint e;\nint f;\n";
};

constexpr const char* unchanged = "2 unchanged, 0 changed, 0 gone, 0 marked stale, 0 of unknown commits";

TEST_F(Figures, OfAFileAsItWasPass) {
  expect(unchanged, false);
  write("backends/cuda/sum/kernel.cuh", "int g;\n");
  commit();
  expect(unchanged, false);
}

TEST_F(Figures, OfAChangedFileAreToBeMeasuredAgain) {
  const std::string before = git("rev-parse HEAD");
  write(kernel_, kernel_text_ + "int g;\n");
  expect("0 unchanged, 2 changed, 0 gone, 0 marked stale, 0 of unknown commits", true,
         "to be measured again, its file is changed: cuda/sum/plain, hip/sum/plain of results/gpu/sum.json (in "
         "docs/sum.md)\n");
  const std::string after = commit();
  expect("0 unchanged, 2 changed, 0 gone, 0 marked stale, 0 of unknown commits", true);
  measure(after + ", " + before + "-dirty");  // of both: the older one counts
  expect("0 unchanged, 2 changed, 0 gone, 0 marked stale, 0 of unknown commits", true);
  measure(before, {{"commit", after}});
  expect(unchanged, false);
  measure(before, {{"stale", true}});
  expect("0 unchanged, 0 changed, 0 gone, 2 marked stale, 0 of unknown commits", false);
  measure(before);
  write("docs/sum.md", "No figures.\n");
  expect("0 unchanged, 0 changed, 0 gone, 0 marked stale, 0 of unknown commits", false);
}

TEST_F(Figures, OfAFileOfHipsOwnDoNotFollowCuda) {
  write("backends/hip/sum/plain.cu", "int h;\n");
  measure(commit());
  write(kernel_, kernel_text_ + "int g;\n");
  expect("1 unchanged, 1 changed, 0 gone, 0 marked stale, 0 of unknown commits", true,
         "is changed: cuda/sum/plain of ");
}

TEST_F(Figures, OfARenamedFilePassAndOfARemovedOneDoNot) {
  git("mv " + kernel_ + " backends/cuda/sum/renamed.cu");
  expect(unchanged, false);
  fs::create_directories(tree_ / "backends/cuda/library/sum");
  git("mv backends/cuda/sum/renamed.cu backends/cuda/library/sum/plain.cu");
  expect(unchanged, false);
  write("backends/cuda/library/sum/plain.cu", kernel_text_ + "int g;\n");
  expect("0 unchanged, 2 changed, 0 gone, 0 marked stale, 0 of unknown commits", true);
  git("rm -q -f backends/cuda/library/sum/plain.cu");
  expect("0 unchanged, 0 changed, 2 gone, 0 marked stale, 0 of unknown commits", true,
         "its file is gone: cuda/sum/plain, ");
}

TEST_F(Figures, OfCommitsThatTheTreeLacksAreNoted) {
  const std::string note = "this tree lacks commits of rows: 0123456789ab; git fetch --unshallow",
                    counts = "0 unchanged, 0 changed, 0 gone, 0 marked stale, 2 of unknown commits";
  measure("0123456789ab, " + git("rev-parse --short=12 HEAD"));
  expect(counts, true, note);
  measure("0123456789ab");
  fs::remove_all(tree_ / ".git");
  setenv("GIT_CEILING_DIRECTORIES", tree_.parent_path().c_str(), 1);
  expect(counts, true, note);
  unsetenv("GIT_CEILING_DIRECTORIES");
}

TEST_F(Figures, OfOneCellInTwoFilesAreListedWhereTheyDiffer) {
  auto results = nlohmann::json::parse(read(tree_ / "results/gpu/sum.json"));
  results["benchmarks"][0]["real_time"] = 1.8;
  write("results/gpu/again.json", results.dump());
  write("docs/again.md", "<!-- report results/gpu/again.json -->\n<!-- end -->\n");
  EXPECT_NE(check().output.find("differs by 20 % between files: cuda/sum/plain/n:8: "), std::string::npos)
      << check().output;
}

}  // namespace
}  // namespace crosswarp
