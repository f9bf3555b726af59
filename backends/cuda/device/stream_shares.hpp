// Tiles shared out evenly over blocks that are all there at once: what is left over beyond whole rounds of tiles is cut
// into equal shares of steps, wherever tiles begin and end, so that no multiprocessor waits for a last round.
//
// Stream-K is due to Osama, Merrill, Cecka, Garland and Owens, 2023.
#pragma once

#include <cstdint>

namespace crosswarp::gpu {
namespace {

/// What a block does next: steps begin … end of a tile, which blocks first … last share. No steps where it has done
/// all.
struct StreamTask {
  unsigned tile, begin, end, first, last;
};

/// How `tiles` of `steps` steps each are shared out over `blocks`. The first `shared` ones by steps, block b having
/// those from first_of(b) to first_of(b + 1) of all; the others as a whole, block b having every blocks-th from the
/// b-th.
struct StreamShares {
  unsigned tiles, steps, blocks;
  unsigned shared;

  /// Of all steps of shared tiles, the first that is block b's.
  constexpr std::uint64_t first_of(unsigned b) const { return std::uint64_t{shared} * steps * b / blocks; }
  /// The block that has one of these steps.
  constexpr unsigned block_of(std::uint64_t step) const {
    return static_cast<unsigned>(((step + 1) * blocks - 1) / (std::uint64_t{shared} * steps));
  }

  /// Of block b, from 0 on. Its shares come first, so that their partials travel while others multiply.
  constexpr StreamTask task(unsigned b, unsigned number) const {
    if (shared > 0) {
      const std::uint64_t at = first_of(b), stop = first_of(b + 1);
      const auto first = static_cast<unsigned>(at / steps);
      const unsigned touched = at < stop ? static_cast<unsigned>((stop - 1) / steps) - first + 1 : 0;
      if (number < touched) {
        const unsigned tile = first + number;
        const std::uint64_t first_step = std::uint64_t{tile} * steps, left = stop - first_step;
        return {tile, number == 0 ? static_cast<unsigned>(at - first_step) : 0,
                left < steps ? static_cast<unsigned>(left) : steps, block_of(first_step),
                block_of(first_step + steps - 1)};
      }
      number -= touched;
    }
    const unsigned tile = shared + b + number * blocks;
    return {tile, 0, tile < tiles ? steps : 0, 0, 0};
  }
};

}  // namespace
}  // namespace crosswarp::gpu
