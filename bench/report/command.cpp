// Runs a program with empty input, and collects its output.
#include "bench/report/command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace crosswarp {
namespace {

constexpr int no_such_program = 127;

}  // namespace

Ran run_program(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  int out[2];
  if (nowhere < 0 || pipe2(out, O_CLOEXEC) != 0) return {false, {}};
  const pid_t child = fork();
  if (child == 0) {
    dup2(nowhere, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(no_such_program);
  }
  for (const int descriptor : {nowhere, out[1]}) close(descriptor);
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
