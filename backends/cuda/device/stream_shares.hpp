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

/// How `tiles` of `steps` steps each are shared out over `blocks`. The first `shared` ones by steps, a block's share
/// behind that of the one before; the others as a whole, block b having every blocks-th from the b-th. In 32 bits, for
/// a division of 64 bits is a call, and behind it the compiler takes what is the same in all lanes for divergent.
struct StreamShares {
  unsigned tiles, steps, blocks, shared;
  unsigned share;   ///< Steps of a block …
  unsigned longer;  ///< … and one more of the first so many.

  /// Of more steps than 32 bits can count none is shared.
  StreamShares(unsigned tiles_, unsigned steps_, unsigned blocks_, unsigned shared_)
      : tiles(tiles_),
        steps(steps_),
        blocks(blocks_),
        shared(std::uint64_t{shared_} * steps_ < 0xffff'ffff ? shared_ : 0),
        share(shared * steps / blocks),
        longer(shared * steps % blocks) {}

  /// Of all steps of shared tiles, the first that is block b's.
  constexpr unsigned first_of(unsigned b) const { return share * b + (b < longer ? b : longer); }
  /// The block that has one of these steps.
  constexpr unsigned block_of(unsigned step) const {
    const unsigned of_longer = longer * (share + 1);
    return step < of_longer ? step / (share + 1) : longer + (step - of_longer) / share;
  }

  /// Of block b, from 0 on. Its shares come first, so that their partials travel while others multiply.
  constexpr StreamTask task(unsigned b, unsigned number) const {
    if (shared > 0) {
      const unsigned at = first_of(b), stop = first_of(b + 1), first = at / steps;
      const unsigned touched = at < stop ? (stop - 1) / steps - first + 1 : 0;
      if (number < touched) {
        const unsigned tile = first + number, first_step = tile * steps, left = stop - first_step;
        return {tile, number == 0 ? at - first_step : 0, left < steps ? left : steps, block_of(first_step),
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
