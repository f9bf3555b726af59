// Register-tiled GEMM of a team: a tile of C per team, A and B in two stages of scratch memory as float, A transposed,
// thread_m × thread_n accumulators per thread in registers; in small tiles several slices of the threads share the
// steps of k. Fragments of the next step of k are loaded during this one, k-tiles pass from memory to scratch through
// registers. Bound by the issue of multiply-adds.
//
// Two stages stay below 48 KiB: Kokkos 3 and 4 give level-0 scratch no more with CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/kokkos/team_tiles.hpp"

// GPU compilers unroll the loops over k-tiles and registers; on hosts they stay loops.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define CROSSWARP_UNROLL _Pragma("unroll")
#else
#define CROSSWARP_UNROLL
#endif

namespace crosswarp::kokkos {

/// A team computes m × n elements of C in k-tiles of depth k. `resident`: teams that a multiprocessor should hold.
/// `slices` of its threads (a power of two) each have accumulators for the whole tile and a share of the steps of each
/// k-tile; their sum comes at the end. That brings enough threads to tiles too small for them.
template <int m_, int n_, int k_, int thread_m_, int thread_n_, int resident_, int slices_ = 1>
struct RegisterTile {
  static constexpr int m = m_, n = n_, k = k_, thread_m = thread_m_, thread_n = thread_n_, resident = resident_;
  static constexpr int slices = slices_;
  /// 32 threads, 8 down by 4 across, have squares of 4 × 4 elements. One square of all of them is contiguous in C.
  static constexpr int warp_m = 8 * thread_m, warp_n = 4 * thread_n, warps_n = n / warp_n;
  static constexpr int slice_threads = 32 * (m / warp_m) * warps_n, threads = slice_threads * slices;
  static constexpr int steps = k / slices;  ///< Of each k-tile, for a thread.
  static constexpr int each =
      threads / team_threads<threads>;  ///< Threads of the tile that one of the team stands for.
  static_assert(m % warp_m == 0 && n % warp_n == 0 && thread_m % 4 == 0 && thread_n % 4 == 0);
  static_assert(k % slices == 0 && steps % 2 == 0 && (slices & (slices - 1)) == 0);
  static_assert(k % 4 == 0 && m * k % (4 * threads) == 0 && n * k % (4 * threads) == 0);
};

/// Four elements, loaded and stored as one access.
template <class T>
struct alignas(4 * sizeof(T)) Quad {
  T at[4];
};

/// Elements of A, B and C as they are stored, and as float. Those of a float GEMM:
struct FloatElements {
  using In = float;
  using Out = float;
  KOKKOS_INLINE_FUNCTION static float widen(float element) { return element; }
  KOKKOS_INLINE_FUNCTION static float narrow(float value) { return value; }
};

/// Operands of C = A·B, row-major. B may be stored n × k. With split-K, C is an m × n matrix for each split.
template <class Elements>
struct GemmProblem {
  const typename Elements::In *a, *b;
  typename Elements::Out* c;
  std::size_t m, n, k;
  std::size_t k_per_split;  ///< A multiple of the k-tile; not less than k without split-K.

  template <class Tile>
  KOKKOS_INLINE_FUNCTION std::size_t tiles() const {
    return (m + Tile::m - 1) / Tile::m * ((n + Tile::n - 1) / Tile::n);
  }
};

/// The part of a k-tile of an operand that one thread copies: `count` vectors of four elements. `contiguous`: its rows
/// run along k (A, and B if it is transposed); they are transposed in scratch. `extent`: rows or columns of the tile.
template <class Tile, class Elements, int extent, bool contiguous, bool aligned>
class TileCopy {
 public:
  using In = typename Elements::In;
  static constexpr int count = extent * Tile::k / 4 / Tile::threads;
  static constexpr int pitch = extent + (contiguous ? 4 : 0);  ///< Spreads the transposed stores over the banks.
  static constexpr int floats = Tile::k * pitch;

  /// `first`: of the tile, of `size` rows or columns; `k`: length of the other dimension. Rows and columns outside the
  /// matrix repeat the last one, whose results are dropped.
  KOKKOS_INLINE_FUNCTION void start(const In* matrix, int thread, std::size_t first, std::size_t size,
                                    std::size_t k_total, std::size_t k_begin) {
    if constexpr (contiguous) {
      row_ = thread / per_row;
      column_ = thread % per_row * 4;
      CROSSWARP_UNROLL
      for (int v = 0; v < count; ++v) {
        const std::size_t row = first + static_cast<std::size_t>(row_ + v * rows_per_pass);
        from_[v] = matrix + (row < size ? row : size - 1) * k_total + k_begin + column_;
      }
    } else {
      row_ = thread / per_row;
      column_ = thread % per_row * 4;
      stride_ = size;
      const std::size_t column = first + static_cast<std::size_t>(column_);
      left_ = column < size ? (size - column < 4 ? static_cast<int>(size - column) : 4) : 0;
      from_[0] =
          matrix + (k_begin + static_cast<std::size_t>(row_)) * size + (left_ > 0 ? column : size - (aligned ? 4 : 1));
    }
  }

  /// Loads the next k-tile, of which `valid` steps of k are inside the matrix; the others are zeros.
  KOKKOS_INLINE_FUNCTION void load(int valid) {
    CROSSWARP_UNROLL
    for (int v = 0; v < count; ++v) {
      if constexpr (contiguous) {
        if constexpr (aligned) {
          next_[v] = column_ < valid ? quad_at(from_[v]) : Quad<In>{};
        } else {
          CROSSWARP_UNROLL
          for (int j = 0; j < 4; ++j) next_[v].at[j] = column_ + j < valid ? from_[v][j] : In{};
        }
        from_[v] += Tile::k;
      } else {
        const bool is_valid = row_ + v * rows_per_pass < valid;
        const In* const from = from_[0] + static_cast<std::size_t>(v * rows_per_pass) * stride_;
        if constexpr (aligned) {
          next_[v] = is_valid ? quad_at(from) : Quad<In>{};
        } else {
          CROSSWARP_UNROLL
          for (int j = 0; j < 4; ++j) next_[v].at[j] = is_valid && j < left_ ? from[j] : In{};
        }
      }
    }
    if constexpr (!contiguous) from_[0] += Tile::k * stride_;
  }

  /// Stores it to scratch as float.
  KOKKOS_INLINE_FUNCTION void store(float* tile) const {
    CROSSWARP_UNROLL
    for (int v = 0; v < count; ++v) {
      const Quad<In>& q = next_[v];
      const int row = row_ + v * rows_per_pass;
      if constexpr (contiguous) {
        CROSSWARP_UNROLL
        for (int j = 0; j < 4; ++j) tile[(column_ + j) * pitch + row] = Elements::widen(q.at[j]);
      } else {
        *reinterpret_cast<Four*>(tile + row * pitch + column_) = {Elements::widen(q.at[0]), Elements::widen(q.at[1]),
                                                                  Elements::widen(q.at[2]), Elements::widen(q.at[3])};
      }
    }
  }

 private:
  static constexpr int per_row = (contiguous ? Tile::k : extent) / 4, rows_per_pass = Tile::threads / per_row;
  static_assert(Tile::threads % per_row == 0 && count > 0);

  KOKKOS_INLINE_FUNCTION static Quad<In> quad_at(const In* from) { return *reinterpret_cast<const Quad<In>*>(from); }

  const In* from_[contiguous ? count : 1];
  std::size_t stride_ = 0;
  int row_ = 0, column_ = 0, left_ = 0;
  Quad<In> next_[count];
};

/// Level of a tile's scratch memory. Hosts have memory of one kind at all levels, and with Kokkos 5 32 KiB at level 0.
inline constexpr int tile_scratch_level = is_asynchronous ? 0 : 1;

/// The team's body. League rank: tiles of C, splits of k.
template <class Tile, class Elements, bool b_transposed, bool aligned>
struct TileGemm {
  static constexpr int each = Tile::each, thread_m = Tile::thread_m, thread_n = Tile::thread_n;
  using CopyA = TileCopy<Tile, Elements, Tile::m, true, aligned>;
  using CopyB = TileCopy<Tile, Elements, Tile::n, b_transposed, aligned>;
  static constexpr int stage_floats = CopyA::floats + CopyB::floats;
  static constexpr int handed_floats = Tile::slices / 2 * Tile::m * Tile::n;
  static constexpr int scratch_floats = std::max(2 * stage_floats, handed_floats);
  static constexpr std::size_t scratch_bytes = scratch_floats * sizeof(float) + alignof(Four);
  static_assert(scratch_bytes <= 48 << 10);

  GemmProblem<Elements> gemm;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    float* const shared = scratch<float>(team, scratch_floats, tile_scratch_level);
    const std::size_t tiles_m = (gemm.m + Tile::m - 1) / Tile::m, tiles_n = (gemm.n + Tile::n - 1) / Tile::n;
    const std::size_t rank = static_cast<std::size_t>(team.league_rank()), split = rank / (tiles_m * tiles_n);
    const std::size_t k_begin = split * gemm.k_per_split;
    const std::size_t k_end = k_begin + gemm.k_per_split < gemm.k ? k_begin + gemm.k_per_split : gemm.k;
    // Strips of 8 tile rows: concurrent teams share rows of A and columns of B in L2.
    const std::size_t index = rank - split * tiles_m * tiles_n, strip = index / (8 * tiles_n) * 8;
    const std::size_t strip_rows = tiles_m - strip < 8 ? tiles_m - strip : 8, in_strip = index - strip * tiles_n;
    const std::size_t first_row = (strip + in_strip % strip_rows) * Tile::m;
    const std::size_t first_column = in_strip / strip_rows * Tile::n;

    CopyA copy_a[each];
    CopyB copy_b[each];
    const auto valid = [&](std::size_t k0) {
      return k0 >= k_end ? 0 : k_end - k0 < Tile::k ? static_cast<int>(k_end - k0) : Tile::k;
    };
    const auto load = [&](std::size_t k0) {
      for (int e = 0; e < each; ++e) copy_a[e].load(valid(k0)), copy_b[e].load(valid(k0));
    };
    const auto store = [&](int stage) {
      for (int e = 0; e < each; ++e)
        copy_a[e].store(shared + stage * stage_floats), copy_b[e].store(shared + stage * stage_floats + CopyA::floats);
    };
    // Fragments in registers: a thread's step l of a k-tile multiplies set l % 2 and loads the other.
    float a_fragment[2][thread_m], b_fragment[2][thread_n];
    const auto load_fragments = [&](int l, int stage, const ThreadCoord& thread) {
      const float* const a_from = shared + stage * stage_floats + (thread.first_step + l) * CopyA::pitch + thread.row;
      const float* const b_from =
          shared + stage * stage_floats + CopyA::floats + (thread.first_step + l) * CopyB::pitch + thread.column;
      CROSSWARP_UNROLL
      for (int v = 0; v < thread_m / 4; ++v) spread(a_fragment[l % 2] + 4 * v, a_from + 32 * v);
      CROSSWARP_UNROLL
      for (int v = 0; v < thread_n / 4; ++v) spread(b_fragment[l % 2] + 4 * v, b_from + 16 * v);
    };

    float acc[each][thread_m][thread_n] = {};
    for (int e = 0; e < each; ++e) {
      copy_a[e].start(gemm.a, thread_of(team, e), first_row, gemm.m, gemm.k, k_begin);
      copy_b[e].start(gemm.b, thread_of(team, e), first_column, gemm.n, gemm.k, k_begin);
    }
    load(k_begin);
    store(0);
    team.team_barrier();
    // Where a thread stands for one of the tile, its fragments are loaded across the end of a k-tile, too.
    constexpr bool is_pipelined = each == 1;
    if (is_pipelined) load_fragments(0, 0, ThreadCoord(thread_of(team, 0)));
    int stage = 0;
    for (std::size_t k0 = k_begin; k0 < k_end; k0 += Tile::k) {
      load(k0 + Tile::k);  // behind the last k-tile come zeros that no thread multiplies
      const auto next_stage = [&] {
        store(stage ^ 1);
        team.team_barrier();  // the next stage is complete; no thread reads this one, which is filled next
        stage ^= 1;
      };
      for (int e = 0; e < each; ++e) {
        const ThreadCoord thread(thread_of(team, e));
        if (!is_pipelined) load_fragments(0, stage, thread);
        CROSSWARP_UNROLL
        for (int l = 0; l < Tile::steps; ++l) {
          if (is_pipelined && l + 1 == Tile::steps) next_stage();
          if (is_pipelined || l + 1 < Tile::steps) load_fragments((l + 1) % Tile::steps, stage, thread);
          multiply(a_fragment[l % 2], b_fragment[l % 2], acc[e]);
        }
      }
      if (!is_pipelined) next_stage();
    }
    add_slices(team, shared, acc);
    typename Elements::Out* const c = gemm.c + split * gemm.m * gemm.n;
    for (int e = 0; e < each; ++e) {
      const ThreadCoord thread(thread_of(team, e));
      if (thread.first_step > 0) continue;
      store_tile(c, first_row + static_cast<std::size_t>(thread.row),
                 first_column + static_cast<std::size_t>(thread.column), acc[e]);
    }
  }

 private:
  /// First row and column of a thread of the tile, and the first of its steps of a k-tile.
  struct ThreadCoord {
    int row, column, first_step;
    KOKKOS_INLINE_FUNCTION explicit ThreadCoord(int thread)
        : row(in_slice(thread) / 32 / Tile::warps_n * Tile::warp_m + (thread >> 1 & 7) * 4),
          column(thread / 32 % Tile::warps_n * Tile::warp_n + ((thread >> 3 & 2) | (thread & 1)) * 4),
          first_step(Tile::slices > 1 ? thread / Tile::slice_threads * Tile::steps : 0) {}

    /// Without an operation where there is one slice: addresses that keep it cost registers and 3 to 11 % of the time.
    KOKKOS_INLINE_FUNCTION static int in_slice(int thread) {
      return Tile::slices > 1 ? thread % Tile::slice_threads : thread;
    }
  };

  /// Tree over the slices: the upper half hands its accumulators to the lower one, until the first has the sums.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void add_slices(const Team& team, float* shared,
                                                float (&acc)[each][thread_m][thread_n]) {
    CROSSWARP_UNROLL
    for (int half = Tile::slices / 2; half > 0; half /= 2) {
      const auto handed = [&](int thread, int i) -> float& {
        const int slice = thread / Tile::slice_threads % half;
        return shared[slice * Tile::m * Tile::n + i * Tile::slice_threads + thread % Tile::slice_threads];
      };
      team.team_barrier();  // nobody reads what was here
      for (int e = 0; e < each; ++e) {
        const int thread = thread_of(team, e), slice = thread / Tile::slice_threads;
        if (slice < half || slice >= 2 * half) continue;
        CROSSWARP_UNROLL
        for (int i = 0; i < thread_m * thread_n; ++i) handed(thread, i) = acc[e][i / thread_n][i % thread_n];
      }
      team.team_barrier();
      for (int e = 0; e < each; ++e) {
        const int thread = thread_of(team, e);
        if (thread / Tile::slice_threads >= half) continue;
        CROSSWARP_UNROLL
        for (int i = 0; i < thread_m * thread_n; ++i) acc[e][i / thread_n][i % thread_n] += handed(thread, i);
      }
    }
  }

  template <class Team>
  KOKKOS_INLINE_FUNCTION static int thread_of(const Team& team, int e) {
    return team.team_rank() + e * team_threads<Tile::threads>;
  }

  KOKKOS_INLINE_FUNCTION static void spread(float* to, const float* from) {
    const Four v = *reinterpret_cast<const Four*>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  }

  /// acc += a ⊗ b. Rows run back and forth: each multiply-add shares an operand register with the one before it.
  KOKKOS_INLINE_FUNCTION static void multiply(const float (&a)[thread_m], const float (&b)[thread_n],
                                              float (&acc)[thread_m][thread_n]) {
    CROSSWARP_UNROLL
    for (int i = 0; i < thread_m; ++i) CROSSWARP_UNROLL
    for (int step = 0; step < thread_n; ++step) {
      const int j = i % 2 == 0 ? step : thread_n - 1 - step;
      acc[i][j] += a[i] * b[j];
    }
  }

  /// Stores a thread's accumulators, clipped to C.
  KOKKOS_INLINE_FUNCTION void store_tile(typename Elements::Out* c, std::size_t first_row, std::size_t first_column,
                                         const float (&acc)[thread_m][thread_n]) const {
    using Out = typename Elements::Out;
    CROSSWARP_UNROLL
    for (int i = 0; i < thread_m; ++i) {
      const std::size_t row = first_row + static_cast<std::size_t>(i / 4 * 32 + i % 4);
      if (row >= gemm.m) continue;
      CROSSWARP_UNROLL
      for (int j = 0; j < thread_n; j += 4) {
        const std::size_t column = first_column + static_cast<std::size_t>(4 * j);
        Out* const to = c + row * gemm.n + column;
        if constexpr (aligned) {
          // The additions bring the four values into registers of their own. A 16-byte store needs consecutive ones;
          // accumulators allocated so would lie in the register bank of their operand.
          if (column < gemm.n)
            *reinterpret_cast<Quad<Out>*>(to) = {
                {Elements::narrow(acc[i][j] + 0.0f), Elements::narrow(acc[i][j + 1] + 0.0f),
                 Elements::narrow(acc[i][j + 2] + 0.0f), Elements::narrow(acc[i][j + 3] + 0.0f)}};
        } else {
          CROSSWARP_UNROLL
          for (int v = 0; v < 4; ++v)
            if (column + static_cast<std::size_t>(v) < gemm.n) to[v] = Elements::narrow(acc[i][j + v]);
        }
      }
    }
  }
};

/// C = A·B by teams of `Tile`, in `splits` of k. Requires m, n > 0.
template <class Tile, class Elements, bool b_transposed = false>
void launch_tiles(const Queue& queue, GemmProblem<Elements> gemm, std::size_t splits = 1) {
  const std::size_t k_tiles = pieces_of(gemm.k, Tile::k);
  gemm.k_per_split = std::max<std::size_t>(pieces_of(k_tiles, splits), 1) * Tile::k;
  const std::size_t teams = gemm.template tiles<Tile>() * splits;
  const auto launch = [&]<bool aligned>() {
    using Body = TileGemm<Tile, Elements, b_transposed, aligned>;
    auto policy = teams_of_tiles<Tile::threads, Tile::resident>(queue, teams, 0);
    policy.set_scratch_size(tile_scratch_level, Kokkos::PerTeam(static_cast<int>(Body::scratch_bytes)));
    Kokkos::parallel_for(policy, Body{gemm});
  };
  // Aligned: rows of four elements start on the boundary of one access.
  gemm.n % 4 == 0 && gemm.k % 4 == 0 ? launch.template operator()<true>() : launch.template operator()<false>();
}

}  // namespace crosswarp::kokkos
