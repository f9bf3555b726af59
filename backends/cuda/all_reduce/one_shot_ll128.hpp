// The variant by lines of 128 bytes, as the dispatcher calls it. The kernel stands in one_shot_ll128.cu.
#pragma once

#include <string>

#include "backends/cuda/all_reduce/dispatch.hpp"

#if CROSSWARP_HAS_PEERS
namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace all_reduce_one_shot_ll128 {

void all_reduce(const Queue& queue, const AllReduce::Args& args);
std::size_t workspace(const Queue& queue, const AllReduce::Args& args);
/// Why a link does not keep a line of 128 bytes whole; empty where all do.
std::string missing();

}  // namespace all_reduce_one_shot_ll128
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
#endif
