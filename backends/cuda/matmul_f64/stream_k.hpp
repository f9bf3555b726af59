// Stream-K's division of work: a resident grid shares the k-tiles of the last waves evenly, wherever tiles of C begin
// and end, so that no multiprocessor idles in a partial wave. Due to Osama, Merrill, Cecka, Garland and Owens, 2023.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// The first `shared` tiles are one sequence of iterations, a k-tile each, cut into an equal range per block. The
/// others are whole tiles: block b computes every blocks-th of them, from the b-th on.
struct StreamK {
  unsigned tiles, k_tiles, blocks;
  unsigned shared;  ///< 0 where waves are full; otherwise the last full wave and the partial one.

  /// Requires one tile and one k-tile at least. No block gets less than `least_share` k-tiles, unless it is the only
  /// one.
  StreamK(unsigned tiles_, unsigned k_tiles_, unsigned max_blocks, unsigned least_share)
      : tiles(tiles_), k_tiles(k_tiles_) {
    const std::uint64_t shares = std::uint64_t{tiles} * k_tiles / least_share;
    blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(shares, 1, max_blocks));
    shared = tiles % blocks == 0 ? 0 : std::min(tiles, tiles % blocks + blocks);
  }

  /// The first iteration of a block.
  constexpr std::uint64_t first_of(unsigned block) const { return std::uint64_t{shared} * k_tiles * block / blocks; }
  /// The block of an iteration.
  constexpr unsigned block_of(std::uint64_t iteration) const {
    return static_cast<unsigned>(((iteration + 1) * blocks - 1) / (std::uint64_t{shared} * k_tiles));
  }
};

/// K-tiles begin … end of a tile, which blocks first … last share. Empty: the block is done.
struct StreamKUnit {
  unsigned tile, begin, end, first, last;

  constexpr bool is_empty() const { return begin == end; }
  constexpr bool is_shared() const { return first != last; }
};

/// A block's work: first its shares, whose partial sums then travel while other blocks multiply, then whole tiles.
struct StreamKWork {
  std::uint64_t iteration, stop;
  unsigned whole;

  static constexpr StreamKWork of(const StreamK& schedule, unsigned block) {
    return {schedule.first_of(block), schedule.first_of(block + 1), schedule.shared + block};
  }

  /// Empty ones when nothing is left.
  constexpr StreamKUnit next(const StreamK& schedule) {
    if (iteration == stop) {
      if (whole >= schedule.tiles) return {};
      const StreamKUnit unit{whole, 0, schedule.k_tiles, 0, 0};
      whole += schedule.blocks;
      return unit;
    }
    const auto tile = static_cast<unsigned>(iteration / schedule.k_tiles);
    const auto begin = static_cast<unsigned>(iteration % schedule.k_tiles);
    const std::uint64_t left = stop - iteration, first_iteration = iteration - begin;
    const unsigned end = left < schedule.k_tiles - begin ? begin + static_cast<unsigned>(left) : schedule.k_tiles;
    iteration += end - begin;
    return {tile, begin, end, schedule.block_of(first_iteration),
            schedule.block_of(first_iteration + schedule.k_tiles - 1)};
  }
};

}  // namespace
}  // namespace crosswarp::gpu
