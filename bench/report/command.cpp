// Runs a program with its input in memory, so that neither side blocks the other.
#include "bench/report/command.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr int no_such_program = 127;

int memory_with(const std::string& text) {
  const int descriptor = memfd_create("input", MFD_CLOEXEC);
  for (std::size_t at = 0; descriptor >= 0 && at < text.size();) {
    const ssize_t written = write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) throw Error(std::string("no memory for a program's input: ") + strerror(errno));
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

}  // namespace

Ran run_program(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int in = memory_with(input), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  int out[2];
  if (in < 0 || nowhere < 0 || pipe2(out, O_CLOEXEC) != 0) return {false, {}};
  const pid_t child = fork();
  if (child == 0) {
    dup2(in, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(no_such_program);
  }
  for (const int descriptor : {in, nowhere, out[1]}) close(descriptor);
  std::string output;
  std::array<char, 1 << 16> piece;
  for (ssize_t got = 0; (got = read(out[0], piece.data(), piece.size())) > 0 || (got < 0 && errno == EINTR);)
    if (got > 0) output.append(piece.data(), static_cast<std::size_t>(got));
  close(out[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const bool well = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return {child > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == no_such_program),
          well ? std::optional(output) : std::nullopt};
}

}  // namespace crosswarp
