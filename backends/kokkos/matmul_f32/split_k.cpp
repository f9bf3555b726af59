// Split-K: several teams per tile of C, each with a range of k; a second launch adds their partial sums. Fills the
// device where C has few tiles. Bound by the issue of multiply-adds, and by the traffic of partial sums.
#include <algorithm>

#include "backends/kokkos/gemm_tile.hpp"
#include "backends/kokkos/matmul_f32/dispatch.hpp"

namespace crosswarp::kokkos {
namespace matmul_f32_split_k {

using matmul_f32_register_tiles::Tile;

std::size_t workspace(const MatmulF32::Args& args, std::size_t splits) {
  return splits > 1 ? splits * args.c.size_bytes() : 0;
}

/// The sum of element i of every `step`-th split from `split` on. Has `loads` in flight: past the last split it loads
/// that one again, since loads behind a condition would wait for each other.
template <int loads>
KOKKOS_INLINE_FUNCTION float sum_of_splits(const float* partials, std::size_t count, std::size_t splits, std::size_t i,
                                           std::size_t split, std::size_t step) {
  float sum = 0;
  for (; split < splits; split += loads * step) {
    float next[loads];
    CROSSWARP_UNROLL
    for (int l = 0; l < loads; ++l) {
      const std::size_t s = split + static_cast<std::size_t>(l) * step;
      next[l] = partials[(s < splits ? s : splits - 1) * count + i];
    }
    CROSSWARP_UNROLL
    for (int l = 0; l < loads; ++l) sum += split + static_cast<std::size_t>(l) * step < splits ? next[l] : 0;
  }
  return sum;
}

/// Many splits of few elements: `lanes` threads share those of an element.
struct AddManySplits {
  static constexpr int threads = 256, lanes = 8, columns = threads / lanes;

  const float* partials;
  float* c;
  std::size_t count, splits;

  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    constexpr int each = threads / team_threads<threads>;
    float* const sums = scratch<float>(team, threads);
    const std::size_t first = static_cast<std::size_t>(team.league_rank()) * columns;
    for (int e = 0; e < each; ++e) {
      const int thread = team.team_rank() + e * team_threads<threads>;
      const std::size_t i = first + static_cast<std::size_t>(thread % columns);
      const auto lane = static_cast<std::size_t>(thread / columns);
      sums[thread] = i < count ? sum_of_splits<8>(partials, count, splits, i, lane, lanes) : 0;
    }
    team.team_barrier();
    for (int column = team.team_rank(); column < columns; column += team.team_size()) {
      const std::size_t i = first + static_cast<std::size_t>(column);
      if (i >= count) return;
      float sum = 0;
      for (int lane = 0; lane < lanes; ++lane) sum += sums[lane * columns + column];
      c[i] = sum;
    }
  }
};

static void add_partials(const Queue& queue, const float* partials, float* c, std::size_t count, std::size_t splits) {
  constexpr std::size_t few = 1 << 17;  // elements: fewer than a device's threads
  if (splits > 8 && count < few) {
    using Body = AddManySplits;
    constexpr std::size_t bytes = Body::threads * sizeof(float) + alignof(Four);
    Kokkos::parallel_for(teams_of_tiles<Body::threads, 4>(queue, pieces_of(count, Body::columns), bytes),
                         Body{partials, c, count, splits});
  } else {
    Kokkos::parallel_for(
        range(queue, count),
        KOKKOS_LAMBDA(std::size_t i) { c[i] = sum_of_splits<4>(partials, count, splits, i, 0, 1); });
  }
}

void gemm(const Queue& queue, const MatmulF32::Args& args, Tile tile, std::size_t splits) {
  auto* const partials = reinterpret_cast<float*>(queue.workspace.data());
  float* const c = args.c.data();
  matmul_f32_register_tiles::gemm(queue, args, tile, splits, splits > 1 ? partials : c);
  if (splits > 1) add_partials(queue, partials, c, args.c.size(), splits);
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
