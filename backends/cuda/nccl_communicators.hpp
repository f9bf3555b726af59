// NCCL's communicators by what they know of arrays.
#pragma once

#include <cstddef>

#include "backends/cuda/nccl.hpp"

namespace crosswarp::gpu {

/// A communicator knows the windows that are registered with it, and uses them in every call on their memory. Calls
/// with and without windows on the same arrays therefore need two.
enum class NcclArrays { plain, windows };

/// As the functions without `arrays`, whose arrays are plain.
void make_nccl_communicator(std::size_t rank, std::size_t ranks, NcclArrays arrays);
ncclComm_t nccl_communicator(std::size_t rank, std::size_t ranks, NcclArrays arrays);

}  // namespace crosswarp::gpu
