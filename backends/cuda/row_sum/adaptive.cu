// The library-style entry point: dispatches by shape, alignment and device. Bound by memory bandwidth; by the launch
// for matrices below some megabytes.
#include "backends/cuda/row_sum/dispatch.hpp"

namespace crosswarp::gpu {
namespace {

enum class Rung { rows_per_warp, rows_per_block, warp_per_row, split_row };

/// - rows_per_warp for short rows in aligned vectors, and for rows of one element or two, which take one load per lane
///   and no exchange between lanes.
/// - rows_per_block for other short rows, which it reads as one piece. With few rows the launch takes the time, and all
///   rungs do alike.
/// - warp_per_row up to 16 KiB: all loads of a row are in flight at once, or nearly. But it has only as many warps as
///   rows: a device that they do not fill wants several blocks per row.
/// - split_row beyond.
Rung choose(const Queue& queue, const RowSum::Args& args) {
  const auto units = static_cast<std::size_t>(queue.device.compute_units);
  if (args.columns == 1 || (args.columns == 2 && rows_are_aligned(args, sizeof(float2)))) return Rung::rows_per_warp;
  if (args.columns <= 1024 && rows_are_aligned(args, sizeof(float4))) return Rung::rows_per_warp;
  if (args.columns <= 256) return Rung::rows_per_block;
  if (args.columns <= 2048 || (args.columns <= 4096 && args.rows() >= 16 * units)) return Rung::warp_per_row;
  return Rung::split_row;
}

/// Elements of split_row's chunks: 32 to 256 KiB, two waves of blocks. On an H200 whole rows are best where they make
/// that many blocks by themselves; shorter chunks cost up to 8 %, more to start than they gain in balance.
std::size_t chunk(const Queue& queue, const RowSum::Args& args) {
  constexpr std::size_t shortest = 8192, longest = 65'536, block = 256;
  constexpr std::size_t max_chunks = 16'384;  // per row: one block adds their partials
  const auto resident = static_cast<std::size_t>(queue.device.compute_units * queue.device.threads_per_unit) / block;
  const std::size_t even = args.in.size() / (2 * std::max<std::size_t>(resident, 1));
  return std::max(std::clamp(even, shortest, longest), args.columns / max_chunks);
}

std::size_t workspace(const Queue& queue, const RowSum::Args& args) {
  const bool is_split = choose(queue, args) == Rung::split_row;
  return is_split ? row_sum_split_row::workspace_bytes(args, chunk(queue, args)) : 0;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  switch (choose(queue, args)) {
    case Rung::rows_per_warp:
      return row_sum_rows_per_warp::sum(queue, args);
    case Rung::rows_per_block:
      return row_sum_rows_per_block::sum(queue, args);
    case Rung::warp_per_row:
      return row_sum_warp_per_row::sum(queue, args, 16);
    case Rung::split_row:
      return row_sum_split_row::sum(queue, args, chunk(queue, args));
  }
}

const Register<RowSum> variant{{
    .idea = "dispatch by shape, alignment and device: rows_per_warp, rows_per_block, warp_per_row or split_row",
    .bound_by = "memory bandwidth",
    .improves = "split_row",
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
