// Ping-pong GEMM: persistent and warp-specialized as persistent_gemm.hpp, but each of two consumer warpgroups has
// output tiles of its own, and they take turns: one multiplies while the other stores. The matrix units do not wait
// between two tiles, nor for stores that take no longer than the other's multiplications. For files that need "ptx".
// Requires rows of A and B at multiples of 16 bytes. Bound by the matrix units; at large sizes by power, with few
// k-tiles by the stores. The schedule is CUTLASS's of that name.
#pragma once

#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// 128 rows, two instructions for each step along k: with 64, B would be loaded twice as often. Registers hold sums of
/// up to 192 columns.
template <unsigned tile_columns, bool b_transposed>
struct PingPongTile {
  static constexpr Schedule schedule = Schedule::pingpong;
  static constexpr bool swapped = false;
  static constexpr unsigned row_blocks = 2, rows = 64 * row_blocks, columns = tile_columns;
  static constexpr unsigned consumers = 2, threads = (consumers + 1) * warpgroup_size;
  static constexpr unsigned warps = warpgroup_size / warp_size();  ///< Of a consumer.

  static constexpr unsigned staging_bytes = consumers * warps * DeferredEpilogue<true, columns, true>::staging_bytes;
  static constexpr unsigned available_bytes = 226 * 1024;  ///< Of 227 kB; the last one is for the barriers.
  static constexpr unsigned ring_columns = b_transposed ? columns : in_whole_panels(columns);
  static constexpr unsigned stages =
      std::min(8u, (available_bytes - staging_bytes) / OperandRing<rows, ring_columns, 1>::stage_bytes);
  using Ring = OperandRing<rows, ring_columns, stages>;
  static constexpr unsigned shared_bytes = Ring::bytes + staging_bytes;

  static constexpr int producer_registers = 24, consumer_registers = 240;
};

#if CROSSWARP_TARGET_HAS_WGMMA
/// The two consumers' turns to multiply, in shared memory. A stage's barrier tells its round from the one before alone:
/// a warpgroup must not wait for its first k-tile until the other has seen its own last one full.
struct Turns {
  Mbarrier of[2];

  /// By one thread, before Pipeline::init(), whose fence covers these barriers, too. `warps`: of a consumer.
  __device__ void init(unsigned warps) {
    of[0].init(warps);
    of[1].init(warps);
  }
  /// Waits for consumer `group`'s turn at its tile `count`, from 0 on. The first one of consumer 0 comes at once.
  __device__ void wait(unsigned group, unsigned count) { of[group].wait((count + group + 1) % 2); }
  /// By all warps of consumer `group`, which lets the other begin.
  __device__ void pass_on(unsigned group) {
    if (threadIdx.x % warp_size() == 0) of[group ^ 1].arrive();
  }
};

/// Sums of a warpgroup's tile over k-tiles, while one k-tile's instructions are in flight.
template <class Product, class Tile>
struct PingPongSums {
  float accumulators[Tile::row_blocks][Tile::columns / 2];

  /// Sums the `k_tiles` from `state` on, one or more, and moves `state` behind them. `release(stage)` is called for a
  /// stage that has been read, `seen()` once the last one is full.
  template <class Release, class Seen>
  __device__ void add(unsigned k_tiles, Pipeline<Tile::stages>& pipeline, const typename Tile::Ring& ring,
                      PipelineState& state, const Release& release, const Seen& seen) {
    unsigned previous = 0;
    for (unsigned step = 0; step < k_tiles; ++step) {
      pipeline.consumer_wait(state);
      if (step + 1 == k_tiles) seen();
#pragma unroll
      for (unsigned block = 0; block < Tile::row_blocks; ++block)
        Product::multiply(accumulators[block], ring.a(state.index) + block * 64 * row_bytes, ring.b(state.index),
                          step > 0);
      wgmma_wait_group<Tile::row_blocks>();  // the previous k-tile's instructions have read their stage
      if (step > 0) release(previous);
      previous = state.index;
      state.advance(Tile::stages);
    }
    wgmma_wait_group<0>();
#pragma unroll
    for (auto& sums : accumulators) wgmma_fence_operands(sums);
    release(previous);
  }
};

/// By all threads of a block of Tile::threads, with Tile::shared_bytes of dynamic shared memory; launched by
/// launch_persistent(). `Product`: WgmmaF16, WgmmaKMajor. `scale`: Unscaled, or what split-K's sums lack.
template <class Product, class Tile, class Scale>
__device__ void pingpong_gemm(const CUtensorMap& a, const CUtensorMap& b, const CUtensorMap& c,
                              const PersistentPlan& plan, const Output& out, const Scale& scale) {
  constexpr unsigned columns = Tile::columns, stages = Tile::stages;
  __shared__ Pipeline<stages> pipeline;
  __shared__ Turns turns;
  const PersistentBlock<Product, Tile> block(a, b, plan);
  static_assert(PersistentBlock<Product, Tile>::Loader::bytes == Tile::Ring::stage_bytes);
  const TileScheduler& scheduler = block.scheduler();
  const unsigned group = block.group, warp = block.warp;
  block.begin(c, [&] {
    turns.init(Tile::warps);
    pipeline.init(block.position.peers() * Tile::warps);
  });

  if (block.is_producer_group()) {
    setmaxnreg_dec<Tile::producer_registers>();
    block.load_work(pipeline);
  } else {
    setmaxnreg_inc<Tile::consumer_registers>();
    const typename Tile::Ring& ring = block.ring;
    const MulticastRelease release(pipeline, block.position);
    using Epilogue = DeferredEpilogue<Product::is_bf16, columns, true>;  // used at once, not deferred
    Epilogue epilogue(c, out, plan.tma_store, ring.first_a + Tile::Ring::bytes + warp * Epilogue::staging_bytes);
    PingPongSums<Product, Tile> sums;
    [[maybe_unused]] float factor = 1;
    if constexpr (!std::is_same_v<Scale, Unscaled>) factor = scale.value();
    PipelineState state;
    unsigned count = 0;  // the cluster's tiles so far
    for (unsigned i = block.first_work; i < scheduler.count(); i += block.clusters, ++count) {
      const WorkTile work = scheduler.work_tile(i);
      if (count % Tile::consumers != group) {  // the other's tile
        const unsigned behind = state.index + work.k_tiles;
        state.phase ^= behind / stages % 2;
        state.index = behind % stages;
        continue;
      }
      turns.wait(group, count / Tile::consumers);
      sums.add(work.k_tiles, pipeline, ring, state, release, [&] { turns.pass_on(group); });
      const TileCoord tile = block.position.tile(work.tile);
#pragma unroll
      for (unsigned row_block = 0; row_block < Tile::row_blocks; ++row_block) {
        const unsigned in_tile = 64 * row_block + 16 * (warp % Tile::warps);  // the warp's rows
        const unsigned row = tile.row * Tile::rows + in_tile, column = tile.column * columns;
        auto& own = sums.accumulators[row_block];
        if (!scheduler.is_split(i)) {
          const auto sum = [&own](unsigned j) { return own[j]; };
          if constexpr (!std::is_same_v<Scale, Unscaled>)
#pragma unroll
            for (float& element : own) element *= factor;
          epilogue.take(row, column, sum);
          epilogue.store_rest(0, sum);
        } else if (row < out.rows && column < out.columns) {
          const Output floats = block.partial_sums(out, i);
          floats.template store_fragment<Product::is_bf16>(in_tile, 0, own);
        }
      }
    }
    epilogue.finish();
  }
}
#endif

/// Calls `use` for the configuration's tile: `[&]<class Tile>()`.
template <bool b_transposed, class Use>
void with_pingpong_tile(const PersistentConfig& config, Use&& use) {
  if (config.rows != 128) throw Error("no kernel was compiled for this tile");
  with_constant<128, 192>(
      config.columns, [&]<unsigned columns>() { use.template operator()<PingPongTile<columns, b_transposed>>(); });
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
