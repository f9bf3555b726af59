// Child processes: exit code and output.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace crosswarp {

struct Finished {
  int exit_code = -1;  ///< -1 where a signal ended it.
  std::string output;  ///< Standard output and standard error together.
};

/// Path of another program of this build, in this program's folder.
inline std::string sibling(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

/// Runs a shell command with an empty standard input.
inline Finished run_process(const std::string& command) {
  [[maybe_unused]] static const int named = setenv("CROSSWARP_BENCH", sibling("bench").c_str(), 0);  // scripts ask it
  FILE* pipe = popen(("(" + command + ") 2>&1 </dev/null").c_str(), "r");
  if (!pipe) throw std::runtime_error("popen: " + command);
  Finished finished;
  std::array<char, 4096> piece;
  while (const std::size_t got = fread(piece.data(), 1, piece.size(), pipe)) finished.output.append(piece.data(), got);
  const int status = pclose(pipe);
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

/// The source tree: CROSSWARP_SOURCE_DIR if set, else the folder of the build.
inline std::filesystem::path source_tree() {
  const char* moved = std::getenv("CROSSWARP_SOURCE_DIR");
  return moved ? moved : CROSSWARP_SOURCE;
}

/// A file of results as --json writes it, also where it is stored compactly.
inline std::string whole_results(const std::filesystem::path& path) {
  return run_process(sibling("bench") + " report --format json " + path.string()).output;
}

/// A path of this process's own.
inline std::string temporary_file(const std::string& name) {
  return testing::TempDir() + "crosswarp_" + std::to_string(getpid()) + "_" + name;
}

/// The state folder of programs under test, in place of the user's: runs without --json leave their results there.
class TemporaryStateFolder {
 public:
  TemporaryStateFolder() { setenv("XDG_STATE_HOME", path_.c_str(), 1); }
  ~TemporaryStateFolder() { std::filesystem::remove_all(path_); }

 private:
  std::string path_ = temporary_file("state");
};
inline const TemporaryStateFolder temporary_state_folder;

/// Programs under test, and this one, take the host's cache for a small one: flushing a socket's is most of a short
/// run's time.
inline const int small_host_cache = setenv("CROSSWARP_HOST_CACHE", "4194304", 0);

/// A program that runs beside the test.
class Running {
 public:
  explicit Running(const std::string& command) : process_(fork()) {
    if (process_ != 0) return;
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int descriptor : {0, 1, 2}) dup2(nowhere, descriptor);
    for (const int ignored : {SIGINT, SIGHUP}) signal(ignored, SIG_DFL);  // by a shell's background jobs, by nohup
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(127);
  }
  ~Running() {
    send(SIGKILL);
    wait();
  }
  void send(int signal) const {
    if (!is_over_) kill(process_, signal);
  }
  bool is_over() {
    is_over_ = is_over_ || waitpid(process_, &status_, WNOHANG) == process_;
    return is_over_;
  }
  /// The exit code, or -1 where a signal ended it.
  int wait() {
    if (!is_over_) waitpid(process_, &status_, 0);
    is_over_ = true;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }
  /// A process that it started; 0 where there is none.
  pid_t worker() const {
    const std::string self = std::to_string(process_);
    pid_t child = 0;
    std::ifstream("/proc/" + self + "/task/" + self + "/children") >> child;
    return child;
  }

 private:
  pid_t process_;
  int status_ = 0;
  bool is_over_ = false;
};

inline bool is_running(pid_t process) {
  std::string id, name, state;
  std::ifstream("/proc/" + std::to_string(process) + "/stat") >> id >> name >> state;
  return !state.empty() && state != "Z";
}

/// Waits for what must become true soon, however busy the machine is: up to two minutes.
template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 12000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

inline std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace crosswarp
