// The time left: estimates, scaled by how long the steps so far took against theirs.
#include "bench/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "core/format.hpp"

namespace crosswarp {
namespace {

/// Whether a terminal can move its cursor.
bool can_rewrite_lines(const Terminal& terminal) {
  const char* kind = std::getenv("TERM");
  return terminal.width > 0 && !(kind && std::string_view(kind) == "dumb");
}

}  // namespace

Progress::Progress(bool quiet, std::size_t steps) : terminal_(Terminal::of(STDERR_FILENO)), steps_(steps) {
  on_ = !quiet && can_rewrite_lines(terminal_);
}

void Progress::begin(const std::string& what, const std::string& details, Expected expected, bool is_new_step) {
  at_ += is_new_step;
  began_ = std::chrono::steady_clock::now();
  what_ = what;
  details_ = details;
  expected_ = expected;
  show(0, 1);
}

double Progress::seconds_left() const {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  const double scale = expected_spent_ > 0 ? spent_ / expected_spent_ : 1;
  return std::max(0.0, scale * expected_.step - now) + scale * expected_.later;
}

void Progress::show(std::uint64_t placement, std::size_t placements) {
  if (!on_) return;
  const std::string head = fmt::format("[{}/{}, about {} left] ", at_, steps_, duration(seconds_left()));
  const std::string of = placement > 0 ? fmt::format(", placement {} of {}", placement + 1, placements) : "";
  std::string line;
  for (const std::string& candidate :
       {head + what_ + details_ + of, head + what_ + details_, head + what_, head + what_.substr(0, what_.find(' '))})
    if (line = candidate; columns(line) < terminal_.width) break;
  while (columns(line) >= terminal_.width) line.pop_back();
  if (terminal_.colours) line = "\033[2m" + line + "\033[0m";
  std::cerr << "\r" << line << "\033[K" << std::flush;
}

void Progress::done(bool took_time) {
  clear();
  if (!took_time) return;
  spent_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  expected_spent_ += expected_.step;
}

void Progress::clear() const {
  if (on_) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace crosswarp
