// What a user would call: the product by tensor copies and warpgroups where the GPU has them and the factors' rows are
// aligned, in tiles that fill the device at this shape; by warpgroups with copies of threads where they are not, and by
// instructions of single warps on GPUs before Hopper. Bound by the matrix units; small shapes by launch and latency,
// and by L2, which feeds small tiles.
#include <array>
#include <limits>
#include <utility>

#include "backends/cuda/device/product_by_mma.hpp"
#include "backends/cuda/device/product_by_tma.hpp"
#include "backends/cuda/device/product_by_wgmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX

constexpr double l2_bytes = 37;           // that L2 brings to each multiprocessor in a cycle
constexpr double unit_operations = 4096;  // of its matrix units
constexpr double launch_cycles = 2500;
constexpr unsigned band = 8;  // of tiles without tensor copies

/// About how many cycles the product takes by a choice. What a block copies to all of its cluster counts once. Behind
/// the last tile it is written; parts of sums are written as floats, and added by another launch.
double cycles(const Queue& queue, const MatmulF16::Args& args, const TmaChoice& choice, unsigned resident) {
  const double operations = 2.0 * choice.rows * choice.columns * row_elements;
  const double bytes =
      row_bytes * (1.0 * choice.rows / choice.cluster.columns + 1.0 * choice.columns / choice.cluster.rows);
  const unsigned stages = blocks_for(blocks_for(args.k, row_elements), choice.parts);
  const double tile = stages * std::max(operations / unit_operations, bytes / l2_bytes);
  const unsigned units = static_cast<unsigned>(queue.device.compute_units);
  const unsigned clusters = choice.parts * blocks_for(args.m, choice.rows * choice.cluster.rows) *
                            blocks_for(args.n, choice.columns * choice.cluster.columns);
  const double parts =
      choice.parts == 1 ? 0
                        : launch_cycles + 2.0 * static_cast<double>(choice.workspace_bytes(args)) / (l2_bytes * units);
  return blocks_for(clusters, resident) * tile + 8.0 * choice.columns + parts;
}

/// The choice that is expected to take least; among equals the first.
TmaChoice best_choice(const Queue& queue, const MatmulF16::Args& args) {
  const unsigned stages = blocks_for(args.k, row_elements);
  TmaChoice best{};
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [rows, columns] : {std::pair{128u, 256u}, {128u, 128u}, {64u, 128u}})
    for (const ClusterShape cluster : {ClusterShape{2, 1}, {1, 1}, {2, 2}, {4, 1}, {4, 2}}) {
      TmaChoice choice{.rows = rows,
                       .columns = columns,
                       .cluster = cluster,
                       .band = 16 / cluster.rows,
                       .ahead = queue.tuning["ahead"] != 0};
      const unsigned resident = resident_clusters(queue, choice);
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

bool has_warpgroups(const Queue& queue) {
  return std::ranges::all_of(std::array{"wgmma", "tma", "cluster"}, [&](std::string_view feature) {
    return std::ranges::find(queue.device.features, feature) != queue.device.features.end();
  });
}

bool is_for_warpgroups(const Queue& queue, const MatmulF16::Args& args) {
  return has_warpgroups(queue) && has_aligned_factors(args);
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return is_for_warpgroups(queue, args) ? best_choice(queue, args).workspace_bytes(args) : 0;
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (is_for_warpgroups(queue, args))
    multiply_by_tma(queue, args, best_choice(queue, args));
  else if (has_warpgroups(queue))
    multiply_by_wgmma(queue, args, band);
  else
    multiply_by_mma(queue, args, band);
}
#endif

const Register<MatmulF16> variant{{
    .idea =
        "tiles that fill the device at this shape, by warpgroups where these can, else by warps: bound by the units",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"ahead", 1}}}, {{{"ahead", 0}}}},
    .workspace = workspace,
    .launch = multiply,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
