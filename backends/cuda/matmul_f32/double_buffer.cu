// Multistage pipeline: cp.async copies the next k-tiles to shared memory, through no register, while the threads
// multiply the current one. Bound by instruction issue: 19 of 20 instructions are multiply-adds.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f32/gemm_tile.hpp"

namespace crosswarp::gpu {
namespace {

struct Tile {
  static constexpr unsigned m = 128, n = 128, k = 16, threads = 256;
  static constexpr unsigned warp_m = 64, warp_n = 32;  // 8 × 4 threads of 8 × 8 elements
  /// cp.async cannot transpose: A stays row-major, and a 16-byte load brings four steps of k. With a pitch of 20 floats
  /// the loads of eight neighbouring rows go to different banks.
  static constexpr unsigned a_pitch = k + 4;
  static constexpr unsigned a_floats = m * a_pitch, stage_floats = a_floats + k * n;
};

template <unsigned stages, bool aligned>
__global__ void __launch_bounds__(Tile::threads, 2) gemm_double_buffer(GemmProblem gemm) {
  float* const ring = dynamic_shared<float>();  // `stages` stages, each a k-tile of A and one of B
  const TileCoord tile = rasterize(gemm, blockIdx.x);
  const std::size_t first_row = std::size_t{tile.row} * Tile::m, first_column = std::size_t{tile.column} * Tile::n;
  const float* const a = gemm.a + first_row * gemm.k;
  const float* const b = gemm.b + first_column;

  const auto valid_rows = static_cast<unsigned>(gemm.m - first_row < Tile::m ? gemm.m - first_row : Tile::m);
  const auto valid_columns = static_cast<unsigned>(gemm.n - first_column < Tile::n ? gemm.n - first_column : Tile::n);
  const auto fetch = [&](std::size_t k0, unsigned stage) {
    constexpr unsigned width = aligned ? 4 : 1;
    float* const to = ring + stage * Tile::stage_floats;
    if (k0 < gemm.k) {
      const unsigned valid_k = static_cast<unsigned>(gemm.k - k0 < Tile::k ? gemm.k - k0 : Tile::k);
      copy_tile_async<Tile::m, Tile::k, Tile::a_pitch, Tile::threads, width>(to, a + k0, gemm.k, valid_rows, valid_k);
      copy_tile_async<Tile::k, Tile::n, Tile::n, Tile::threads, width>(to + Tile::a_floats, b + k0 * gemm.n, gemm.n,
                                                                       valid_k, valid_columns);
    }
    cp_async_commit_group();  // possibly an empty group, which keeps the count of groups
  };

  // The thread's 8 × 8 elements of C: rows 8 apart, groups of four columns 16 apart.
  const unsigned warp = threadIdx.x / 32;
  const unsigned row = warp / (Tile::n / Tile::warp_n) * Tile::warp_m + lane_row();
  const unsigned column = warp % (Tile::n / Tile::warp_n) * Tile::warp_n + lane_column() * 4;
  float acc[8][8] = {};

#pragma unroll
  for (unsigned stage = 0; stage + 1 < stages; ++stage) fetch(stage * Tile::k, stage);
  unsigned stage = 0;
  for (std::size_t k0 = 0; k0 < gemm.k; k0 += Tile::k) {
    cp_async_wait_group<stages - 2>();
    __syncthreads();  // this stage has landed for all threads; none reads the previous one, which the next copies fill
    fetch(k0 + (stages - 1) * Tile::k, stage == 0 ? stages - 1 : stage - 1);
    const float* const a_tile = ring + stage * Tile::stage_floats + row * Tile::a_pitch;
    const float* const b_tile = ring + stage * Tile::stage_floats + Tile::a_floats + column;
#pragma unroll
    for (unsigned l = 0; l < Tile::k; l += 4) {
      float a_fragment[8][4];  // four steps of k
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) load_vector(a_fragment[i], a_tile + 8 * i * Tile::a_pitch + l);
#pragma unroll
      for (unsigned step = 0; step < 4; ++step) {
        float b_fragment[8];
#pragma unroll
        for (unsigned j = 0; j < 8; j += 4) load_vector(b_fragment + j, b_tile + (l + step) * Tile::n + 4 * j);
#pragma unroll
        for (unsigned i = 0; i < 8; ++i)
#pragma unroll
          for (unsigned j = 0; j < 8; ++j) acc[i][j] += a_fragment[i][step] * b_fragment[j];
      }
    }
    stage = stage + 1 == stages ? 0 : stage + 1;
  }
  store_accumulators<aligned>(gemm, acc, first_column + column, gemm.n,
                              [&](unsigned i) { return first_row + row + 8 * i; });
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const GemmProblem problem = gemm_problem<Tile>(args);
  with_constant<2, 3>(queue.tuning["stages"], [&]<unsigned stages>() {
    dispatch_alignment(args, [&]<bool aligned>() {
      launch(gemm_double_buffer<stages, aligned>, problem.tiles_m * problem.tiles_n, Tile::threads,
             stages * Tile::stage_floats * sizeof(float), queue, problem);
    });
  });
}

const Register<MatmulF32> variant{{
    .idea = "cp.async copies the next k-tiles while the current one is multiplied",
    .bound_by = "issue of multiply-adds",
    .improves = "warp_tile",
    .tunings = {{{{"stages", 3}}}, {{{"stages", 2}}}},
    .launch = gemm,
#if CROSSWARP_HAS_PTX
    .instructions = {{"FFMA", 1024}, {"LDGSTS", 4}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
