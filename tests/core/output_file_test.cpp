// Output files: checked first, replaced atomically, one writer at a time.
#include "core/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~OutputFileTest() override { fs::remove_all(folder); }

  static std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {})); }

  const std::string folder = testing::TempDir() + "crosswarp_output_" + std::to_string(getpid());
  const std::string path = folder + "/out";
};

TEST_F(OutputFileTest, ReplacesTheContentAndKeepsTheMode) {
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  OutputFile("-o", path).write("new");
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1u) << "something is left over";
}

TEST_F(OutputFileTest, CreatesWithTheModeOfTheUser) {
  const mode_t before = umask(027);
  OutputFile("-o", path).write("new");
  umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(path).permissions()), 0640u);
}

TEST_F(OutputFileTest, FollowsLinksAlsoToNothing) {
  fs::create_directory(folder + "/there");
  fs::create_symlink("there/second", folder + "/first");
  fs::create_symlink("../out", folder + "/there/second");
  OutputFile("-o", folder + "/first").write("new");
  EXPECT_EQ(contents(path), "new");
  EXPECT_TRUE(fs::is_symlink(folder + "/first") && fs::is_symlink(folder + "/there/second"));
}

TEST_F(OutputFileTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(
      refuses([&] { OutputFile("-o", path); }, "-o " + path + ": cannot be written (it is not a regular file)"));
  EXPECT_TRUE(refuses([&] { OutputFile("-o", folder); }, "it is a folder"));
  EXPECT_TRUE(refuses([&] { OutputFile("-o", "/dev/null"); }, "not a regular file"));
  fs::create_symlink("/dev/null", folder + "/link");
  EXPECT_TRUE(refuses([&] { OutputFile("-o", folder + "/link"); }, "not a regular file"));
  fs::create_symlink("loop", folder + "/loop");
  EXPECT_TRUE(refuses([&] { OutputFile("-o", folder + "/loop"); }, "links lead in a circle"));
  EXPECT_TRUE(refuses([&] { OutputFile("-o", folder + "/none/out"); }, "No such file"));
}

TEST_F(OutputFileTest, RefusesAFileThatExistsWhereThatIsAsked) {
  std::ofstream(path) << "old";
  EXPECT_TRUE(refuses([&] { OutputFile("--csv", path, Existing::refuse); }, "--csv " + path + ": exists"));
  std::ofstream{path};
  OutputFile("--csv", path, Existing::refuse);
}

TEST_F(OutputFileTest, RefusesAFileWithoutWritePermission) {
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_TRUE(refuses([&] { OutputFile("-o", path); }, "read-only"));
  EXPECT_EQ(contents(path), "old");
}

using GrowingFileTest = OutputFileTest;

TEST_F(GrowingFileTest, LeavesWhatIsThereUntilItIsPublished) {
  std::ofstream(path) << "old";
  {
    GrowingFile never(OutputFile("--json", path));
    never.append("lost");
  }
  EXPECT_EQ(files(), 1u) << "something is left over";
  GrowingFile file(OutputFile("--json", path));
  file.append("new");
  EXPECT_EQ(contents(path), "old");
  file.publish();
  EXPECT_EQ(contents(path), "new");
  file.append("er");
  EXPECT_EQ(contents(path), "newer");
}

TEST_F(GrowingFileTest, BelongsToOneRun) {
  const auto second = [&] { GrowingFile other(OutputFile("--json", path)); };
  {
    GrowingFile file(OutputFile("--json", path));
    EXPECT_TRUE(refuses(second, "another run is writing it"));
    file.append("mine");
    file.publish();
    EXPECT_TRUE(refuses(second, "another run is writing it"));
    file.append(" alone");
  }
  EXPECT_EQ(contents(path), "mine alone");
  second();
}

TEST_F(OutputFileTest, IsNoOtherFileOfTheCommand) {
  std::ofstream(path) << "results";
  fs::create_hard_link(path, folder + "/hard");
  fs::create_symlink("out", folder + "/soft");
  for (const std::string& same : {path, folder + "/./out", folder + "/hard", folder + "/soft"}) {
    EXPECT_TRUE(refuses([&] { require_distinct({{"", path, false}, {"-o", same, true}}); }, "is an input"));
    EXPECT_TRUE(refuses([&] { require_distinct({{"--csv", same, true}, {"--json", path, true}}); }, "--csv"));
  }
  EXPECT_TRUE(refuses(
      [&] {
        require_distinct({{"--csv", folder + "/a", true}, {"--json", folder + "/a", true}});
      },
      "is the file of --json, too"));
  require_distinct({{"", path, false}, {"", path, false}, {"-o", folder + "/a", true}});
}

}  // namespace
}  // namespace crosswarp
