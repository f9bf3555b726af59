// Tiles of C shared out evenly over a grid that is there at once: what is left over beyond whole rounds of tiles is cut
// into equal shares of steps, wherever tiles begin and end, so that no multiprocessor waits for a last round. Bound by
// the issue of multiply-adds; where a tile is shared, by its partials' way to L2 and back.
//
// Stream-K is due to Osama, Merrill, Cecka, Garland and Owens, 2023; that the last block to arrive adds the partials,
// so that no block waits for another, is not theirs.
#pragma once

#include "backends/cuda/matmul_f32/ahead_tiles.hpp"
#include "backends/cuda/device/last_block.hpp"

namespace crosswarp::gpu {
namespace {

/// How `tiles` of `steps` steps each are shared out over `blocks`. The first `shared` ones by steps, block b having
/// those from first_of(b) to first_of(b + 1) of all; the others as a whole, block b having every blocks-th from the
/// b-th.
struct StreamShares {
  unsigned tiles, steps, blocks;
  unsigned shared;  ///< Of tiles: none, or such that a share is of one to two tiles, as far as there are as many.

  StreamShares(unsigned tiles_, unsigned steps_, unsigned most_blocks)
      : tiles(tiles_), steps(steps_), blocks(std::min<std::uint64_t>(most_blocks, std::uint64_t{tiles_} * steps_)) {
    shared = tiles % blocks == 0 ? 0 : std::min(tiles, tiles % blocks + blocks);
  }

  /// Of all steps of shared tiles, the first that is block b's.
  constexpr std::uint64_t first_of(unsigned b) const { return std::uint64_t{shared} * steps * b / blocks; }
  /// The block that has one of these steps.
  constexpr unsigned block_of(std::uint64_t step) const {
    return static_cast<unsigned>(((step + 1) * blocks - 1) / (std::uint64_t{shared} * steps));
  }
};

/// What blocks that share a tile leave for the last of them. A block begins at most one such tile, and goes on with at
/// most one that others have begun: so there are two places for each.
template <class Tile>
struct StreamPartials {
  static constexpr unsigned vectors = Tile::thread_rows * Tile::thread_columns / 4;  // of a thread

  unsigned* tickets;  ///< Of each shared tile, 0 before and after every launch.
  float4* partials;

  static constexpr std::size_t bytes_of_tickets(const StreamShares& shares) {
    return (shares.shared * sizeof(unsigned) + 127) / 128 * 128;
  }
  static constexpr std::size_t bytes(const StreamShares& shares) {
    const std::size_t partials = shares.shared > 0 ? 2 * shares.blocks : 0;
    return bytes_of_tickets(shares) + partials * vectors * Tile::threads * sizeof(float4);
  }
  /// `memory` is aligned to 128 bytes, and was zeroed once.
  StreamPartials(std::span<std::byte> memory, const StreamShares& shares)
      : tickets(reinterpret_cast<unsigned*>(memory.data())),
        partials(reinterpret_cast<float4*>(memory.data() + bytes_of_tickets(shares))) {}

  /// The place of the block's share in a tile: one that it begins, or one that it goes on with.
  __device__ float4* place(unsigned block, bool begins) const {
    return partials + std::size_t{2 * block + begins} * (vectors * Tile::threads) + threadIdx.x;
  }
};

/// Brings together what blocks first … last have of a shared tile. To be called by each with what it has in `sums`;
/// true for the last one to call, whose `sums` are then the tile's, added up in the order of blocks.
template <class Tile>
__device__ bool combine_shares(const StreamPartials<Tile>& partials, unsigned tile, unsigned first, unsigned last,
                               float (&sums)[Tile::thread_rows][Tile::thread_columns]) {
  constexpr unsigned fours = Tile::thread_columns / 4;
  float4* const mine = partials.place(blockIdx.x, blockIdx.x == first);
#pragma unroll
  for (unsigned v = 0; v < StreamPartials<Tile>::vectors; ++v)
    mine[v * Tile::threads] = of_other_registers(&sums[v / fours][v % fours * 4]);
  if (!is_last_block<true>(partials.tickets + tile, last - first + 1)) return false;
#pragma unroll
  for (unsigned i = 0; i < Tile::thread_rows * Tile::thread_columns; ++i)
    sums[i / Tile::thread_columns][i % Tile::thread_columns] = 0;
#pragma unroll 1
  for (unsigned block = first; block <= last; ++block) {
    const float4* const theirs = partials.place(block, block == first);
#pragma unroll
    for (unsigned v = 0; v < StreamPartials<Tile>::vectors; ++v) {
      const float4 four = load_coherent(theirs + v * Tile::threads);
      float* const sum = &sums[v / fours][v % fours * 4];
      sum[0] += four.x, sum[1] += four.y, sum[2] += four.z, sum[3] += four.w;
    }
  }
  return true;
}

/// What a block does next: steps begin … end of a tile, which blocks first … last share. No steps where it has done
/// all.
struct StreamTask {
  unsigned tile, begin, end, first, last;
};

/// A block's tasks: its shares come first, so that their partials travel while others multiply.
struct StreamTasks {
  std::uint64_t at, stop;
  unsigned whole;

  static constexpr StreamTasks of(const StreamShares& shares, unsigned block) {
    return {shares.first_of(block), shares.first_of(block + 1), shares.shared + block};
  }

  constexpr StreamTask next(const StreamShares& shares) {
    if (at == stop) {
      const StreamTask task{whole, 0, whole < shares.tiles ? shares.steps : 0, 0, 0};
      whole += shares.blocks;
      return task;
    }
    const auto tile = static_cast<unsigned>(at / shares.steps), begin = static_cast<unsigned>(at % shares.steps);
    const std::uint64_t left = stop - at, first_step = at - begin;
    const unsigned end = left < shares.steps - begin ? begin + static_cast<unsigned>(left) : shares.steps;
    const StreamTask task{tile, begin, end, shares.block_of(first_step),
                          shares.block_of(first_step + shares.steps - 1)};
    at += end - begin;
    return task;
  }
};

template <class Tile, bool vectors>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    multiply_stream(TiledProduct product, StreamShares shares, StreamPartials<Tile> partials) {
  // In shared memory, for all registers are wanted by the products.
  __shared__ StreamTasks tasks;
  __shared__ StreamTask task;
  if (threadIdx.x == 0) tasks = StreamTasks::of(shares, blockIdx.x);
  grid_dependency_sync();
  for (;;) {
    __syncthreads();  // nobody asks for the task before any more, nor reads its stages
    if (threadIdx.x == 0) task = tasks.next(shares);
    __syncthreads();
    if (task.begin == task.end) return;
    const std::size_t last = std::size_t{task.end} * Tile::depth;
    float sums[Tile::thread_rows][Tile::thread_columns] = {};
    // Blocks are at different steps of their tiles: what one has read is no longer in L2 when others want it.
    multiply_part<Tile, vectors, true>(product, TilePlace(product, task.tile), std::size_t{task.begin} * Tile::depth,
                                       last < product.k ? last : product.k, sums);
    const bool is_whole =
        task.first == task.last || combine_shares<Tile>(partials, task.tile, task.first, task.last, sums);
    if (!is_whole) continue;
    store_tile<Tile, vectors>(product, TilePlace(product, task.tile), sums);
  }
}

template <class Tile>
StreamShares stream_shares(const Queue& queue, const MatmulF32::Args& args) {
  const unsigned tiles = blocks_for(args.n, Tile::columns) * blocks_for(args.m, Tile::rows);
  return {tiles, blocks_for(args.k, Tile::depth), Tile::blocks * static_cast<unsigned>(queue.device.compute_units)};
}

template <class Tile>
std::size_t stream_workspace(const Queue& queue, const MatmulF32::Args& args) {
  return StreamPartials<Tile>::bytes(stream_shares<Tile>(queue, args));
}

/// Enqueues the product of all elements. Empty matrices are nobody's.
template <class Tile, bool vectors>
void launch_stream(const Queue& queue, const MatmulF32::Args& args) {
  const StreamShares shares = stream_shares<Tile>(queue, args);
  launch(multiply_stream<Tile, vectors>, shares.blocks, Tile::threads, Tile::shared_bytes, queue,
         tiled_product<Tile>(args, args.c.data()), shares, StreamPartials<Tile>(queue.workspace, shares));
}

}  // namespace
}  // namespace crosswarp::gpu
