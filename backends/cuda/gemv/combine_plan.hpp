// How many blocks share a matrix whose rows run along n: ranges of columns and splits of k, with the cycles that a
// model expects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "backends/cuda/gemv/problem.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {

constexpr unsigned combine_block = 512, combine_min_blocks = 2, combine_loads = 8;

/// A block has `lanes` loads of columns, and `block_depth` rows: one of `splits` ranges of k.
struct CombinePlan {
  unsigned lanes, column_blocks, splits;
  std::size_t block_depth;
  double cycles = 0;  ///< Expected.

  /// No more than `most_splits`, none of them empty.
  template <class T>
  CombinePlan(const Problem<T>& problem, unsigned lanes, std::size_t most_splits)
      : lanes(lanes),
        column_blocks(blocks_for(problem.matrix.columns, lanes * problem.width)),
        block_depth(blocks_for(problem.matrix.rows, most_splits)) {
    splits = blocks_for(problem.matrix.rows, block_depth);
  }
};

/// What adding the blocks' sums costs, in cycles: of waiting, and at the end of a wave that memory bounds.
struct SumCost {
  double wait, wait_of_split, end;
};
constexpr SumCost by_last_block{3100, 18, 3050}, in_cluster{0, 32, 2400};

/// As fitted, on an H200, to 5,250 launches: up to 38 plans of each of 195 products of 64, 32 and 16 bits, with sums by
/// the last block and in clusters. The cheapest plan takes 1.2 % longer than the fastest, on average, and 19 % at most.
/// A wave, of up to `resident` blocks, takes as long as its blocks wait for memory, in each pass of combine_loads, and
/// for one another's sums, or as memory takes to move their bytes, whichever is longer; conversion and multiplication
/// of elements come on top. Each block costs some more, since launches overlap. A single block of a multiprocessor
/// draws a part of its bandwidth. Of a row a block takes whole sectors, one more where loads are not of 16 bytes, since
/// rows then begin anywhere; rows by loads of 16 bytes may begin within a sector, too, which is neglected. Parts of
/// lines come more slowly. Launch and latency included. Infinite where no block is resident.
template <class T>
double combine_cycles(const DeviceInfo& device, const Problem<T>& problem, const CombinePlan& plan, const SumCost& sums,
                      std::size_t resident) {
  if (resident == 0) return std::numeric_limits<double>::infinity();
  constexpr double launch = 2230, block = 2.8, pass = 2030, issue_of_sector = 0.17, issue_of_element = 117;
  constexpr double share_of_peak = 0.93, of_parts = 0.82, of_single = 0.82;
  constexpr unsigned sector = 32, line = 128;
  const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
  const std::size_t row_bytes = std::min<std::size_t>(plan.lanes * problem.width, problem.matrix.columns) * sizeof(T);
  const std::size_t sectors = blocks_for(row_bytes, sector) + (problem.width * sizeof(T) < 16 ? 1 : 0);
  const unsigned pass_rows = combine_block / plan.lanes * combine_loads;
  const double passes = blocks_for(plan.block_depth, pass_rows);
  const double peak = device.peak_per_cycle("memory", 18) * static_cast<double>(units);
  const double rate = (row_bytes < line ? of_parts : 1) * share_of_peak * peak;
  const double block_moves = static_cast<double>(plan.block_depth * sectors * sector) / rate;
  const bool are_split = plan.splits > 1;
  const auto wave = [&](std::size_t blocks) {
    const bool is_single = blocks <= units;
    const double of_unit = is_single ? 1 : combine_min_blocks, count = static_cast<double>(blocks);
    const double computed = of_unit * passes * issue_of_element * problem.width;
    const double waited = passes * (pass + of_unit * issue_of_sector * static_cast<double>(pass_rows * sectors)) +
                          (are_split ? sums.wait + sums.wait_of_split * plan.splits : 0);
    const double moved = count * block_moves / (is_single ? of_single : 1) + (are_split ? sums.end : 0);
    return block * count + computed + std::max(waited, moved);
  };
  const std::size_t blocks = std::size_t{plan.column_blocks} * plan.splits, rest = blocks % resident;
  return launch + static_cast<double>(blocks / resident) * wave(resident) + (rest > 0 ? wave(rest) : 0);
}

/// The plan of fewest expected cycles. `columns`: of a block, a power of two, up to combine_block, and at least a
/// load's; 0: any. `cycles_of` returns a plan's, `splits_for` the numbers of splits to try, given its lanes and column
/// blocks. Requires rows along n, a product that is not empty, and rows and blocks of columns below 2^32.
template <class T, class SplitsFor, class CyclesOf>
CombinePlan cheapest_plan(const DeviceInfo& device, const Problem<T>& problem, std::size_t columns,
                          SplitsFor splits_for, CyclesOf cycles_of) {
  constexpr unsigned least_lanes = 4, usual_lanes = 64;
  const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
  const auto given = static_cast<unsigned>(columns / problem.width);
  std::vector<CombinePlan> plans;
  for (unsigned lanes = given == 0 ? least_lanes : given; lanes * problem.width <= combine_block; lanes *= 2) {
    const std::size_t blocks = blocks_for(problem.matrix.columns, lanes * problem.width);
    if (given == 0 && lanes > usual_lanes && blocks < combine_min_blocks * units) break;
    for (const std::size_t splits : splits_for(lanes, blocks)) {
      plans.emplace_back(problem, lanes, splits);
      plans.back().cycles = cycles_of(plans.back());
    }
    if (given > 0) break;
  }
  return *std::ranges::min_element(plans, {}, &CombinePlan::cycles);
}

}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
