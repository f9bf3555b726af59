// One warp only copies, by descriptions of whole boxes (TMA), into a ring that tells by barriers what is full and what
// is free; two warpgroups only multiply. No barrier of the block in the loop. Bound by the matrix units while a tile is
// multiplied; between tiles they idle, for loads to begin and for sums to be written.
#include "backends/cuda/matmul_f16/tensor_map.hpp"
#include "backends/cuda/matmul_f16/wgmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned consumers = 2, threads = (1 + consumers) * warpgroup_size;
constexpr unsigned rows = consumers * 64, columns = 256;
constexpr unsigned stages = 4;
constexpr unsigned a_bytes = rows * row_bytes, b_bytes = columns * row_bytes;
constexpr unsigned shared_bytes = stages * (a_bytes + b_bytes);

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(threads, 1)
    multiply_copied([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                    [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] unsigned blocks,
                    [[maybe_unused]] TileOrder order, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  __shared__ Mbarrier full[stages], empty[stages];
  const unsigned ring_a = uniform(shared_address(aligned_dynamic_shared())), ring_b = ring_a + stages * a_bytes;
  const auto [tile_row, tile_column] = order.place(blockIdx.x);
  const unsigned row = tile_row * rows, column = tile_column * columns;
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < stages; ++s) {
      full[s].init(1);
      empty[s].init(consumers * warpgroup_size / warp_size());
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  const unsigned group = uniform(threadIdx.x / warpgroup_size), warp = uniform(threadIdx.x / warp_size());
  unsigned stage = 0, parity = 0;
  const auto advance = [&] {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  };
  if (group == consumers) {
    setmaxnreg_dec<40>();
    if (threadIdx.x % warpgroup_size != 0) return;
    for (unsigned block = 0; block < blocks; ++block, advance()) {
      empty[stage].wait(parity ^ 1);  // at once in the first round
      full[stage].arrive_expect_tx(a_bytes + b_bytes);
      load_box(ring_a + stage * a_bytes, a, row, block * row_elements, &full[stage]);
      if constexpr (b_transposed)
        load_box(ring_b + stage * b_bytes, b, column, block * row_elements, &full[stage]);
      else
        for (unsigned panel = 0; panel < columns; panel += row_elements)
          load_box(ring_b + stage * b_bytes + panel * row_bytes, b, block * row_elements, column + panel, &full[stage]);
    }
    return;
  }

  setmaxnreg_inc<232>();
  const auto release = [&](unsigned s) {
    if (threadIdx.x % warp_size() == 0) empty[s].arrive();
  };
  float sums[columns / 2];
  unsigned last_stage = 0;
  for (unsigned block = 0; block < blocks; ++block, advance()) {
    full[stage].wait(parity);
    start_stage<bf16, b_transposed>(sums, ring_a + stage * a_bytes + group * 64 * row_bytes, ring_b + stage * b_bytes,
                                    block > 0);
    wait_for_wgmma<1>();
    if (block > 0) release(last_stage);
    last_stage = stage;
  }
  wait_for_wgmma<0>();
  fence_operands(sums);
  c.store_fragment<bf16>(row + 16 * warp, column, sums);
#endif
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (is_done_without_factors(queue, args)) return;
  const TileOrder order{blocks_for(args.m, rows), blocks_for(args.n, columns),
                        static_cast<unsigned>(queue.tuning["raster"])};
  const CUtensorMap a = tensor_map(factor_a(args), rows);
  const CUtensorMap b = tensor_map(factor_b(args), args.b_transposed ? columns : row_elements);
  with_factors(args, [&]<bool bf16, bool b_transposed>() {
    const auto kernel = multiply_copied<bf16, b_transposed>;
    launch(kernel, order.count(), threads, shared_bytes, queue, a, b, blocks_for(args.k, row_elements), order,
           Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "a warp copies whole boxes (TMA) into a ring, two warpgroups multiply: bound by the matrix units in a tile",
    .improves = "wgmma",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 16}}}, {{{"raster", 8}}}, {{{"raster", 1}}}},
    .applies = has_aligned_factors,
    .launch = multiply,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
