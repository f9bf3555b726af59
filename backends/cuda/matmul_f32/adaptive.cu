// Dispatch by shape, the library-style entry point: the tile, split-K or stream-K that a cost model of the device
// expects to be fastest; kernels of their own for short sums, few rows, few columns, and one row or column (GEMV),
// where they are expected to take less. Bound by the issue of multiply-adds; by memory bandwidth for few rows or
// columns and for small k.
#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/sliced_k.hpp"
#include "backends/cuda/matmul_f32/split_k.hpp"
#include "backends/cuda/matmul_f32/tile_model.hpp"

namespace crosswarp::gpu {
namespace {

using matmul_f32_tiles::best_splits, matmul_f32_tiles::GemmSize, matmul_f32_tiles::Speed, matmul_f32_tiles::SplitPlan,
    matmul_f32_tiles::TileCost, matmul_f32_tiles::TileModel;

/// A kernel by its tile.
struct TileKernel {
  TileModel model;
  void (*launch)(const Queue&, const MatmulF32::Args&, const Splits&);
  std::size_t (*split_k_workspace)(const MatmulF32::Args&, const Splits&);
  void (*launch_stream_k)(const Queue&, const MatmulF32::Args&) = nullptr;
  std::size_t (*stream_k_workspace)(const Queue&, const MatmulF32::Args&) = nullptr;
};

template <class Tile>
constexpr TileKernel kernel_of(Speed aligned, Speed unaligned,
                               void (*launch)(const Queue&, const MatmulF32::Args&, const Splits&)) {
  return {{Tile::m, Tile::n, Tile::k, Tile::min_blocks, aligned, unaligned}, launch, split_k_workspace<Tile>};
}
template <class Tile>
constexpr TileKernel prefetch_kernel(Speed aligned, Speed unaligned) {
  return kernel_of<Tile>(aligned, unaligned, matmul_f32_split_k::gemm<Tile>);
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
  return kernel_of<Tile>(aligned, unaligned, launch_sliced_k<Tile>);
}

/// Tunings tile1 … tile8.
constexpr TileKernel kernels[]{prefetch_kernel<LargeTile>({0.842, 0.38, 4900}, {0.812, 0.259, 11500}),
                               prefetch_kernel<MediumTile>({0.827, 0.417, 2500}, {0.802, 0.338, 7330}),
                               prefetch_kernel<FlatTile>({0.825, 0.398, 2690}, {0.788, 0.316, 6300}),
                               stream_k_kernel<WideTile>({0.769, 0.747, 3290}, {0.741, 0.58, 12600}),
                               sliced_kernel<SmallTile>({0.626, 0.335, 1860}, {0.474, 0.275, 2420}),
                               sliced_kernel<SmallestTile>({0.573, 0.316, 1630}, {0.46, 0.217, 1710}),
                               prefetch_kernel<CompactTile>({0.819, 0.358, 2690}, {0.798, 0.144, 6960}),
                               prefetch_kernel<ThinTile>({0.794, 0.363, 1360}, {0.652, 0.225, 3950})};

struct Plan {
  const TileKernel* kernel = kernels;
  SplitPlan plan;  ///< A count of 0 splits: stream-K.
};

/// Of all tiles or, by its number, of one.
Plan plan(const Queue& queue, const MatmulF32::Args& args, std::size_t forced_tile) {
  const GemmSize size{args.m, args.n, args.k};
  Plan best;
  const auto consider = [&](const TileKernel& kernel, const SplitPlan& plan) {
    if (plan.cycles < best.plan.cycles) best = {&kernel, plan};
  };
  for (const TileKernel& kernel : kernels) {
    if (forced_tile > 0 && &kernel != &kernels[forced_tile - 1]) continue;
    if (kernel.launch_stream_k) consider(kernel, {{0, 0}, true, TileCost(kernel.model, size, queue.device).stream_k()});
    consider(kernel, best_splits(kernel.model, size, queue.device));
  }
  return best;
}

/// A kernel for shapes of a kind.
struct Special {
  bool (*is_for)(std::size_t m, std::size_t n, std::size_t k);
  double (*expected_cycles)(const Queue&, const MatmulF32::Args&);
  void (*launch)(const Queue&, const MatmulF32::Args&);
  std::size_t (*workspace_bytes)(const Queue&, const MatmulF32::Args&);
};
constexpr Special specials[]{
    {[](std::size_t, std::size_t, std::size_t k) { return k <= matmul_f32_small_k::max_k; },
     matmul_f32_small_k::expected_cycles, matmul_f32_small_k::gemm,
     [](const Queue&, const MatmulF32::Args&) { return std::size_t{0}; }},
    {[](std::size_t m, std::size_t n, std::size_t k) {
       return k > matmul_f32_small_k::max_k && matmul_f32_few_columns::is_for(m, n, k);
     },
     matmul_f32_few_columns::expected_cycles, matmul_f32_few_columns::gemm, matmul_f32_few_columns::workspace_bytes},
    {[](std::size_t m, std::size_t n, std::size_t k) {
       return k > matmul_f32_small_k::max_k && matmul_f32_few_rows::is_for(m, n, k);
     },
     matmul_f32_few_rows::expected_cycles, matmul_f32_few_rows::gemm, matmul_f32_few_rows::workspace_bytes},
    {matmul_f32_gemv::is_for, matmul_f32_gemv::expected_cycles, matmul_f32_gemv::gemm,
     matmul_f32_gemv::workspace_bytes}};

/// The kernel that is expected to take less than `cycles`, or null.
const Special* faster_special(const Queue& queue, const MatmulF32::Args& args, double cycles) {
  const Special* best = nullptr;
  for (const Special& special : specials)
    if (special.is_for(args.m, args.n, args.k))
      if (const double expected = special.expected_cycles(queue, args); expected < cycles)
        best = &special, cycles = expected;
  return best;
}

/// Calls `with_special(kernel)` or `with_tile(plan)`.
template <class WithSpecial, class WithTile>
auto choose(const Queue& queue, const MatmulF32::Args& args, WithSpecial&& with_special, WithTile&& with_tile) {
  const auto forced_tile = static_cast<std::size_t>(queue.tuning["tile"]);
  const Plan planned = plan(queue, args, forced_tile);
  const Special* const special = forced_tile == 0 ? faster_special(queue, args, planned.plan.cycles) : nullptr;
  return special ? with_special(*special) : with_tile(planned);
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return 0;
  return choose(
      queue, args, [&](const Special& special) { return special.workspace_bytes(queue, args); },
      [&](const Plan& planned) {
        const auto& [kernel, plan] = planned;
        return plan.splits.count == 0 ? kernel->stream_k_workspace(queue, args)
                                      : kernel->split_k_workspace(args, plan.splits);
      });
}

void gemm(const Queue& given, const MatmulF32::Args& args) {
  const Queue queue = pdl_by_tuning(given);
  if (args.c.empty()) return;
  choose(
      queue, args, [&](const Special& special) { special.launch(queue, args); },
      [&](const Plan& planned) {
        const auto& [kernel, plan] = planned;
        const Queue own = pdl_where(plan.pdl, queue);
        plan.splits.count == 0 ? kernel->launch_stream_k(own, args) : kernel->launch(own, args, plan.splits);
      });
}

/// tile 0: the cost model chooses; splits are always its choice. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea =
        "dispatch by shape: a cost model chooses tile, split-K or stream-K, or a kernel for short sums, few rows, few "
        "columns, one row or one column",
    .bound_by = "issue of multiply-adds; memory bandwidth for few rows or columns",
    .improves = "stream_k",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6), tuning(7),
                tuning(8)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
