// NCCL, as far as ranks and groups go: it sends nothing. Tests read the calls from `stub`.
#include "tests/stubs/nccl.hpp"

#include <nccl.h>

#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT crosswarp::NcclCalls stub;
crosswarp::NcclCalls stub;

namespace {

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
  return note("id");
}
EXPORT ncclResult_t ncclCommInitRank(ncclComm_t* made, int ranks, ncclUniqueId id, int rank) {
  *made = reinterpret_cast<ncclComm_t>(static_cast<std::size_t>(100 * ranks + rank));
  return note("rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " by the id " + id.internal);
}
EXPORT ncclResult_t ncclGroupStart() { return note("group start"); }
EXPORT ncclResult_t ncclGroupEnd() { return note("group end"); }
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
