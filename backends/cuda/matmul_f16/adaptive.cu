// What a user would call: the product by tensor copies and warpgroups where the GPU has them and the factors' rows are
// aligned, in tiles that fill the device at this shape; by warpgroups with copies of threads where they are not, and by
// instructions of single warps on GPUs before Hopper. Bound by the matrix units; small shapes by launch and latency,
// and by shared memory, which feeds small tiles.
#include <array>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "backends/cuda/matmul_f16/product_by_mma.hpp"
#include "backends/cuda/matmul_f16/product_by_tma.hpp"
#include "backends/cuda/matmul_f16/product_by_wgmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX

// What a multiprocessor does in a cycle: operations of its matrix units, bytes that go into shared memory and out of
// it, that come from L2 by tensor copies, in whole lines, that threads write there and read, and that come from memory
// where all of the device read it.
constexpr double unit_operations = 4096, shared_bytes = 128, copied_bytes = 54, l2_bytes = 37, memory_bytes = 19;
// Cycles that pass between two stages, two tiles, and two launches.
constexpr double stage_cycles = 100, tile_cycles = 300, launch_cycles = 2500;
constexpr unsigned raster = 8;  // of tiles without tensor copies

/// Lines of L2 that a row of a stage, 128 bytes, is in.
double lines_of_row(const Factor& factor) { return factor.columns % row_elements == 0 ? 1 : 2; }

/// About how many cycles the product takes by a choice. Shared memory bounds small tiles: both factors of a stage are
/// copied into it, and each warpgroup reads its own rows of A and all of B. L2 bounds them where rows begin within
/// lines; what a block copies to all of its cluster counts once there. Parts of sums are written as floats, and added
/// by another launch.
double cycles(const Queue& queue, const MatmulF16::Args& args, const TmaChoice& choice, unsigned resident) {
  const double operations = 2.0 * choice.rows * choice.columns * row_elements;
  const double shared = row_bytes * (2.0 * choice.rows + (1 + choice.rows / 64) * choice.columns);
  const double copied = row_bytes * (lines_of_row(factor_a(args)) * choice.rows / choice.cluster.columns +
                                     lines_of_row(factor_b(args)) * choice.columns / choice.cluster.rows);
  const double stage =
      std::max({operations / unit_operations, shared / shared_bytes, copied / copied_bytes}) + stage_cycles;
  const double multiplied = blocks_for(blocks_for(args.k, row_elements), choice.parts) * stage;
  const double sum_bytes = args.f32_out || choice.parts > 1 ? 4 : 2;
  const double written = sum_bytes * choice.rows * choice.columns / l2_bytes;
  const double tile = std::max(multiplied, written) + 8.0 * choice.columns + tile_cycles;
  const unsigned clusters = choice.parts * blocks_for(args.m, choice.rows * choice.cluster.rows) *
                            blocks_for(args.n, choice.columns * choice.cluster.columns);
  const double units = queue.device.compute_units;
  const double read = 2.0 * static_cast<double>(args.a.size() + args.b.size()) / (memory_bytes * units);
  const double parts =
      choice.parts == 1 ? 0
                        : launch_cycles + 2.0 * static_cast<double>(choice.workspace_bytes(args)) / (l2_bytes * units);
  const double all = blocks_for(clusters, resident) * tile;
  return std::max(all, read) + std::min(all, read) / 4 + parts;  // of the shorter one not all is hidden
}

/// Whether all blocks of a cluster can have a tile of the matrix.
bool is_filled(const MatmulF16::Args& args, const TmaChoice& choice) {
  return choice.cluster.rows <= blocks_for(args.m, choice.rows) &&
         choice.cluster.columns <= blocks_for(args.n, choice.columns);
}

/// Of clusters among which the model sees no difference the one comes first by which H200s were faster. The widest
/// tiles share B, their larger part: where power bounds large products that is 1 to 2 % faster from 2048 on, else as
/// fast, or half a percent slower at 4096. Others share A: 5 % faster at 1024, 1 % at 1536; up to 512 1 % slower.
std::array<ClusterShape, 3> clusters_for(unsigned columns) {
  constexpr ClusterShape share_b{2, 1}, share_a{1, 2}, share_nothing{1, 1};
  return columns == 256 ? std::array{share_b, share_a, share_nothing} : std::array{share_a, share_b, share_nothing};
}

/// The choice that is expected to take least; among equals the first.
TmaChoice weighed(const Queue& queue, const MatmulF16::Args& args) {
  const unsigned stages = blocks_for(args.k, row_elements);
  TmaChoice best{};
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [rows, columns] : {std::pair{128u, 256u}, {128u, 192u}, {128u, 128u}, {64u, 128u}, {64u, 64u}})
    for (const ClusterShape cluster : clusters_for(columns)) {
      TmaChoice choice{.rows = rows, .columns = columns, .cluster = cluster, .raster = 16 / cluster.rows};
      const unsigned resident = is_filled(args, choice) ? resident_clusters(queue, choice) : 0;
      for (unsigned parts = 1; resident > 0 && (parts == 1 || (parts <= 64 && stages / parts >= 8)); parts *= 2) {
        choice.parts = blocks_for(stages, blocks_for(stages, parts));
        if (const double expected = cycles(queue, args, choice, resident); expected < least) {
          least = expected;
          best = choice;
        }
      }
    }
  return best;
}

/// The same, weighed once for each shape: that takes longer than a small product.
TmaChoice best_choice(const Queue& queue, const MatmulF16::Args& args) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool>, TmaChoice> known;
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, args.m, args.n, args.k, args.b_transposed, args.f32_out});
  if (is_new) found->second = weighed(queue, args);
  return found->second;
}

bool has_warpgroups(const Queue& queue) {
  return queue.device.has("wgmma") && queue.device.has("tma") && queue.device.has("cluster");
}

bool is_for_warpgroups(const Queue& queue, const MatmulF16::Args& args) {
  return has_warpgroups(queue) && has_aligned_factors(args);
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return is_for_warpgroups(queue, args) ? best_choice(queue, args).workspace_bytes(args) : 0;
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (is_for_warpgroups(queue, args))
    multiply_by_tma(pdl_by_tuning(queue), args, best_choice(queue, args));
  else if (has_warpgroups(queue))
    multiply_by_wgmma(queue, args, raster);
  else
    multiply_by_mma(queue, args, raster);
}
#endif

const Register<MatmulF16> variant{{
    .idea =
        "tiles that fill the device at this shape, by warpgroups where these can, else by warps: bound by the units",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = multiply,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
