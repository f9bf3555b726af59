// The folder of runs without --json: names, order, and what is removed.
#include "core/run_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/output_file.hpp"
#include "core/user_folder.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() {
    fs::remove_all(folder.path());
    fs::create_directories(folder.path());
  }
  ~RunFolderTest() override { fs::remove_all(folder.path()); }

  /// The path of a run of that day.
  std::string day(int number) const {
    return folder.path() + "/2026-11-" + std::to_string(10 + number) + "_120000.000_77.json";
  }
  static void write(const std::string& path) { std::ofstream(path) << "{}"; }

  const RunFolder folder{testing::TempDir() + "crosswarp_runs_" + std::to_string(getpid())};
};

TEST_F(RunFolderTest, NamesANewFileByTimeAndProcess) {
  const std::string first = folder.new_file();
  usleep(2000);
  const std::string second = folder.new_file();
  EXPECT_LT(first, second);
  EXPECT_TRUE(first.ends_with("_" + std::to_string(getpid()) + ".json")) << first;
  write(first);
  write(second);
  EXPECT_EQ(folder.files(), (std::vector{second, first}));
}

TEST_F(RunFolderTest, CreatesTheFolderOrSaysWhyNot) {
  const RunFolder inner(folder.path() + "/a/b");
  inner.new_file();
  EXPECT_TRUE(fs::is_directory(inner.path()));
  write(folder.path() + "/file");
  EXPECT_TRUE(refuses([&] { RunFolder(folder.path() + "/file/runs").new_file(); }, "/file/runs: cannot be created ("));
}

TEST_F(RunFolderTest, HasRunsWithAFileOrAJournal) {
  EXPECT_TRUE(RunFolder(folder.path() + "/none").files().empty());
  write(day(1));
  write(day(2) + ".journal");            // killed
  write(day(3) + ".journal.tmp");        // killed before its first line
  std::ofstream(day(4));                 // empty
  fs::create_directories(day(5));        // not a file
  write(folder.path() + "/notes.json");  // not a run
  EXPECT_EQ(folder.files(), (std::vector{day(2), day(1)}));
}

TEST_F(RunFolderTest, ListsFilesThatAreElsewhere) {
  const std::string file = folder.path() + "_elsewhere.json", journal = file + ".journal";
  write(day(1));
  folder.note(file);
  EXPECT_EQ(folder.files(), std::vector{day(1)}) << "nothing is there yet";
  write(journal);  // interrupted
  EXPECT_EQ(folder.files(), (std::vector{file, day(1)}));
  write(file);
  folder.note(file);
  EXPECT_EQ(folder.files(), (std::vector{file, day(1)})) << "once";
  folder.note(day(1));
  EXPECT_EQ(folder.files().size(), 2u) << "it is in the folder already";
  folder.remove_old(0);
  EXPECT_TRUE(folder.files().empty());
  EXPECT_TRUE(fs::exists(file)) << "the user's own";
  fs::remove(file);
  fs::remove(journal);
}

TEST_F(RunFolderTest, KeepsTheLastRuns) {
  for (int i = 0; i < 6; ++i) {
    write(day(i));
    write(day(i) + ".journal");
  }
  write(day(0) + ".abcdef");       // of an interrupted write
  write(day(7) + ".journal.tmp");  // no run
  write(folder.path() + "/notes.json");
  folder.remove_old(4);
  EXPECT_EQ(folder.files(), (std::vector{day(5), day(4), day(3), day(2)}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 4 * 2 + 2);
  folder.remove_old(4);
  EXPECT_EQ(folder.files().size(), 4u);
}

TEST_F(RunFolderTest, LeavesAloneWhatIsBeingWritten) {
  write(day(1));
  std::optional<GrowingFile> journal(std::in_place, OutputFile("", day(1) + ".journal"));
  journal->append("{}\n");
  journal->publish();
  std::optional<GrowingFile> unpublished(std::in_place, OutputFile("", day(2) + ".journal"));
  for (int i = 3; i < 6; ++i) write(day(i));
  folder.remove_old(1);
  EXPECT_EQ(folder.files(), std::vector{day(5)});
  EXPECT_TRUE(fs::exists(day(1)) && fs::exists(day(1) + ".journal") && fs::exists(day(2) + ".journal.tmp"));
  journal.reset();
  EXPECT_EQ(folder.files(), (std::vector{day(5), day(1)}));
  folder.remove_old(1);
  EXPECT_FALSE(fs::exists(day(1)));
}

/// Sets a variable of the environment for a test; null removes it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) { value ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

TEST(UserFolder, FollowsTheEnvironment) {
  const Variable home("HOME", "/home/ada");
  const auto with = [](const char* state) {
    const Variable variable("XDG_STATE_HOME", state);
    return RunFolder::of_user().path();
  };
  EXPECT_EQ(with("/state"), "/state/crosswarp/runs");
  for (const char* none : {"", "relative", static_cast<const char*>(nullptr)})
    EXPECT_EQ(with(none), "/home/ada/.local/state/crosswarp/runs");
  const Variable no_home("HOME", "");
  EXPECT_TRUE(refuses([&] { with(""); }, "neither XDG_STATE_HOME nor HOME is set"));
  EXPECT_EQ(user_folder("XDG_STATE_HOME_OF_NOBODY", "x"), "");
}

}  // namespace
}  // namespace crosswarp
