// Faults when it is loaded.
#include <csignal>

[[gnu::constructor]] static void fault() { std::raise(SIGSEGV); }
