// Dispatch by shape, the library-style entry point: the tile and the number of splits of k that a model of waves
// expects to be fastest; a few rows by their own kernel. Bound by the issue of multiply-adds; by memory bandwidth for a
// few rows and for small k.
#include <cmath>
#include <limits>

#include "backends/kokkos/matmul_f32/dispatch.hpp"

namespace crosswarp::kokkos {
namespace {

using matmul_f32_register_tiles::Shape;
using matmul_f32_register_tiles::Tile;

/// Expected share of the peak multiply-adds, with as many teams resident as fit, and with one. Those of CUDA's tiles of
/// these sizes as measured on an H200; a guess for `small`, which CUDA has not.
struct Efficiency {
  double full, alone;
};
constexpr std::array<Efficiency, matmul_f32_register_tiles::shapes.size()> efficiencies{
    {{0.77, 0.38}, {0.74, 0.25}, {0.74, 0.25}, {0.7, 0.13}, {0.51, 0.38}, {0.46, 0.33}}};

struct Plan {
  Tile tile;
  std::size_t splits;
};

/// Expected cycles of the multiprocessor with the most teams. Several splits take a second launch, with their partial
/// sums written to L2 and read back.
double cycles(const Shape& shape, const Efficiency& efficiency, const MatmulF32::Args& args, double units,
              std::size_t splits) {
  constexpr double peak = 128;  // multiply-adds per cycle
  constexpr double second_launch = 6000, l2_bytes_per_cycle = 24;
  const double tiles =
      std::ceil(static_cast<double>(args.m) / shape.m) * std::ceil(static_cast<double>(args.n) / shape.n);
  const double k_tiles = std::ceil(std::ceil(static_cast<double>(args.k) / shape.k) / static_cast<double>(splits));
  const double work = k_tiles * shape.m * shape.n * shape.k / peak;
  const double overhead = 4e6 / (shape.resident * shape.threads);  // prologue and epilogue
  const double teams = std::ceil(tiles * static_cast<double>(splits) / units);
  const double waves = std::floor(teams / shape.resident), left = teams - waves * shape.resident;
  double sum = waves * (shape.resident * work / efficiency.full + overhead);
  if (left > 0) {
    const double share = (left - 1) / (shape.resident - 1);
    sum += left * work / (efficiency.alone + (efficiency.full - efficiency.alone) * share) + overhead;
  }
  if (splits > 1)
    sum += second_launch +
           2 * static_cast<double>(matmul_f32_split_k::workspace(args, splits)) / (units * l2_bytes_per_cycle);
  return sum;
}

Plan plan(const Queue& queue, const MatmulF32::Args& args) {
  if (!is_asynchronous) return {matmul_f32_register_tiles::small, 1};  // a thread a tile
  constexpr std::size_t most_partial_bytes = std::size_t{32} << 20;    // stay in L2
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  Plan best{matmul_f32_register_tiles::large, 1};
  double fewest = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < matmul_f32_register_tiles::shapes.size(); ++t) {
    const Shape& shape = matmul_f32_register_tiles::shapes[t];
    const auto pieces = [](std::size_t n, int piece) {
      return (n + static_cast<std::size_t>(piece) - 1) / static_cast<std::size_t>(piece);
    };
    const std::size_t tiles = pieces(args.m, shape.m) * pieces(args.n, shape.n);
    // Splits that give each multiprocessor 0, 1, 2 … teams, of at least four k-tiles each.
    for (std::size_t per_unit = 0; per_unit <= 2 * static_cast<std::size_t>(shape.resident); ++per_unit) {
      const std::size_t splits = std::max<std::size_t>(1, per_unit * units / tiles);
      if (splits > 1 && (splits * 4 * static_cast<std::size_t>(shape.k) > args.k ||
                         matmul_f32_split_k::workspace(args, splits) > most_partial_bytes))
        break;
      const double expected = cycles(shape, efficiencies[t], args, static_cast<double>(units), splits);
      if (expected < fewest) fewest = expected, best = {static_cast<Tile>(t), splits};
    }
  }
  return best;
}

bool has_few_rows(const MatmulF32::Args& args) { return args.m <= matmul_f32_few_rows::most_rows && args.k > 0; }

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return 0;
  if (has_few_rows(args)) return matmul_f32_few_rows::workspace(queue, args);
  return matmul_f32_split_k::workspace(args, plan(queue, args).splits);
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (has_few_rows(args)) return matmul_f32_few_rows::gemm(queue, args);
  const auto [tile, splits] = plan(queue, args);
  matmul_f32_split_k::gemm(queue, args, tile, splits);
}

const Register<MatmulF32> variant{{
    .idea = "dispatch by shape: a model of waves chooses tile and splits of k; a few rows have their own kernel",
    .bound_by = "issue of multiply-adds; memory bandwidth for a few rows",
    .improves = "split_k",
    .counterparts = {"adaptive"},
    .gaps =
        {{GapClass::no_api,
          "Kokkos has no programmatic dependent launch, most of it; and fewer loads of B are in flight",
          {"dram_throughput", "stall_long_scoreboard", "branches"},
          [](const Point& point) { return point.integer("m") == 1; }},
         {GapClass::tuning,
          "stores to scratch take more wavefronts; a smaller part is programmatic dependent launch, which Kokkos lacks",
          {"duration", "instructions", "shared_store_wavefronts"},
          [](const Point& point) { return point.integer("m") <= 512 && point.integer("m") >= 128; }},
         {GapClass::no_api,
          "Kokkos has no clusters, which add partial sums without a second kernel, and no programmatic dependent launch "
          "for that; and stores to scratch take more wavefronts",
          {"duration", "instructions", "shared_store_wavefronts"},
          [](const Point& point) { return point.integer("m") <= 1024 && point.integer("m") > 1; }},
         {GapClass::tuning,
          "as many instructions, but slots without an issue: stores to scratch take more wavefronts, and warps "
          "wait for them",
          {"instructions", "issue_slots", "shared_store_wavefronts", "stall_short_scoreboard"},
          [](const Point& point) { return point.integer("m") >= 1536 && point.integer("m") % 2 == 0; }}},
    .workspace = workspace,
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
