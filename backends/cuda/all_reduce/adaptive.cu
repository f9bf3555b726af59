// The library-style entry point: the rung that Hockney's model expects to be fastest for these bytes and ranks. Bound
// by a trip over the link, by barriers, by the link.
#include <algorithm>
#include <array>
#include <limits>

#include "backends/cuda/all_reduce/dispatch.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// What a rung takes, less an empty launch: a latency for each signal that waits for another, and the bytes that a rank
/// receives over a rate. Latencies and rates as scripts/ranks_model fits them to two H100s (docs/several-gpus.md).
struct Model {
  double seconds_per_signal, bytes_per_second;

  double seconds(double signals, double arrays, std::size_t bytes) const {
    return signals * seconds_per_signal + arrays * static_cast<double>(bytes) / bytes_per_second;
  }
};
constexpr Model lines{1.96e-6, 255e9}, lines128{2.24e-6, 285e9}, two_shots{3.72e-6, 318e9},
    pipelined_shots{3.88e-6, 331e9}, ring{3.2e-6, 360e9};

enum class Rung { lines, lines128, two_shot, pipelined, ring };

Rung fastest(std::size_t bytes, std::size_t ranks) {
  const auto r = static_cast<double>(ranks);
  const double shares = 2 * (r - 1) / r;  // arrays that a rank receives, at the least
  constexpr double never = std::numeric_limits<double>::infinity();
  static const bool links_keep_lines = all_reduce_one_shot_ll128::missing().empty();
  const std::array<double, 5> expected{
      bytes <= max_line_bytes ? lines.seconds(1, 2 * (r - 1), bytes) : never,
      bytes <= max_line_bytes && links_keep_lines ? lines128.seconds(1, 8.0 / 7 * (r - 1), bytes) : never,
      two_shots.seconds(2, shares, bytes), pipelined_shots.seconds(2, shares, bytes),
      ring.seconds(2 * (r - 1), shares, bytes)};
  return static_cast<Rung>(std::ranges::min_element(expected) - expected.begin());
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  switch (fastest(args.bytes(), args.ranks())) {
    case Rung::lines:
      return all_reduce_one_shot_ll::all_reduce(queue, args);
    case Rung::lines128:
      return all_reduce_one_shot_ll128::all_reduce(queue, args);
    case Rung::two_shot:
      return all_reduce_two_shot::all_reduce(queue, args);
    case Rung::pipelined:
      return all_reduce_pipelined::all_reduce(queue, args, 4);
    case Rung::ring:
      return all_reduce_ring::all_reduce(queue, args);
  }
}

std::size_t workspace(const Queue& queue, const AllReduce::Args& args) {
  switch (fastest(args.bytes(), args.ranks())) {
    case Rung::lines:
      return all_reduce_one_shot_ll::workspace(queue, args);
    case Rung::lines128:
      return all_reduce_one_shot_ll128::workspace(queue, args);
    case Rung::ring:
      return all_reduce_ring::workspace(queue, args);
    default:
      return sizeof(Flags);
  }
}

#endif

const Register<AllReduce> variant{{
    .idea =
        "dispatch by bytes and ranks: flags in words or in lines of the data, two shots, pipelined or not, or a ring",
    .bound_by = "a trip over the link, then barriers, then the link",
    .improves = "two_shot",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .launch = all_reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
