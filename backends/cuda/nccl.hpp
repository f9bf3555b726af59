// NCCL, loaded on first use: loading is slow, and the program must start without it.
#pragma once

#include <nccl.h>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <string>

#include "core/half.hpp"

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
};

/// Loads NCCL, with NVLink multicast off (NCCL_NVLS_ENABLE=0): it can put the GPUs of a shared host out of service. The
/// reason where that fails, else empty.
std::string why_no_nccl();

/// Throws Error if it cannot be loaded.
const Nccl& nccl();

/// `2.28.3`; why there is none, where it cannot be loaded.
std::string nccl_version();

/// Rank `rank`'s communicator in a group of `ranks`, made on first use. Requires that the rank's device is current and
/// that it is called for all ranks one after the other, from 0 on: the call of the last one makes them, which takes
/// seconds.
void make_nccl_communicator(std::size_t rank, std::size_t ranks);
/// Requires make_nccl_communicator() of all ranks.
ncclComm_t nccl_communicator(std::size_t rank, std::size_t ranks);

/// Throws Error with the library's message unless `result` is success.
void check(ncclResult_t result, const char* what, std::source_location where = std::source_location::current());

template <class T>
constexpr ncclDataType_t nccl_type = std::same_as<T, float>  ? ncclFloat32
                                     : std::same_as<T, Half> ? ncclFloat16
                                                             : ncclBfloat16;

/// The calls for all ranks are one group, which the last one ends: one thread makes them all, from rank 0 on.
template <class Call>
void in_nccl_group(std::size_t rank, std::size_t ranks, Call call) {
  if (rank == 0) check(nccl().group_start(), "ncclGroupStart");
  call(nccl_communicator(rank, ranks));
  if (rank == ranks - 1) check(nccl().group_end(), "ncclGroupEnd");
}

}  // namespace crosswarp::gpu
