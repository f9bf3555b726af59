// Throws when it is loaded.
#include <stdexcept>

[[gnu::constructor]] static void fail() { throw std::runtime_error("no such luck"); }
