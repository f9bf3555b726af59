// Dispatch by shape, the library-style entry point: the tile, split-K or stream-K that a cost model of the device
// expects to be fastest; kernels of their own for small k, few rows, few columns, and one row or column (GEMV),
// where they are expected to take less. Bound by the issue of multiply-adds; by memory bandwidth for few rows or
// columns and for small k.
#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/multistage.hpp"
#include "backends/cuda/matmul_f32/sliced_k.hpp"
#include "backends/cuda/matmul_f32/split_k.hpp"
#include "backends/cuda/matmul_f32/tile_model.hpp"
#include "backends/gpu/cached_by_problem.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_adaptive {

using matmul_f32_tiles::best_splits, matmul_f32_tiles::GemmSize, matmul_f32_tiles::Mainloop,
    matmul_f32_tiles::multistage, matmul_f32_tiles::Speed, matmul_f32_tiles::SplitPlan, matmul_f32_tiles::TileCost,
    matmul_f32_tiles::TileModel, matmul_f32_tiles::two_stages;

/// A kernel by its tile.
struct TileKernel {
  TileModel model;
  void (*launch)(const Queue&, const MatmulF32::Args&, const Splits&);
  std::size_t (*split_k_workspace)(const MatmulF32::Args&, const Splits&);
  void (*launch_stream_k)(const Queue&, const MatmulF32::Args&) = nullptr;
  std::size_t (*stream_k_workspace)(const Queue&, const MatmulF32::Args&) = nullptr;
};

template <class Tile>
constexpr TileKernel kernel_of(const Mainloop& mainloop, Speed aligned, Speed unaligned,
                               void (*launch)(const Queue&, const MatmulF32::Args&, const Splits&)) {
  return {{Tile::m, Tile::n, Tile::k, Tile::min_blocks, mainloop, aligned, unaligned}, launch, split_k_workspace<Tile>};
}
template <class Tile>
constexpr TileKernel prefetch_kernel(Speed aligned, Speed unaligned) {
  return kernel_of<Tile>(two_stages, aligned, unaligned, matmul_f32_split_k::gemm<Tile>);
}
template <class Tile>
constexpr TileKernel stream_k_kernel(Speed aligned, Speed unaligned) {
  TileKernel result = prefetch_kernel<Tile>(aligned, unaligned);
  result.launch_stream_k = matmul_f32_stream_k::gemm<Tile>;
  result.stream_k_workspace = matmul_f32_stream_k::workspace_bytes<Tile>;
  return result;
}
template <class Tile>
constexpr TileKernel sliced_kernel(Speed aligned, Speed unaligned) {
  return kernel_of<Tile>(two_stages, aligned, unaligned, launch_sliced_k<Tile>);
}
template <class Tile>
constexpr TileKernel multistage_kernel(Speed aligned, Speed unaligned) {
  return kernel_of<Tile>(multistage, aligned, unaligned, matmul_f32_multistage::gemm<Tile>);
}

/// Tunings tile1 … tile10.
constexpr TileKernel kernels[]{
    prefetch_kernel<LargeTile>({0.842, 0.38, 4900}, {0.812, 0.259, 11500}),
    stream_k_kernel<WideTile>({0.769, 0.747, 3290}, {0.741, 0.58, 12600}),
    sliced_kernel<SmallTile>({0.626, 0.335, 1860}, {0.474, 0.275, 2420}),
    sliced_kernel<SmallestTile>({0.573, 0.316, 1630}, {0.46, 0.217, 1710}),
    multistage_kernel<matmul_f32_multistage::Tile64x128>({0.891, 0.719, 30}, {0.817, 0.648, 10}),
    multistage_kernel<matmul_f32_multistage::Tile128x64>({0.83, 0.653, 30}, {0.823, 0.604, 510}),
    multistage_kernel<matmul_f32_multistage::Tile64x64>({0.655, 0.628, 530}, {0.707, 0.587, 870}),
    multistage_kernel<matmul_f32_multistage::Tile64x32>({0.657, 0.424, 480}, {0.618, 0.4, 3020}),
    multistage_kernel<matmul_f32_multistage::Tile32x64>({0.739, 0.492, 0}, {0.693, 0.371, 110}),
    multistage_kernel<matmul_f32_multistage::Tile32x32>({0.489, 0.316, 10}, {0.515, 0.287, 990})};

/// By split-K where `plan` has splits, else by stream-K.
Choice<MatmulF32> by_tile(const TileKernel& kernel, const SplitPlan& plan, std::size_t workspace_bytes) {
  const bool is_stream_k = plan.splits.count == 0;
  return {plan.cycles,
          {[&kernel, plan, is_stream_k](const Queue& queue, const MatmulF32::Args& args) {
             const Queue own = pdl_where(plan.pdl, queue);
             is_stream_k ? kernel.launch_stream_k(own, args) : kernel.launch(own, args, plan.splits);
           },
           workspace_bytes, is_stream_k}};
}

/// Of all tiles or, by its number, of one.
void add_tiles(std::vector<Choice<MatmulF32>>& all, const Queue& queue, const MatmulF32::Args& args,
               std::size_t forced_tile) {
  const GemmSize size{args.m, args.n, args.k};
  for (const TileKernel& kernel : kernels) {
    if (forced_tile > 0 && &kernel != &kernels[forced_tile - 1]) continue;
    if (kernel.launch_stream_k)
      all.push_back(by_tile(kernel, {{0, 0}, true, TileCost(kernel.model, size, queue.device).stream_k()},
                            kernel.stream_k_workspace(queue, args)));
    const SplitPlan plan = best_splits(kernel.model, size, queue.device);
    all.push_back(by_tile(kernel, plan, kernel.split_k_workspace(args, plan.splits)));
  }
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
  if (matmul_f32_gemv::is_for(m, n))
    all.push_back({matmul_f32_gemv::expected_cycles(queue, args),
                   {matmul_f32_gemv::gemm, matmul_f32_gemv::workspace_bytes(queue, args), true}});
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
    .idea = "dispatch by shape: a cost model chooses tile, split-K or stream-K, or a kernel for small k, few rows, few "
            "columns, one row or one column",
    .bound_by = "issue of multiply-adds; memory bandwidth for few rows or columns",
    .improves = "multistage",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6), tuning(7),
                tuning(8), tuning(9), tuning(10)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
}};

}  // namespace matmul_f32_adaptive
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
