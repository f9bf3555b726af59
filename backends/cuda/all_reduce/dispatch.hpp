// Rungs that the dispatcher calls. Each stands in its own file.
#pragma once

#include <string>

#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_reduce.hpp"

#if CROSSWARP_HAS_PEERS
namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

namespace all_reduce_one_shot_ll {
void all_reduce(const Queue& queue, const AllReduce::Args& args);
std::size_t workspace(const Queue& queue, const AllReduce::Args& args);
}  // namespace all_reduce_one_shot_ll

namespace all_reduce_one_shot_ll128 {
void all_reduce(const Queue& queue, const AllReduce::Args& args);
std::size_t workspace(const Queue& queue, const AllReduce::Args& args);
/// Why a link does not keep a line of 128 bytes whole; empty where all do.
std::string missing();
}  // namespace all_reduce_one_shot_ll128

namespace all_reduce_two_shot {
void all_reduce(const Queue& queue, const AllReduce::Args& args);
}  // namespace all_reduce_two_shot

namespace all_reduce_ring {
void all_reduce(const Queue& queue, const AllReduce::Args& args);
std::size_t workspace(const Queue& queue, const AllReduce::Args& args);
}  // namespace all_reduce_ring

namespace all_reduce_pipelined {
/// `depth`: 2, 4 or 8.
void all_reduce(const Queue& queue, const AllReduce::Args& args, int depth);
}  // namespace all_reduce_pipelined

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
#endif
