// Calls to NCCL by ranks that are of one process, where one thread makes them all, or processes of their own.
#pragma once

#include <cstddef>

#include "backends/cuda/nccl.hpp"

namespace crosswarp::gpu {

/// Whether a rank's calls are the first, or the last, of this process: NCCL enqueues its work behind the last.
bool begins_nccl_calls(std::size_t rank);
bool ends_nccl_calls(std::size_t rank, std::size_t ranks);

void begin_nccl_pairs();
void end_nccl_pairs();

/// Sends and receives of one rank, which wait for each other unless they are one group. Within in_nccl_group(), which
/// is that group where ranks are of one process.
template <class Calls>
void in_nccl_pairs(Calls calls) {
  begin_nccl_pairs();
  calls();
  end_nccl_pairs();
}

}  // namespace crosswarp::gpu
