// ROCTx's library, as far as ranges go. Tests read the calls from `stub`.
#include "tests/stubs/roctx.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT crosswarp::RoctxCalls stub;
crosswarp::RoctxCalls stub;

EXPORT int roctxRangePushA(const char* message) {
  stub.open.emplace_back(message);
  return static_cast<int>(stub.open.size()) - 1;
}
#if ROCTX_POP
EXPORT int roctxRangePop() {
  if (stub.open.empty()) return -1;
  stub.ended.push_back(stub.open.back());
  stub.open.pop_back();
  return static_cast<int>(stub.open.size());
}
#endif
