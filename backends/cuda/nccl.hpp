// NCCL, loaded on first use: loading is slow, and the program must start without it.
#pragma once

#include <nccl.h>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <string>

#include "core/half.hpp"

// Declared by NCCL 2.27 and later. The library that is loaded may be later than the header.
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 27, 0)
using ncclWindow_t = struct ncclWindow*;
constexpr int NCCL_WIN_COLL_SYMMETRIC = 1;
extern "C" ncclResult_t ncclCommWindowRegister(ncclComm_t, void*, std::size_t, ncclWindow_t*, int);
extern "C" ncclResult_t ncclCommWindowDeregister(ncclComm_t, ncclWindow_t);
#endif

namespace crosswarp::gpu {

/// The entry points in use. A new one is a line here and a line in nccl.cpp.
struct Nccl {
  decltype(&::ncclGetErrorString) error_string = nullptr;
  decltype(&::ncclGetVersion) get_version = nullptr;
  decltype(&::ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&::ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&::ncclGroupStart) group_start = nullptr;
  decltype(&::ncclGroupEnd) group_end = nullptr;
  decltype(&::ncclAllReduce) all_reduce = nullptr;
  decltype(&::ncclAllGather) all_gather = nullptr;
  decltype(&::ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&::ncclSend) send = nullptr;
  decltype(&::ncclRecv) recv = nullptr;
  // Null where the library has none; see why_no_nccl_windows().
  decltype(&::ncclMemAlloc) mem_alloc = nullptr;
  decltype(&::ncclMemFree) mem_free = nullptr;
  decltype(&::ncclCommWindowRegister) window_register = nullptr;
  decltype(&::ncclCommWindowDeregister) window_deregister = nullptr;
};

/// Loads NCCL, with NVLink multicast off (NCCL_NVLS_ENABLE=0): it can put the GPUs of a shared host out of service. The
/// reason where that fails, else empty.
std::string why_no_nccl();

/// Throws Error if it cannot be loaded.
const Nccl& nccl();

/// `2.28.3`; why there is none, where it cannot be loaded.
std::string nccl_version();

/// A communicator knows the windows that are registered with it, and uses them in every call on their memory. Calls
/// with and without windows on the same arrays therefore need two.
enum class NcclArrays { plain, windows };

/// Rank `rank`'s communicator in a group of `ranks`, made on first use. Requires that the rank's device is current and
/// that it is called for all ranks one after the other, from 0 on: the call of the last one makes them, which takes
/// seconds.
void make_nccl_communicator(std::size_t rank, std::size_t ranks, NcclArrays arrays = NcclArrays::plain);
/// Requires make_nccl_communicator() of all ranks.
ncclComm_t nccl_communicator(std::size_t rank, std::size_t ranks, NcclArrays arrays = NcclArrays::plain);

/// Throws Error with the library's message unless `result` is success.
void check(ncclResult_t result, const char* what, std::source_location where = std::source_location::current());

template <class T>
constexpr ncclDataType_t nccl_type = std::same_as<T, float>  ? ncclFloat32
                                     : std::same_as<T, Half> ? ncclFloat16
                                                             : ncclBfloat16;

/// The calls for all ranks are one group, which the last one ends: one thread makes them all, from rank 0 on.
template <class Call>
void in_nccl_group(std::size_t rank, std::size_t ranks, Call call, NcclArrays arrays = NcclArrays::plain) {
  if (rank == 0) check(nccl().group_start(), "ncclGroupStart");
  call(nccl_communicator(rank, ranks, arrays));
  if (rank == ranks - 1) check(nccl().group_end(), "ncclGroupEnd");
}

}  // namespace crosswarp::gpu
