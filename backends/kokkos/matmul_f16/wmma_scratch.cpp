// Escape hatch: CUDA's WMMA in the body of a TeamPolicy. Tiles of A and B in two stages of padded scratch memory, the
// next k-tile passing through registers; each of 8 warps has 64 × 32 elements of C. Bound by the copies through
// registers and scratch, and by the barrier of each k-tile. Everything but the fragments is Kokkos; the file is CUDA's
// alone all the same, and does not count as portable.
//
// KOKKOS_IF_ON_DEVICE is there since Kokkos 3.6.
#include "backends/kokkos/matmul_f16/half_element.hpp"
#include "backends/kokkos/team_tiles.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && KOKKOS_VERSION >= 30600
#define CROSSWARP_KOKKOS_WMMA
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#endif

namespace crosswarp::kokkos {
namespace {

#ifdef CROSSWARP_KOKKOS_WMMA
constexpr int tile = 128, tile_k = 32, threads = 256, side = 16;
constexpr int warp_rows = 64, warp_columns = 32;  // two by four warps
constexpr int padding = 8;                        // elements: eight rows of 16 bytes are in different banks
constexpr int row_tiles = warp_rows / side, column_tiles = warp_columns / side;

/// Eight elements, a 16-byte load.
struct alignas(16) Eight {
  std::uint16_t at[8];
};

/// A tile of an operand: `rows` × `columns`, as it is stored in memory.
template <int rows, int columns, bool aligned>
struct OperandTile {
  static constexpr int pitch = columns + padding, elements = rows * pitch;
  static constexpr int per_row = columns / 8, count = rows * per_row / threads;

  Eight next[count];

  /// Elements outside the matrix, `height` × `width`, are zeros.
  KOKKOS_INLINE_FUNCTION void load(const std::uint16_t* from, std::size_t height, std::size_t width,
                                   std::size_t first_row, std::size_t first_column, int thread) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int v = 0; v < count; ++v) {
      const int i = thread + v * threads;
      const std::size_t row = first_row + static_cast<std::size_t>(i / per_row);
      const std::size_t column = first_column + static_cast<std::size_t>(i % per_row * 8);
      if (aligned) {
        next[v] =
            row < height && column < width ? *reinterpret_cast<const Eight*>(from + row * width + column) : Eight{};
      } else {
        for (int j = 0; j < 8; ++j)
          next[v].at[j] = row < height && column + j < width ? from[row * width + column + j] : std::uint16_t{0};
      }
    }
  }

  KOKKOS_INLINE_FUNCTION void store(std::uint16_t* to, int thread) const {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int v = 0; v < count; ++v) {
      const int i = thread + v * threads;
      *reinterpret_cast<Eight*>(to + i / per_row * pitch + i % per_row * 8) = next[v];
    }
  }
};

template <class T, class To, bool b_transposed, bool aligned>
struct GemmTile {
  using Element = std::conditional_t<std::is_same_v<T, Brain16>, __nv_bfloat16, __half>;
  using TileA = OperandTile<tile, tile_k, aligned>;
  using TileB = OperandTile<b_transposed ? tile : tile_k, b_transposed ? tile_k : tile, aligned>;
  static constexpr int stage_elements = TileA::elements + TileB::elements;
  static constexpr int bytes = 2 * stage_elements * static_cast<int>(sizeof(std::uint16_t)), alignment = 32;  // WMMA's
  static constexpr std::size_t scratch_bytes = bytes + alignment;
  static_assert(scratch_bytes <= 48 << 10);

  const std::uint16_t *a, *b;
  To* c;
  std::size_t m, n, k, tiles_m;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    KOKKOS_IF_ON_DEVICE((multiply(team);))
    KOKKOS_IF_ON_HOST(((void)team;))
  }

  template <class Team>
  __device__ void multiply([[maybe_unused]] const Team& team) const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // else there are no fragments of bfloat16; `needs` says so, too
    namespace wmma = nvcuda::wmma;
    using FragmentA = wmma::fragment<wmma::matrix_a, side, side, side, Element, wmma::row_major>;
    using FragmentB = wmma::fragment<wmma::matrix_b, side, side, side, Element,
                                     std::conditional_t<b_transposed, wmma::col_major, wmma::row_major>>;
    using Accumulator = wmma::fragment<wmma::accumulator, side, side, side, float>;
    auto* const shared = static_cast<std::uint16_t*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), alignment));
    const auto rank = static_cast<std::size_t>(team.league_rank());
    const std::size_t first_row = rank % tiles_m * tile, first_column = rank / tiles_m * tile;
    const int thread = team.team_rank(), warp = thread / 32;
    const int warp_row = warp / 4 * warp_rows, warp_column = warp % 4 * warp_columns;

    TileA tile_a;
    TileB tile_b;
    const auto load = [&](std::size_t k0) {
      tile_a.load(a, m, k, first_row, k0, thread);
      b_transposed ? tile_b.load(b, n, k, first_column, k0, thread) : tile_b.load(b, k, n, k0, first_column, thread);
    };
    const auto store = [&](int stage) {
      tile_a.store(shared + stage * stage_elements, thread);
      tile_b.store(shared + stage * stage_elements + TileA::elements, thread);
    };
    Accumulator acc[row_tiles][column_tiles];
#pragma unroll
    for (auto& row : acc)
#pragma unroll
      for (Accumulator& each : row) wmma::fill_fragment(each, 0.0f);
    load(0);
    store(0);
    team.team_barrier();
    int stage = 0;
    for (std::size_t k0 = 0; k0 < k; k0 += tile_k) {
      const bool has_next = k0 + tile_k < k;
      if (has_next) load(k0 + tile_k);
      const auto* const a_tile = reinterpret_cast<const Element*>(shared + stage * stage_elements);
      const Element* const b_tile = a_tile + TileA::elements;
#pragma unroll
      for (int step = 0; step < tile_k; step += side) {
        FragmentA a_fragment[row_tiles];
#pragma unroll
        for (int r = 0; r < row_tiles; ++r)
          wmma::load_matrix_sync(a_fragment[r], a_tile + (warp_row + r * side) * TileA::pitch + step, TileA::pitch);
#pragma unroll
        for (int s = 0; s < column_tiles; ++s) {
          const int at = warp_column + s * side;
          FragmentB b_fragment;
          wmma::load_matrix_sync(
              b_fragment, b_tile + (b_transposed ? at * TileB::pitch + step : step * TileB::pitch + at), TileB::pitch);
#pragma unroll
          for (int r = 0; r < row_tiles; ++r) wmma::mma_sync(acc[r][s], a_fragment[r], b_fragment, acc[r][s]);
        }
      }
      stage ^= 1;
      if (has_next) store(stage);
      team.team_barrier();
    }
    // The layout of accumulators is unspecified: each warp stages one after the other in scratch, 1 KiB.
    float* const staging = reinterpret_cast<float*>(shared) + warp * side * side;
#pragma unroll
    for (int r = 0; r < row_tiles; ++r)
#pragma unroll
      for (int s = 0; s < column_tiles; ++s) {
        wmma::store_matrix_sync(staging, acc[r][s], side, wmma::mem_row_major);
        __syncwarp();
        for (int i = thread % 32; i < side * side; i += 32) {
          const std::size_t row = first_row + static_cast<std::size_t>(warp_row + r * side + i / side);
          const std::size_t column = first_column + static_cast<std::size_t>(warp_column + s * side + i % side);
          if (row < m && column < n) c[row * n + column] = narrowed<To>(staging[i]);
        }
        __syncwarp();
      }
#endif
  }
};

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (args.m == 0 || args.n == 0) return;
  const std::size_t tiles_m = pieces_of(args.m, tile), tiles = tiles_m * pieces_of(args.n, tile);
  const bool is_aligned = args.k % 8 == 0 && (args.b_transposed || args.n % 8 == 0);
  with_types(args, [&]<class T, class To>() {
    const auto launch = [&]<bool b_transposed, bool aligned>() {
      using Body = GemmTile<T, To, b_transposed, aligned>;
      Kokkos::parallel_for(teams_of_tiles<threads, 2>(queue, tiles, Body::scratch_bytes),
                           Body{args.a.data(), args.b.data(), args.c_as<To>(), args.m, args.n, args.k, tiles_m});
    };
    if (args.b_transposed)
      is_aligned ? launch.template operator()<true, true>() : launch.template operator()<true, false>();
    else
      is_aligned ? launch.template operator()<false, true>() : launch.template operator()<false, false>();
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "escape hatch: WMMA in the body of a TeamPolicy, tiles in two stages of scratch memory",
    .bound_by = "the copies through registers, and each k-tile's barrier",
    .improves = "register_tile",
    .counterparts = {"wmma_shared"},
#ifdef CROSSWARP_KOKKOS_WMMA
    .needs = {"mma_sync"},
    .escape_hatch = "wmma",
    .launch = gemm,
#else
    .not_expressible = "WMMA is CUDA's: this Kokkos has no CUDA, or no KOKKOS_IF_ON_DEVICE (3.6)",
    .escape_hatch = "wmma",
#endif
}};

}  // namespace
}  // namespace crosswarp::kokkos
