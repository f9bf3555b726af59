// NCCL, as far as ranks, groups and windows go: it sends nothing. Tests read the calls from `stub`, and set `answers`.
#include "tests/stubs/nccl.hpp"

#include <nccl.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT crosswarp::NcclCalls stub;
crosswarp::NcclCalls stub;
EXPORT crosswarp::NcclAnswers answers;
crosswarp::NcclAnswers answers;

namespace {

using crosswarp::NcclAnswers;

std::size_t ids = 0;
std::vector<std::pair<ncclWindow_t*, ncclWindow_t>> in_group;  // windows, and where they are written to

ncclResult_t note(const std::string& call) {
  stub.push_back(call);
  return ncclSuccess;
}

}  // namespace

EXPORT const char* ncclGetErrorString(ncclResult_t) { return "an error"; }
EXPORT ncclResult_t ncclGetVersion(int* version) {
  *version = 22807;
  return ncclSuccess;
}
EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::strcpy(id->internal, "made here");
  ++ids;
  return note("id");
}
EXPORT ncclResult_t ncclCommInitRank(ncclComm_t* made, int ranks, ncclUniqueId id, int rank) {
  const auto own = static_cast<std::size_t>(100 * ranks + rank);
  *made = reinterpret_cast<ncclComm_t>(own + (ids > 1 ? 1000 * (ids - 1) : 0));
  return note("rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " by the id " + id.internal);
}
EXPORT ncclResult_t ncclGroupStart() { return note("group start"); }
/// Writes what the group's calls result in, as NCCL does.
EXPORT ncclResult_t ncclGroupEnd() {
  for (const auto& [to, window] : std::exchange(in_group, {})) *to = window;
  return note("group end");
}
EXPORT ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) {
  return note("all-reduce");
}
EXPORT ncclResult_t ncclAllGather(const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t) {
  return note("all-gather");
}
EXPORT ncclResult_t ncclReduceScatter(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                                      cudaStream_t) {
  return note("reduce-scatter");
}
EXPORT ncclResult_t ncclSend(const void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return note("send");
}
EXPORT ncclResult_t ncclRecv(void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) { return note("receive"); }

EXPORT ncclResult_t ncclMemAlloc(void** memory, size_t bytes) {
  if (bytes > answers.memory) return ncclUnhandledCudaError;
  *memory = std::malloc(bytes);
  return note("allocate " + std::to_string(bytes));
}
EXPORT ncclResult_t ncclMemFree(void* memory) {
  std::free(memory);
  return note("free");
}
EXPORT ncclResult_t ncclCommWindowRegister(ncclComm_t, void* memory, size_t bytes, ncclWindow_t* window, int flags) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  note((flags & NCCL_WIN_COLL_SYMMETRIC ? "register symmetric " : "register ") + std::to_string(bytes));
  if (answers.window == NcclAnswers::error) return ncclInvalidArgument;
  if (answers.window == NcclAnswers::symmetric)
    in_group.emplace_back(window, reinterpret_cast<ncclWindow_t>(crosswarp::device_addresses + address));
  if (answers.window == NcclAnswers::ordinary) in_group.emplace_back(window, reinterpret_cast<ncclWindow_t>(address));
  return ncclSuccess;
}
EXPORT ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t) { return note("deregister"); }
