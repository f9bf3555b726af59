// Loads NCCL, of the version that this was built with or a later one, and keeps its communicators. Where ranks are
// processes, each makes its own rank's calls alone: there is no group of all ranks' calls.
#include "backends/gpu/peer_features.hpp"

#if CROSSWARP_HAS_NCCL
#include <cstdlib>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/nccl.hpp"
#include "backends/cuda/nccl_calls.hpp"
#include "backends/cuda/nccl_communicators.hpp"
#include "backends/gpu/shared_library.hpp"
#include "core/processes.hpp"

namespace crosswarp::gpu {
namespace {

bool ranks_are_processes() { return joined_processes() != nullptr; }

/// NCCL's own group calls; those of Nccl do nothing where ranks are processes.
struct Groups {
  decltype(Nccl::group_start) start = nullptr;
  decltype(Nccl::group_end) end = nullptr;
};
Groups& groups() {
  static Groups loaded;
  return loaded;
}
ncclResult_t no_group() { return ncclSuccess; }

const SharedLibrary<Nccl>& library() {
  static const int is_off = setenv("NCCL_NVLS_ENABLE", "0", 1);  // before it is loaded: it reads its environment once
  static const SharedLibrary<Nccl> loaded("NCCL", {"libnccl.so.2"}, [](SharedLibrary<Nccl>& from) {
    from.load(from.entries.error_string, "ncclGetErrorString");
    from.load(from.entries.get_version, "ncclGetVersion");
    from.load(from.entries.get_unique_id, "ncclGetUniqueId");
    from.load(from.entries.comm_init_rank, "ncclCommInitRank");
    from.load(groups().start, "ncclGroupStart");
    from.load(groups().end, "ncclGroupEnd");
    from.entries.group_start = ranks_are_processes() ? no_group : groups().start;
    from.entries.group_end = ranks_are_processes() ? no_group : groups().end;
    from.load(from.entries.all_reduce, "ncclAllReduce");
    from.load(from.entries.all_gather, "ncclAllGather");
    from.load(from.entries.reduce_scatter, "ncclReduceScatter");
    from.load(from.entries.send, "ncclSend");
    from.load(from.entries.recv, "ncclRecv");
  });
  static_cast<void>(is_off);
  return loaded;
}

/// Never destroyed, which would need their devices.
std::vector<ncclComm_t>& communicators(std::size_t ranks, NcclArrays arrays) {
  static std::map<std::pair<std::size_t, NcclArrays>, std::vector<ncclComm_t>> made;
  return made[{ranks, arrays}];
}

}  // namespace

std::string why_no_nccl() { return library().why_not; }

const Nccl& nccl() { return library().usable(); }

std::string nccl_version() {
  if (const std::string why = why_no_nccl(); !why.empty()) return "none: " + why;
  int number = 0;
  check(nccl().get_version(&number), "ncclGetVersion");
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

void make_nccl_communicator(std::size_t rank, std::size_t ranks, NcclArrays arrays) {
  static ncclUniqueId id;
  std::vector<ncclComm_t>& made = communicators(ranks, arrays);
  if (ranks_are_processes()) {
    if (!made.empty()) return;
    if (rank == 0) check(nccl().get_unique_id(&id), "ncclGetUniqueId");
    joined_processes()->broadcast(ranks, std::as_writable_bytes(std::span(&id, 1)));
    made.resize(ranks);
    check(nccl().comm_init_rank(&made[rank], static_cast<int>(ranks), id, static_cast<int>(rank)), "ncclCommInitRank");
    return;
  }
  if (rank == 0 && made.empty()) {
    check(nccl().get_unique_id(&id), "ncclGetUniqueId");
    check(nccl().group_start(), "ncclGroupStart");
  }
  if (made.size() == ranks) return;
  made.reserve(ranks);  // the group's end writes them
  check(nccl().comm_init_rank(&made.emplace_back(), static_cast<int>(ranks), id, static_cast<int>(rank)),
        "ncclCommInitRank");
  if (made.size() == ranks) check(nccl().group_end(), "ncclGroupEnd");
}

ncclComm_t nccl_communicator(std::size_t rank, std::size_t ranks, NcclArrays arrays) {
  return communicators(ranks, arrays).at(rank);
}

void make_nccl_communicator(std::size_t rank, std::size_t ranks) {
  make_nccl_communicator(rank, ranks, NcclArrays::plain);
}
ncclComm_t nccl_communicator(std::size_t rank, std::size_t ranks) {
  return nccl_communicator(rank, ranks, NcclArrays::plain);
}

bool begins_nccl_calls(std::size_t rank) { return rank == 0 || ranks_are_processes(); }
bool ends_nccl_calls(std::size_t rank, std::size_t ranks) { return rank + 1 == ranks || ranks_are_processes(); }

void begin_nccl_pairs() {
  if (ranks_are_processes()) check(groups().start(), "ncclGroupStart");
}
void end_nccl_pairs() {
  if (ranks_are_processes()) check(groups().end(), "ncclGroupEnd");
}

void check(ncclResult_t result, const char* what, std::source_location where) {
  if (result != ncclSuccess) throw Error(std::string(what) + ": " + nccl().error_string(result), result, where);
}

}  // namespace crosswarp::gpu
#endif
