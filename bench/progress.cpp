// Estimates the time left from the mean time of the points so far.
#include "bench/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "core/format.hpp"

namespace crosswarp {
namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 100 * 60) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

/// Whether a terminal can move its cursor.
bool can_rewrite_lines(const Terminal& terminal) {
  const char* kind = std::getenv("TERM");
  return terminal.width > 0 && !(kind && std::string_view(kind) == "dumb");
}

}  // namespace

Progress::Progress(bool quiet, std::size_t steps) : terminal_(Terminal::of(STDERR_FILENO)), steps_(steps) {
  on_ = !quiet && can_rewrite_lines(terminal_);
}

void Progress::begin(const Group& group, std::size_t cells, const std::string& what) {
  ++at_;
  began_ = std::chrono::steady_clock::now();
  what_ = fmt::format("{} {} {}: {} of {} rung{}", group.cells[0].experiment->name, group.cells[0].point.name(),
                      to_string(group.mode, group.launch_by), what, cells, cells == 1 ? "" : "s");
  show(0, 1);
}

double Progress::seconds_left(double share) const {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  const double done = static_cast<double>(timed_) + share;
  return (spent_ + now) / done * (static_cast<double>(steps_ - at_) + 1 - share);
}

void Progress::show(std::uint64_t placement, std::size_t placements) {
  if (!on_) return;
  const double share = static_cast<double>(placement) / static_cast<double>(placements);
  std::string line = fmt::format("[{}/{}", at_, steps_);
  if (timed_ > 0 || placement > 0) line += ", about " + duration(seconds_left(share)) + " left";
  line += "] " + what_;
  if (placement > 0) line += fmt::format(", placement {} of {}", placement + 1, placements);
  while (columns(line) >= terminal_.width) line.pop_back();
  if (terminal_.colours) line = "\033[2m" + line + "\033[0m";
  std::cerr << "\r" << line << "\033[K" << std::flush;
}

void Progress::done(bool took_time) {
  clear();
  if (!took_time) return;
  ++timed_;
  spent_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void Progress::clear() const {
  if (on_) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace crosswarp
