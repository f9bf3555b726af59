// One flag, set by the first signal. Later ones count only when the program had time to end.
#include "bench/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace crosswarp {
namespace {

constexpr int all[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr long patience = 5;  // seconds for writing what is done

volatile std::sig_atomic_t noted_signal = 0;
timespec noted_at = {};

void note(int signal) {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (noted_signal == 0) {
    noted_at = now;
    noted_signal = signal;
  } else if (now.tv_sec - noted_at.tv_sec > patience) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catch_interrupts() {
  for (const int s : all) {
    struct sigaction before = {}, action = {};
    sigaction(s, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // by nohup, or a shell's job in the background
    action.sa_handler = note;                    // without SA_RESTART: who waits is to look at the flag
    sigaction(s, &action, nullptr);
  }
}

void ignore_interrupts() {
  for (const int s : all) std::signal(s, SIG_IGN);
}

int interrupted() { return noted_signal; }

}  // namespace crosswarp
