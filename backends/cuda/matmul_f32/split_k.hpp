// Split-K: several blocks per tile of C, each with a range of k; a second pass adds their partial sums.
#pragma once

#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/matmul_f32/register_prefetch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_split_k {

/// The kernel of split_k.cu, for every PrefetchTile. One split is an ordinary gemm. Requires m, n > 0 and a workspace
/// of split_k_workspace() bytes.
template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args, std::size_t splits);

}  // namespace matmul_f32_split_k
}  // namespace CROSSWARP_PLATFORM
namespace {

/// C as the output of add_partials(), whose partial sums have rows of `pitch` floats.
struct ReducedC {
  float* c;
  std::size_t n, pitch;

  __device__ void store_at(std::size_t i, float sum) const {
    if (n == pitch) {
      c[i] = sum;
    } else if (const std::size_t column = i % pitch; column < n) {
      c[i / pitch * n + column] = sum;
    }
  }
};

/// Rows of partial sums are whole vectors.
inline std::size_t partials_pitch(const MatmulF32::Args& args) { return (args.n + 3) / 4 * 4; }

inline std::size_t split_k_workspace(const MatmulF32::Args& args, std::size_t splits) {
  return splits > 1 ? splits * args.m * partials_pitch(args) * sizeof(float) : 0;
}

/// Launches `kernel` on a grid of tiles × splits, then the pass that adds the partial sums. Requires m, n > 0.
template <class Tile>
void launch_splits(void (*kernel)(GemmProblem), const Queue& queue, const MatmulF32::Args& args, std::size_t splits) {
  const std::size_t k_tiles = (args.k + Tile::k - 1) / Tile::k;
  GemmProblem gemm = gemm_problem<Tile>(args);
  gemm.k_per_split = std::max<std::size_t>((k_tiles + splits - 1) / splits, 1) * Tile::k;
  if (splits > 1) gemm.c = reinterpret_cast<float*>(queue.workspace.data()), gemm.c_pitch = partials_pitch(args);
  launch(kernel, dim3(gemm.tiles_n * gemm.tiles_m, static_cast<unsigned>(splits)), Tile::threads, Tile::shared_bytes,
         queue, gemm);
  if (splits > 1)
    launch_add_partials(queue, args.m * gemm.c_pitch, static_cast<unsigned>(splits), args.m * gemm.c_pitch,
                        ReducedC{args.c.data(), args.n, gemm.c_pitch});
}

}  // namespace
}  // namespace crosswarp::gpu
