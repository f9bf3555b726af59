// One row of A or a few times B: each team reads a block of B once, 16 bytes a load, and multiplies all rows of A by
// it; the last team of a column range adds the partial sums. Bound by memory bandwidth, reading B.
#include "backends/kokkos/gemm_tile.hpp"
#include "backends/kokkos/matmul_f32/dispatch.hpp"

namespace crosswarp::kokkos {
namespace matmul_f32_few_rows {

static constexpr int group = 32;                               // threads along a row of B
static constexpr int threads = 256, groups = threads / group;  // rows of B at a time
static constexpr int columns = group * 4;                      // of a team, four per thread
static constexpr int loads = 8;                                // in flight per thread
static constexpr std::size_t most_k = 65'536;                  // of a team

/// Depth of a team: two passes of loads, and more where the teams would be too many.
static std::size_t depth(const Queue& queue, const MatmulF32::Args& args) {
  constexpr std::size_t pass = std::size_t{loads} * groups;
  if (!is_asynchronous) return std::max<std::size_t>(args.k, 1);
  const std::size_t enough = 16 * static_cast<std::size_t>(queue.device.compute_units);  // teams
  const std::size_t ranges = std::max<std::size_t>(enough / pieces_of(args.n, columns), 1);
  return std::clamp(pieces_of(pieces_of(args.k, ranges), pass) * pass, 2 * pass,
                    std::max(most_k, pieces_of(args.k, 4096)));
}

/// A count of finished teams for each range of columns, then the partial sums.
static std::size_t counter_bytes(const MatmulF32::Args& args) {
  return pieces_of(pieces_of(args.n, columns) * sizeof(unsigned), 256) * 256;
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t splits = args.k == 0 ? 1 : pieces_of(args.k, depth(queue, args));
  return splits > 1 ? counter_bytes(args) + splits * args.c.size_bytes() : 0;
}

template <int rows, bool aligned>
struct Gemm {
  const float *a, *b;
  float *c, *partials;
  unsigned* finished;  ///< Zero before and after each launch.
  std::size_t n, k, k_per_team, ranges, splits;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int each = threads / team_threads<threads>;
    float* const sums = scratch<float>(team, groups * rows * columns);
    int* const is_last = scratch<int>(team, 1);
    const std::size_t rank = static_cast<std::size_t>(team.league_rank()), range = rank % ranges, split = rank / ranges;
    const std::size_t k_begin = split * k_per_team, k_end = k_begin + k_per_team < k ? k_begin + k_per_team : k;
    const std::size_t first_column = range * columns;
    for (int e = 0; e < each; ++e) {
      const int thread = team.team_rank() + e * team_threads<threads>;
      add_block(sums + thread / group * rows * columns, first_column, thread, k_begin, k_end);
    }
    team.team_barrier();
    // From here on a thread has one element of C at a time.
    const auto elements = [&](auto&& use) {
      for (int i = team.team_rank(); i < rows * columns; i += team.team_size()) {
        const std::size_t column = first_column + static_cast<std::size_t>(i % columns);
        if (column < n) use(i, static_cast<std::size_t>(i / columns) * n + column);
      }
    };
    float* const to = splits > 1 ? partials + split * rows * n : c;
    elements([&](int i, std::size_t at) {
      float sum = 0;
      for (int g = 0; g < groups; ++g) sum += sums[g * rows * columns + i];
      to[at] = sum;
    });
    if (splits == 1) return;
    Kokkos::memory_fence();
    team.team_barrier();
    if (team.team_rank() == 0) {
      const bool last = Kokkos::atomic_fetch_add(finished + range, 1u) + 1 == splits;
      if (last) finished[range] = 0;
      *is_last = last;
    }
    team.team_barrier();
    if (!*is_last) return;
    Kokkos::memory_fence();
    const volatile float* const all = partials;  // not from L1, which may hold what was there before
    elements([&](int, std::size_t at) {
      float sum = 0;
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 16
#endif
      for (std::size_t s = 0; s < splits; ++s) sum += all[s * rows * n + at];
      c[at] = sum;
    });
  }

 private:
  /// Adds the products of a thread's rows of the block to `sums`, `columns` for each row of A. A thread has four
  /// adjacent columns, or four `group` apart. Those outside B repeat the last ones, whose sums are dropped.
  KOKKOS_INLINE_FUNCTION void add_block(float* sums, std::size_t first_column, int thread, std::size_t k_begin,
                                        std::size_t k_end) const {
    const int lane = thread % group;
    std::size_t at[aligned ? 1 : 4];
    CROSSWARP_UNROLL
    for (int j = 0; j < (aligned ? 1 : 4); ++j) {
      const std::size_t column = first_column + static_cast<std::size_t>(aligned ? lane * 4 : lane + group * j);
      at[j] = column < n ? column : n - (aligned ? 4 : 1);
    }
    float acc[rows][4] = {};
    std::size_t l = k_begin + static_cast<std::size_t>(thread / group);
    for (; l + (loads - 1) * groups < k_end; l += loads * groups) add_pass<true>(at, l, k_end, acc);
    if (l < k_end) add_pass<false>(at, l, k_end, acc);
    CROSSWARP_UNROLL
    for (int row = 0; row < rows; ++row) CROSSWARP_UNROLL
    for (int j = 0; j < 4; ++j) sums[row * columns + (aligned ? lane * 4 + j : lane + group * j)] = acc[row][j];
  }

  /// Adds `loads` rows of B from row `first` on, `groups` apart; those from k_end on count nothing unless the pass is
  /// `whole`. All loads come first: none waits for another, nor for a branch.
  template <bool whole>
  KOKKOS_INLINE_FUNCTION void add_pass(const std::size_t* at, std::size_t first, std::size_t k_end,
                                       float (&acc)[rows][4]) const {
    Four b_next[loads];
    float a_next[rows][loads];
    CROSSWARP_UNROLL
    for (int i = 0; i < loads; ++i) {
      const std::size_t l = first + static_cast<std::size_t>(i * groups);
      const bool is_inside = whole || l < k_end;
      b_next[i] = is_inside ? load(b + l * n, at) : Four{0, 0, 0, 0};
      CROSSWARP_UNROLL
      for (int row = 0; row < rows; ++row) a_next[row][i] = is_inside ? a[static_cast<std::size_t>(row) * k + l] : 0;
    }
    CROSSWARP_UNROLL
    for (int i = 0; i < loads; ++i) {
      CROSSWARP_UNROLL
      for (int row = 0; row < rows; ++row) {
        acc[row][0] += a_next[row][i] * b_next[i].x;
        acc[row][1] += a_next[row][i] * b_next[i].y;
        acc[row][2] += a_next[row][i] * b_next[i].z;
        acc[row][3] += a_next[row][i] * b_next[i].w;
      }
    }
  }

  KOKKOS_INLINE_FUNCTION static Four load(const float* row, const std::size_t* at) {
    if constexpr (aligned)
      return *reinterpret_cast<const Four*>(row + at[0]);
    else
      return {row[at[0]], row[at[1]], row[at[2]], row[at[3]]};
  }
};

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t ranges = pieces_of(args.n, columns), k_per_team = depth(queue, args);
  const std::size_t splits = pieces_of(args.k, k_per_team);
  auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
  float* const partials = splits > 1 ? reinterpret_cast<float*>(queue.workspace.data() + counter_bytes(args)) : nullptr;
  const auto launch = [&]<int rows, bool aligned>() {
    constexpr int resident = rows == 1 && aligned ? 4 : rows <= 2 ? 3 : 2;  // as registers for the loads allow
    constexpr std::size_t bytes = groups * rows * columns * sizeof(float) + sizeof(int) + 2 * alignof(Four);
    Kokkos::parallel_for(teams_of_tiles<threads, resident>(queue, ranges * splits, bytes),
                         Gemm<rows, aligned>{args.a.data(), args.b.data(), args.c.data(), partials, finished, args.n,
                                             args.k, k_per_team, ranges, splits});
  };
  const auto launch_rows = [&]<int rows>() {
    args.n % 4 == 0 ? launch.template operator()<rows, true>() : launch.template operator()<rows, false>();
  };
  switch (args.m) {
    case 1:
      return launch_rows.template operator()<1>();
    case 2:
      return launch_rows.template operator()<2>();
    case 3:
      return launch_rows.template operator()<3>();
    case 4:
      return launch_rows.template operator()<4>();
    default:
      return;
  }
}

static void launch_all(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (args.k > 0) return gemm(queue, args);
  Kokkos::deep_copy(queue.exec, array(args.c), 0.0f);
}

const Register<MatmulF32> variant{{
    .idea =
        "up to four rows of A times B, each block of B read once; the last team of a column range adds partial sums",
    .bound_by = "memory bandwidth, reading B",
    .improves = "mdrange_naive",
    .counterparts = {"adaptive"},
    .gaps = {{GapClass::no_api,
              "Kokkos has no programmatic dependent launch, most of it; and fewer loads of B are in flight",
              {"dram_throughput", "stall_long_scoreboard", "branches"},
              [](const Point& point) { return point.integer("m") == 1; }}},
    .applies = [](const Point& point) { return point.integer("m") <= static_cast<std::int64_t>(most_rows); },
    .workspace = workspace,
    .launch = launch_all,
}};

}  // namespace matmul_f32_few_rows
}  // namespace crosswarp::kokkos
