// Dispatch by shape, the library-style entry point: the tile, split-K or stream-K that a cost model of the device
// expects to be fastest; kernels of their own for small k, few rows, few columns, and one row or column (GEMV),
// where they are expected to take less. Bound by the issue of multiply-adds; by memory bandwidth for few rows or
// columns and for small k.
#include <algorithm>

#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/multistage.hpp"
#include "backends/cuda/matmul_f32/sliced_k.hpp"
#include "backends/cuda/matmul_f32/split_k.hpp"
#include "backends/cuda/matmul_f32/tile_model.hpp"
#include "backends/gpu/cached_by_problem.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_adaptive {

using matmul_f32_tiles::best_cluster, matmul_f32_tiles::best_splits, matmul_f32_tiles::ClusterPlan,
    matmul_f32_tiles::Mainloop, matmul_f32_tiles::multistage, matmul_f32_tiles::Speed, matmul_f32_tiles::SplitPlan,
    matmul_f32_tiles::TileCost, matmul_f32_tiles::TileModel, matmul_f32_tiles::two_stages;

/// A kernel by its tile.
struct TileKernel {
  TileModel model;
  void (*launch)(const Queue&, const MatmulF32::Args&, const Splits&);
  std::size_t (*workspace)(const MatmulF32::Args&, const Splits&);
#if CROSSWARP_HAS_PTX
  matmul_f32_cluster_split_k::ClusterGemm (*clusters)() = nullptr;
#endif
};

template <class Tile>
constexpr TileModel model_of(const Mainloop& mainloop, Speed aligned, Speed unaligned, double last_split_slowdown = 1) {
  return {Tile::m, Tile::n, Tile::k, Tile::min_blocks, mainloop, aligned, unaligned, last_split_slowdown};
}
template <class Tile>
constexpr TileKernel prefetch_kernel(Speed aligned, Speed unaligned) {
  return {model_of<Tile>(two_stages, aligned, unaligned), matmul_f32_split_k::gemm<Tile>, split_k_workspace<Tile>};
}
template <class Tile>
constexpr TileKernel sliced_kernel(Speed aligned, Speed unaligned) {
  return {model_of<Tile>(two_stages, aligned, unaligned), launch_sliced_k<Tile>, split_k_workspace<Tile>};
}
template <class Tile>
constexpr TileKernel multistage_kernel(Speed aligned, Speed unaligned, double last_split_slowdown = 1) {
  return {model_of<Tile>(multistage, aligned, unaligned, last_split_slowdown), matmul_f32_multistage::gemm<Tile>,
          split_k_workspace<Tile>};
}
/// With split-K in clusters, too.
template <class Tile>
constexpr TileKernel clustered_kernel(Speed aligned, Speed unaligned) {
  TileKernel kernel = multistage_kernel<Tile>(aligned, unaligned);
#if CROSSWARP_HAS_PTX
  kernel.clusters = matmul_f32_cluster_split_k::entry_of<Tile>;
#endif
  return kernel;
}

/// Tunings tile1 … tile10 and tile12. The last one is for GPUs whose copies are not asynchronous.
constexpr TileKernel kernels[]{
    multistage_kernel<matmul_f32_multistage::Tile128x256>({0.95, 0.95, 31400}, {0.844, 0.844, 7600}, 1.15),
    clustered_kernel<matmul_f32_multistage::Tile128x128>({0.9, 0.427, 20840}, {0.907, 0.425, 11370}),
    sliced_kernel<SmallTile>({0.646, 0.331, 1230}, {0.477, 0.275, 2400}),
    sliced_kernel<SmallestTile>({0.583, 0.292, 1370}, {0.454, 0.238, 800}),
    clustered_kernel<matmul_f32_multistage::Tile64x128>({0.839, 0.72, 1750}, {0.81, 0.782, 590}),
    clustered_kernel<matmul_f32_multistage::Tile128x64>({0.794, 0.63, 2210}, {0.788, 0.627, 2080}),
    clustered_kernel<matmul_f32_multistage::Tile64x64>({0.64, 0.64, 1350}, {0.7, 0.611, 1370}),
    clustered_kernel<matmul_f32_multistage::Tile64x32>({0.505, 0.384, 1750}, {0.64, 0.498, 6520}),
    clustered_kernel<matmul_f32_multistage::Tile32x64>({0.706, 0.466, 730}, {0.671, 0.341, 1360}),
    clustered_kernel<matmul_f32_multistage::Tile32x32>({0.404, 0.317, 660}, {0.524, 0.216, 740}),
    prefetch_kernel<LargeTile>({0.842, 0.38, 4900}, {0.812, 0.259, 11500})};

/// Tuning tile11, as tables of tunings know it.
constexpr std::size_t stream_k_number = 11;
constexpr TileModel stream_k_model = model_of<WideTile>(two_stages, {0.842, 0.842, 3050}, {0.737, 0.737, 12660});

/// Tuning `tile` of one of `kernels`.
constexpr std::size_t number_of(std::size_t kernel) { return kernel + 1 < stream_k_number ? kernel + 1 : kernel + 2; }

Choice<MatmulF32> by_splits(const TileKernel& kernel, const SplitPlan& plan, const MatmulF32::Args& sizes) {
  return {
      plan.cycles,
      {[&kernel, plan](const Queue& queue, const MatmulF32::Args& args) { kernel.launch(queue, args, plan.splits); },
       kernel.workspace(sizes, plan.splits)}};
}

#if CROSSWARP_HAS_PTX
/// Without a choice where the tile has no such kernel, the device no clusters, or k too few k-tiles.
void add_clusters(std::vector<Choice<MatmulF32>>& all, const TileKernel& kernel, const Queue& queue,
                  const MatmulF32::Args& args) {
  using matmul_f32_cluster_split_k::max_splits;
  if (!kernel.clusters || !queue.device.has("cluster")) return;
  const auto clusters = kernel.clusters();
  const ClusterPlan plan = best_cluster(kernel.model, {args.m, args.n, args.k}, queue.device, max_splits,
                                        [&](unsigned splits) { return clusters.active_clusters(args, splits); });
  if (plan.splits > 1)
    all.push_back({plan.cycles, {[clusters, plan](Queue on, const MatmulF32::Args& problem) {
                     on.pdl = on.pdl && plan.pdl;
                     clusters.launch(on, problem, plan.splits);
                   }}});
}
#endif

Choice<MatmulF32> by_stream_k(const Queue& queue, const MatmulF32::Args& sizes) {
  return {TileCost(stream_k_model, {sizes.m, sizes.n, sizes.k}, queue.device).stream_k(),
          {matmul_f32_stream_k::gemm<WideTile>, matmul_f32_stream_k::workspace_bytes<WideTile>(queue, sizes), true}};
}

/// Of all tiles or, by its number, of one.
void add_tiles(std::vector<Choice<MatmulF32>>& all, const Queue& queue, const MatmulF32::Args& args,
               std::size_t forced_tile) {
  for (std::size_t i = 0; i < std::size(kernels); ++i) {
    if (forced_tile != 0 && forced_tile != number_of(i)) continue;
    all.push_back(by_splits(kernels[i], best_splits(kernels[i].model, {args.m, args.n, args.k}, queue.device), args));
#if CROSSWARP_HAS_PTX
    add_clusters(all, kernels[i], queue, args);
#endif
  }
  if (forced_tile == 0 || forced_tile == stream_k_number) all.push_back(by_stream_k(queue, args));
}

/// Kernels for shapes of a kind.
void add_special(std::vector<Choice<MatmulF32>>& all, const Queue& queue, const MatmulF32::Args& args) {
  const auto [a, b, c, m, n, k] = args;
  if (k <= matmul_f32_small_k::max_k)
    all.push_back({matmul_f32_small_k::expected_cycles(queue, args), {matmul_f32_small_k::gemm}});
  if (k > matmul_f32_small_k::max_k && matmul_f32_few_columns::is_for(m, n, k))
    all.push_back({matmul_f32_few_columns::expected_cycles(queue, args),
                   {matmul_f32_few_columns::gemm, matmul_f32_few_columns::workspace_bytes(queue, args), true}});
  if (k > matmul_f32_small_k::max_k && matmul_f32_few_rows::is_for(m, n, k))
    all.push_back({matmul_f32_few_rows::expected_cycles(queue, args),
                   {matmul_f32_few_rows::gemm, matmul_f32_few_rows::workspace_bytes(queue, args), true}});
  if (const auto choice = matmul_f32_gemv::choice(queue, args)) all.push_back(*choice);
#if CROSSWARP_HAS_PTX
  if (const auto choice = matmul_f32_cluster_gemv::choice(queue, args)) all.push_back(*choice);
#endif
}

std::vector<Choice<MatmulF32>> choices(const Queue& queue, const MatmulF32::Args& args) {
  std::vector<Choice<MatmulF32>> all;
  add_tiles(all, queue, args, 0);
  add_special(all, queue, args);
  return all;
}

/// Tuning `tile`: the only one, by its number; 0: any, and any kernel. Among equals the first.
Candidate<MatmulF32> search(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return {[](const Queue&, const MatmulF32::Args&) {}};
  const auto tile = static_cast<std::size_t>(queue.tuning["tile"]);
  std::vector<Choice<MatmulF32>> all;
  add_tiles(all, queue, args, tile);
  if (tile == 0) add_special(all, queue, args);
  return std::ranges::min(all, {}, &Choice<MatmulF32>::cycles).candidate;
}

/// Cached: a search takes longer than a small product.
const Candidate<MatmulF32>& best_candidate(const Queue& queue, const MatmulF32::Args& args) {
  static CachedByProblem<MatmulF32, Candidate<MatmulF32>> known(search);
  return known(queue, args);
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return best_candidate(queue, args).workspace_bytes;
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  best_candidate(queue, args).launch(pdl_by_tuning(queue), args);
}

/// tile 0: the cost model chooses; splits are always its choice. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea = "dispatch by shape: a cost model chooses tile, split-K (in a cluster or not) or stream-K, or a kernel for "
            "small k, few rows, few columns, one row or one column",
    .bound_by = "issue of multiply-adds; memory bandwidth for few rows or columns",
    .improves = "multistage",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6), tuning(7),
                tuning(8), tuning(9), tuning(10), tuning(11), tuning(12)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
}};

}  // namespace matmul_f32_adaptive
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
