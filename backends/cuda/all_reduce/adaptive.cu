// The library-style entry point: dispatches by bytes and ranks. Lines with the flag in the data while their extra bytes
// take less time than two barriers, then two shots, pipelined where each thread has several packs. Bound by a trip over
// the link, by two barriers, by the link.
#include "backends/cuda/all_reduce/dispatch.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

// Of a model, and not measured: what two barriers take beyond the trip that lines take, too, and NVLink 4's nominal
// rate in one direction.
constexpr double barriers_seconds = 3e-6, link_bytes_per_second = 450e9;

/// Lines send 2 (r - 1) arrays, two shots 2 (r - 1) / r: 2 (r - 1)² / r more.
bool lines_are_faster(std::size_t bytes, std::size_t ranks) {
  const auto r = static_cast<double>(ranks);
  return bytes <= max_line_bytes &&
         static_cast<double>(bytes) * 2 * (r - 1) * (r - 1) / r < barriers_seconds * link_bytes_per_second;
}

/// Whether each thread of a full grid has two packs or more of its rank's share.
bool threads_have_several(const Queue& queue, std::size_t bytes, std::size_t ranks) {
  const Shape full(queue, bytes / 16);
  return bytes / 16 / ranks >= 2 * std::size_t{full.blocks} * full.threads;
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const std::size_t bytes = args.bytes(), ranks = args.ranks();
  if (lines_are_faster(bytes, ranks)) return all_reduce_one_shot_ll::all_reduce(queue, args);
  if (threads_have_several(queue, bytes, ranks)) return all_reduce_pipelined::all_reduce(queue, args, 4);
  all_reduce_two_shot::all_reduce(queue, args);
}

std::size_t workspace(const Queue& queue, const AllReduce::Args& args) {
  return lines_are_faster(args.bytes(), args.ranks()) ? all_reduce_one_shot_ll::workspace(queue, args) : sizeof(Flags);
}

#endif

const Register<AllReduce> variant{{
    .idea = "dispatch by bytes and ranks: the flag in the data, two shots, two shots pipelined",
    .bound_by = "a trip over the link, then two barriers, then the link",
    .improves = "two_shot",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .launch = all_reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
