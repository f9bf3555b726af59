// One flag, set by the first signal. Later signals count only after the program had time to end.
#include "bench/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace crosswarp {
namespace {

constexpr int all[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr long patience = 5;  // seconds for writing results

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
    if (before.sa_handler == SIG_IGN) continue;  // ignored by nohup, or for a background job of a shell
    action.sa_handler = note;                    // without SA_RESTART: interrupts waiting, too
    sigfillset(&action.sa_mask);                 // else the last of several pending signals is handled first
    sigaction(s, &action, nullptr);
  }
}

void ignore_interrupts() {
  for (const int s : all) std::signal(s, SIG_IGN);
}

int interrupted() { return noted_signal; }

}  // namespace crosswarp
