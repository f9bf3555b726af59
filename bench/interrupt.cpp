// One flag, set by the first signal, which also gives the next one its usual meaning.
#include "bench/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace crosswarp {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

void note(int signal) {
  noted_signal = signal;
  for (const int s : {SIGINT, SIGTERM}) std::signal(s, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  for (const int s : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    action.sa_handler = note;  // without SA_RESTART: who waits is to look at the flag
    sigaction(s, &action, nullptr);
  }
}

int interrupted() { return noted_signal; }

}  // namespace crosswarp
