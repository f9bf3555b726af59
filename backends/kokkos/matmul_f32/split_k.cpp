// Split-K: several teams per tile of C, each with a range of k; a second launch adds their partial sums. Fills the
// device where C has few tiles. Bound by the issue of multiply-adds, and by the traffic of partial sums.
#include <algorithm>
#include <bit>

#include "backends/kokkos/gemm_tile.hpp"
#include "backends/kokkos/matmul_f32/dispatch.hpp"

namespace crosswarp::kokkos {
namespace matmul_f32_split_k {

using matmul_f32_register_tiles::Tile;

std::size_t workspace(const MatmulF32::Args& args, std::size_t splits) {
  return splits > 1 ? splits * args.c.size_bytes() : 0;
}

/// Adds the partial sums of C, in vectors V: four floats, or one. Threads next to each other take columns next to each
/// other. Where C has few vectors, `groups` of a team's threads share the splits of a column.
template <class V>
struct AddPartials {
  static constexpr int threads = 256, most_groups = 8;
  static constexpr int loads = 8;  ///< In flight per thread.

  const V* partials;
  V* c;
  std::size_t count, splits;
  int groups;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int each = threads / team_threads<threads>;
    V* const sums = scratch<V>(team, threads);
    const int columns = threads / groups;
    const std::size_t first = static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(columns);
    const auto column = [&](int thread) { return first + static_cast<std::size_t>(thread % columns); };
    for (int e = 0; e < each; ++e) {
      const int thread = team.team_rank() + e * team_threads<threads>;
      const std::size_t i = column(thread);
      const V sum = i < count ? sum_of_splits(i, static_cast<std::size_t>(thread / columns)) : V{};
      if (groups > 1)
        sums[thread] = sum;
      else if (i < count)
        c[i] = sum;
    }
    if (groups == 1) return;
    team.team_barrier();
    for (int thread = team.team_rank(); thread < columns && column(thread) < count; thread += team.team_size()) {
      V sum = sums[thread];
      for (int g = 1; g < groups; ++g) add(sum, sums[thread + g * columns]);
      c[column(thread)] = sum;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static void add(Four& sum, const Four& v) {
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  KOKKOS_INLINE_FUNCTION static void add(float& sum, float v) { sum += v; }

  /// Of every groups-th split from `split` on. Past the last one it loads that one again: loads behind a condition
  /// would wait for each other.
  KOKKOS_INLINE_FUNCTION V sum_of_splits(std::size_t i, std::size_t split) const {
    V sum{};
    for (; split < splits; split += loads * static_cast<std::size_t>(groups)) {
      V next[loads];
      CROSSWARP_UNROLL
      for (int l = 0; l < loads; ++l) {
        const std::size_t s = split + static_cast<std::size_t>(l * groups);
        next[l] = partials[(s < splits ? s : splits - 1) * count + i];
      }
      CROSSWARP_UNROLL
      for (int l = 0; l < loads; ++l)
        if (split + static_cast<std::size_t>(l * groups) < splits) add(sum, next[l]);
    }
    return sum;
  }
};

template <class V>
static void add_partials(const Queue& queue, const float* partials, float* c, std::size_t floats, std::size_t splits) {
  using Body = AddPartials<V>;
  const std::size_t count = floats * sizeof(float) / sizeof(V);
  const auto resident = static_cast<std::size_t>(std::max(queue.device.compute_units, 1)) * 2048;  // threads
  const auto groups = static_cast<int>(
      std::bit_floor(std::clamp<std::size_t>(std::min(resident / count, splits), 1, Body::most_groups)));
  const std::size_t teams = pieces_of(count, static_cast<std::size_t>(Body::threads / groups));
  Kokkos::parallel_for(teams_of_tiles<Body::threads, 4>(queue, teams, Body::threads * sizeof(V) + alignof(Four)),
                       Body{reinterpret_cast<const V*>(partials), reinterpret_cast<V*>(c), count, splits, groups});
}

void gemm(const Queue& queue, const MatmulF32::Args& args, Tile tile, std::size_t splits) {
  auto* const partials = reinterpret_cast<float*>(queue.workspace.data());
  float* const c = args.c.data();
  matmul_f32_register_tiles::gemm(queue, args, tile, splits, splits > 1 ? partials : c);
  if (splits == 1) return;
  // Partial matrices start on 16-byte boundaries where C is whole vectors.
  const std::size_t floats = args.c.size();
  floats % 4 == 0 ? add_partials<Four>(queue, partials, c, floats, splits)
                  : add_partials<float>(queue, partials, c, floats, splits);
}

/// The tuning's `splits`; 0: as many as fill the device, of at least four k-tiles each.
static std::size_t splits_for(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["splits"]; given > 0) return static_cast<std::size_t>(given);
  if (args.c.empty()) return 1;
  const auto& shape = matmul_f32_register_tiles::shapes.at(static_cast<std::size_t>(queue.tuning["tile"]));
  const auto pieces = [](std::size_t n, int piece) { return (n + static_cast<std::size_t>(piece) - 1) / piece; };
  const std::size_t tiles = pieces(args.m, shape.m) * pieces(args.n, shape.n);
  const auto resident = static_cast<std::size_t>(is_asynchronous ? shape.resident * queue.device.compute_units : 1);
  return std::clamp<std::size_t>(resident / tiles, 1, args.k / (4 * static_cast<std::size_t>(shape.k)) + 1);
}

static std::size_t tuned_workspace(const Queue& queue, const MatmulF32::Args& args) {
  return workspace(args, splits_for(queue, args));
}

static void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  if (!args.c.empty()) gemm(queue, args, static_cast<Tile>(queue.tuning["tile"]), splits_for(queue, args));
}

static Tuning tuning(Tile tile, int splits) { return {{{"tile", tile}, {"splits", splits}}}; }

const Register<MatmulF32> variant{{
    .idea = "several teams per tile, each with a range of k; a second launch adds the partial sums",
    .bound_by = "issue of multiply-adds; traffic of partial sums",
    .improves = "register_tiles",
    .counterparts = {"split_k"},
    .tunings = {tuning(matmul_f32_register_tiles::medium, 0), tuning(matmul_f32_register_tiles::medium, 4),
                tuning(matmul_f32_register_tiles::small, 0), tuning(matmul_f32_register_tiles::large, 0)},
    .workspace = tuned_workspace,
    .launch = launch_tuned,
}};

}  // namespace matmul_f32_split_k
}  // namespace crosswarp::kokkos
