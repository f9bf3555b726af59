// A module's registrars run in dlopen() and use the program's registry. Version and headers must match: a mark in the
// module's file, read before loading, has both.
#include "bench/load.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "bench/version.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

/// Version and headers that the module was built against; none if the file is no module.
std::optional<std::string> built_against(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw Error("cannot be read");
  const std::string mark = "crosswarp module for ";  // cmake/version.cmake writes it
  const auto at = content.find(mark);
  if (at == content.npos || content[at + mark.size()] == '\0') return {};  // the mark alone: this program
  ElfW(Ehdr) header{};
  content.copy(reinterpret_cast<char*>(&header), sizeof header);
  if (content.size() < header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize)  // section headers are last
    throw Error("is truncated; build or copy it again");
  return content.c_str() + at + mark.size();
}

/// Output of refuse(): the pipe of a trial, else standard error.
int reasons = STDERR_FILENO;
std::string prefix;

void tell(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = write(reasons, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Terminate handler: exceptions of a registrar cannot pass through dlopen().
[[noreturn]] void refuse() {
  std::string what = "its registrars failed";
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  tell(prefix + what + "\n");
  std::_Exit(2);
}

/// Runs the registrars. Throws Error.
void open_module(const std::string& absolute) {
  const std::terminate_handler usual = std::set_terminate(refuse);
  void* const module = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::set_terminate(usual);
  if (!module) throw Error(fmt::format("cannot be loaded: {}", dlerror()));
}

constexpr const char* success = "loaded\n";

/// In the child process: loads the module and reports the outcome.
[[noreturn]] void try_it(const std::string& absolute, pid_t parent, int verdict) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(0);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO}) dup2(nowhere, descriptor);
  reasons = verdict;
  prefix.clear();
  try {
    open_module(absolute);
    tell(success);
  } catch (const Error& error) {
    tell(std::string(error.what()) + "\n");
  }
  std::_Exit(0);
}

/// Loads a module in a child process: its code may exit, crash or hang. Throws Error unless the child reports success.
void try_module(const std::string& absolute, double hang_limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("no pipe ({})", std::strerror(errno)));
  const pid_t self = getpid(), child = fork();
  if (child == 0) try_it(absolute, self, ends[1]);
  close(ends[1]);
  if (child < 0) throw Error(fmt::format("no process ({})", std::strerror(errno)));
  std::string said;
  int status = 0;
  bool is_over = false;
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  while (!is_over && !said.ends_with('\n') && seconds() < hang_limit) {
    pollfd ready{ends[0], POLLIN, 0};
    std::array<char, 4096> piece;
    if (poll(&ready, 1, 20) > 0)
      if (const ssize_t got = read(ends[0], piece.data(), piece.size()); got > 0)
        said.append(piece.data(), static_cast<std::size_t>(got));
    is_over = said.empty() && waitpid(child, &status, WNOHANG) == child;
  }
  close(ends[0]);
  if (!is_over) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  if (said == success) return;
  if (!said.empty()) throw Error(said.substr(0, said.find('\n')));
  if (!is_over) throw Error(fmt::format("hung while it was loaded, for {:g} s (--hang-limit)", hang_limit));
  throw Error(fmt::format(
      "ended its process while it was loaded: {}",
      WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : fmt::format("exit code {}", WEXITSTATUS(status))));
}

void load(const std::string& path, double hang_limit) {
  if (!std::filesystem::is_regular_file(path)) throw Error("no such file");
  const auto theirs = built_against(path);
  if (!theirs) throw Error("not a module; crosswarp_add_variants() of crosswarp's CMake package builds them");
  const std::string ours = fmt::format("version {} with headers {}", version(), headers());
  if (*theirs != ours)
    throw Error(
        fmt::format("built against crosswarp {}, and this is {}: build it anew against this one", *theirs, ours));
  const std::string absolute = std::filesystem::absolute(path);  // dlopen() searches other folders for a bare name
  if (dlopen(absolute.c_str(), RTLD_NOW | RTLD_NOLOAD)) return;
  try_module(absolute, hang_limit);
  Registry& registry = Registry::instance();
  const std::size_t before = registry.variants().size();
  registry.set_module(path);
  prefix = fmt::format("bench: --load {}: ", path);
  open_module(absolute);
  if (registry.variants().size() == before) throw Error("holds no variant");
}

}  // namespace

void load_module(const std::string& path, double hang_limit) {
  try {
    load(path, hang_limit);
  } catch (const Error& error) {
    throw Error(fmt::format("--load {}: {}", path, error.what()));
  }
}

}  // namespace crosswarp
