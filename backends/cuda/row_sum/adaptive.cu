// What a user would call: the way of the rungs before it that fits the shape, its alignment and the device. Bound by
// memory; by the launch for matrices below some megabytes.
#include "backends/cuda/row_sum/row_chunks.hpp"
#include "backends/cuda/row_sum/row_groups.hpp"
#include "backends/cuda/row_sum/row_tiles.hpp"
#include "backends/cuda/row_sum/row_warps.hpp"

namespace crosswarp::gpu {
namespace {

enum class Way { single, pairs, groups, tiles, warps, chunks };

/// - Rows of one or two elements are copied rather than added: one or two words a lane, no word between lanes.
/// - Short rows go several to a warp where 16-byte loads can read them one by one, else several to a block, which reads
///   them as one piece. With few of them it is the launch that takes the time, and no way is better than another.
/// - Up to 16 KiB a warp has a row in flight at once, or nearly; but only as many warps as rows: a device that they do
///   not fill wants several blocks a row.
Way way(const Queue& queue, const RowSum::Args& args) {
  constexpr std::size_t longest_of_pieces = 256, longest_of_warps = 4096;
  const auto units = static_cast<std::size_t>(queue.device.compute_units);
  if (args.columns == 1) return Way::single;
  if (args.columns == 2 && rows_are_aligned(args, sizeof(float2))) return Way::pairs;
  if (args.columns <= longest_row && rows_are_aligned(args, sizeof(float4))) return Way::groups;
  if (args.columns <= longest_of_pieces) return Way::tiles;
  if (args.columns <= 2048 || (args.columns <= longest_of_warps && args.rows() >= 16 * units)) return Way::warps;
  return Way::chunks;
}

std::size_t workspace(const Queue& queue, const RowSum::Args& args) {
  return way(queue, args) == Way::chunks ? RowChunks::fitting(queue, args).workspace(args) : 0;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  switch (way(queue, args)) {
    case Way::single:
      return sum_by_groups<float, 1, 1, 8>(queue, args);
    case Way::pairs:
      return sum_by_groups<float2, 1, 1, 4>(queue, args);
    case Way::groups:
      return sum_by_groups_of_vectors(queue, args);
    case Way::tiles:
      return sum_by_tiles(queue, args);
    case Way::warps:
      return sum_by_warps<16>(queue, args);
    case Way::chunks:
      return sum_by_chunks(queue, args, RowChunks::fitting(queue, args));
  }
}

const Register<RowSum> variant{{
    .idea = "groups of lanes, tiles, warps or blocks for a row, by shape, alignment and device: bound by memory",
    .improves = "split_row",
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
