// A large operand whose rows along k begin off 16 bytes, read by TMA without a copy: A, or B where it is transposed.
// Rows that are 2, 4 or 8 apart begin at the same distance from 16 bytes. A block takes rows of one such residue class:
// a tensor map has a pitch of so many rows, and boxes that begin at the 16 bytes before each row's first element. The
// class's products need the small operand's rows shifted by as much: a first launch copies them once per class, along k
// whatever their layout. wgmma, one warpgroup a block; split-K. Bound by memory bandwidth.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/row_classes.hpp"
#include "backends/cuda/matmul_f16/thin_operands.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"
#include "backends/cuda/tensor_gemm/tile_sums.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_row_classes {

#if CROSSWARP_HAS_PTX
constexpr unsigned tile_rows = 64;  // of one class
constexpr unsigned max_classes = 8;
constexpr unsigned most_columns = 256;  // of the small operand
constexpr unsigned vector = 8;          // elements in 16 bytes

/// What is multiplied.
struct Problem {
  const std::uint16_t* rows;  ///< Of the large operand, k elements each.
  unsigned count, k;          ///< Of rows; of their elements.
  SmallOperand small;
  bool streams_a;

  /// Rows so far apart begin at the same distance from 16 bytes.
  __host__ __device__ unsigned classes() const { return k % 2 ? 8 : k % 4 ? 4 : k % 8 ? 2 : 1; }
  /// Elements from the 16 bytes in which a class's rows begin to their first.
  __host__ __device__ unsigned distance(unsigned of_class) const { return of_class * (k % vector) % vector; }
  /// Of the copies: rows begin with lines of L2.
  __host__ __device__ unsigned copied_pitch() const {
    return (k + vector + row_elements - 1) / row_elements * row_elements;
  }
};

constexpr unsigned copy_block = 256;

/// Copies the small operand once per class, as [class][column][distance + k], with zeros in front.
__global__ void __launch_bounds__(copy_block) copy_shifted(Problem p, std::uint16_t* to) {
  grid_dependency_sync();
  const SmallOperand& small = p.small;
  const unsigned vectors = p.copied_pitch() / vector;
  const std::size_t all = std::size_t{p.classes()} * small.count * vectors;
  const std::size_t i = std::size_t{blockIdx.x} * copy_block + threadIdx.x;
  if (i >= all) return;
  // Neighbouring threads read neighbouring elements.
  const bool is_k_fast = small.along == 1;
  const auto of_class = static_cast<unsigned>(i / (std::size_t{small.count} * vectors));
  const auto in_class = static_cast<unsigned>(i % (std::size_t{small.count} * vectors));
  const unsigned column = is_k_fast ? in_class / vectors : in_class % small.count;
  const unsigned at = is_k_fast ? in_class % vectors : in_class / small.count;
  const unsigned distance = p.distance(of_class);
  std::uint32_t elements[vector];
#pragma unroll
  for (unsigned j = 0; j < vector; ++j) {
    const unsigned l = at * vector + j - distance;  // far beyond k in front of 0
    elements[j] = l < p.k ? small.data[std::size_t{l} * small.along + std::size_t{column} * small.step] : 0;
  }
  const auto pair = [&](unsigned j) { return elements[j] | elements[j + 1] << 16; };
  reinterpret_cast<uint4*>(to + (std::size_t{of_class} * small.count + column) * p.copied_pitch())[at] = {
      pair(0), pair(2), pair(4), pair(6)};
}

struct ClassMaps {
  CUtensorMap of_class[max_classes];
};

struct Plan {
  unsigned column_tiles, k_tiles, k_tiles_per_split;
  std::size_t split_pitch;  ///< Elements between splits' partial sums.
};

/// One warpgroup multiplies, the first thread behind it loads. Two blocks fit on a multiprocessor.
constexpr unsigned block_threads = warpgroup_size + warp_size();

template <unsigned tile_columns>
struct ClassTile {
  static constexpr unsigned rows = tile_rows, columns = tile_columns;
  static constexpr unsigned stages = std::min(8u, (112u << 10) / ((rows + columns) * row_bytes));
  using Ring = OperandRing<rows, columns, stages>;
};

#if CROSSWARP_TARGET_HAS_WGMMA
/// Clears the first `distance` elements, of other rows, which may be no numbers, in the tile's rows. By the warpgroup.
__device__ inline void clear_fronts(std::byte* tile, unsigned distance) {
  if (threadIdx.x < tile_rows)
    for (unsigned j = 0; j < distance; ++j) reinterpret_cast<std::uint16_t*>(tile + swizzled(threadIdx.x, 0))[j] = 0;
  fence_proxy_async();
  asm volatile("bar.sync 1, %0;" ::"n"(warpgroup_size) : "memory");
}
#endif

template <bool bf16, unsigned tile_columns>
__global__ void __launch_bounds__(block_threads, 2)
    gemm_kernel([[maybe_unused]] const __grid_constant__ ClassMaps large,
                [[maybe_unused]] const __grid_constant__ ClassMaps small, [[maybe_unused]] Problem p,
                [[maybe_unused]] Plan plan, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  using Tile = ClassTile<tile_columns>;
  using Ring = typename Tile::Ring;
  constexpr unsigned stages = Tile::stages;
  __shared__ Pipeline<stages> pipeline;
  std::byte* const shared = swizzle_aligned_shared();
  const Ring ring{warp_uniform(shared_address(shared))};
  // Blocks of the same rows follow one another, then those of the next class, whose rows share lines with these.
  const unsigned classes = p.classes(), column = blockIdx.x % plan.column_tiles * tile_columns;
  const unsigned of_class = blockIdx.x / plan.column_tiles % classes;
  const unsigned row = blockIdx.x / plan.column_tiles / classes * tile_rows;
  const unsigned distance = p.distance(of_class), begin = of_class * p.k - distance;
  const unsigned first_k_tile = blockIdx.y * plan.k_tiles_per_split;
  const unsigned k_tiles = std::min(plan.k_tiles_per_split, plan.k_tiles - first_k_tile);
  const bool is_producer = threadIdx.x == warpgroup_size;
  if (threadIdx.x == 0) pipeline.init(warpgroup_size / warp_size());
  if (is_producer) {
    prefetch_tensor_map(large.of_class[of_class]);
    prefetch_tensor_map(small.of_class[of_class]);
    for (unsigned i = 0; i < std::min(k_tiles, stages); ++i)
      tma_prefetch(large.of_class[of_class], row, begin + (first_k_tile + i) * tile_k);
  }
  __syncthreads();
  grid_dependency_wait();

  PipelineState state;
  if (threadIdx.x >= warpgroup_size) {
    if (!is_producer) return;
    for (unsigned i = 0; i < k_tiles; ++i, state.advance(stages)) {
      const unsigned k = (first_k_tile + i) * tile_k;
      Mbarrier* const full = pipeline.producer_acquire(state, Ring::stage_bytes);
      tma_load(ring.a(state.index), large.of_class[of_class], row, begin + k, full);
      tma_load(ring.b(state.index), small.of_class[of_class], column, k, full);
    }
    return;
  }

  TileSums<WgmmaF16<bf16, true>, false, tile_columns> sums;
  const auto release = [&](unsigned stage) {
    if (threadIdx.x % warp_size() == 0) pipeline.consumer_release(stage);
  };
  bool has_front = first_k_tile == 0 && distance > 0;
  const auto wait = [&] {
    pipeline.consumer_wait(state);
    if (has_front) clear_fronts(shared + state.index * Ring::a_bytes, distance);
    has_front = false;
    const StagedTile staged{state.index, ring.a(state.index), ring.b(state.index)};
    state.advance(stages);
    return staged;
  };
  sums.add(k_tiles, wait, release, [](unsigned, bool) {});
  launch_dependents();
  const Output out = gridDim.y > 1 ? c.offset(blockIdx.y * plan.split_pitch) : c;
  const unsigned lane = threadIdx.x % warp_size(), first_row = row + threadIdx.x / warp_size() * 16 + lane / 4;
#pragma unroll
  for (unsigned i = 0; i < tile_columns / 2; ++i) {
    const unsigned of_large = (first_row + i / 2 % 2 * 8) * classes + of_class;
    const unsigned of_small = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
    p.streams_a ? out.store(of_large, of_small, sums.sums()[i]) : out.store(of_small, of_large, sums.sums()[i]);
  }
#endif
}

/// The larger operand of those whose rows run along k. Requires m, n, k > 0.
Problem problem(const MatmulF16::Args& args) {
  const bool streams_a = args.m >= args.n || !args.b_transposed;
  const ThinOperands operands = thin_operands(args, streams_a);
  const Operand& large = operands.large;
  return {large.data, large.rows, large.columns, operands.small, streams_a};
}

/// Boxes have coordinates of 32 bits: those of a class's rows, which a map takes as one, are 8k at most.
bool is_for(std::size_t m, std::size_t n, std::size_t k, bool b_transposed) {
  return k % vector != 0 && k < std::size_t{1} << 28 && (b_transposed ? std::min(m, n) : n) <= most_columns;
}

struct Config {
  unsigned columns;  ///< Of a tile.
  unsigned tiles, k_tiles, splits;
};

/// Tiles of up to 128 columns. splits: 0 for as many as give every multiprocessor two
/// blocks at most, of eight k-tiles or more.
Config config_for(const Queue& queue, const Problem& p, unsigned splits) {
  const unsigned columns = p.small.count > 64 ? 128 : 64, k_tiles = blocks_for(p.k + vector - 1, tile_k);
  const unsigned tiles =
      blocks_for(blocks_for(p.count, p.classes()), tile_rows) * p.classes() * blocks_for(p.small.count, columns);
  const auto units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
  constexpr unsigned least_k_tiles = 8;
  if (splits == 0) splits = std::clamp(2 * units / tiles, 1u, std::max(1u, k_tiles / least_k_tiles));
  return {columns, tiles, k_tiles, blocks_for(k_tiles, blocks_for(k_tiles, splits))};  // none of them empty
}

std::size_t copied_elements(const Problem& p) { return std::size_t{p.classes()} * p.small.count * p.copied_pitch(); }

/// From one split's partial sums to the next one's: a multiple of 16 bytes.
std::size_t pitch_of_sums(const MatmulF16::Args& args) { return (args.m * args.n + 3) / 4 * 4; }

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, unsigned asked_splits) {
  if (args.c.empty() || args.k == 0) return 0;
  const Problem p = problem(args);
  const unsigned splits = config_for(queue, p, asked_splits).splits;
  return copied_elements(p) * sizeof(std::uint16_t) + (splits > 1 ? splits * pitch_of_sums(args) * sizeof(float) : 0);
}

/// Requires a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned asked_splits) {
  if (finish_if_empty(queue, args)) return;
  const Problem p = problem(args);
  const Config config = config_for(queue, p, asked_splits);
  auto* const copies = reinterpret_cast<std::uint16_t*>(queue.workspace.data());
  launch(copy_shifted, blocks_for(copied_elements(p) / vector, copy_block), copy_block, 0, queue, p, copies);
  Queue after = queue;
  after.workspace = queue.workspace.subspan(copied_elements(p) * sizeof(std::uint16_t));

  const unsigned classes = p.classes(), pitch = p.copied_pitch();
  ClassMaps large{}, small{};
  for (unsigned c = 0; c < classes; ++c) {
    const bool is_empty = c >= p.count;  // then nothing of its product is stored
    large.of_class[c] = tensor_map(p.rows, is_empty ? 1 : (p.count - c + classes - 1) / classes,
                                   is_empty ? 1 : (c + 1) * p.k, classes * p.k, tile_rows);
    small.of_class[c] = tensor_map(copies + std::size_t{c} * p.small.count * pitch, p.small.count, p.distance(c) + p.k,
                                   pitch, config.columns);
  }
  const Plan plan{.column_tiles = blocks_for(p.small.count, config.columns),
                  .k_tiles = config.k_tiles,
                  .k_tiles_per_split = blocks_for(config.k_tiles, config.splits),
                  .split_pitch = pitch_of_sums(args)};
  const Output c(args);
  with_constant<64, 128>(config.columns, [&]<unsigned columns>() {
    with_operand_types(args, [&]<bool bf16, bool>() {
      launch(gemm_kernel<bf16, columns>, dim3(config.tiles, config.splits), block_threads,
             ClassTile<columns>::Ring::bytes, after, large, small, p, plan,
             config.splits == 1 ? c : c.partial_sums(after.workspace.data()));
    });
  });
  if (config.splits > 1) launch_add_partials(after, plan.split_pitch, config.splits, args.m * args.n, c);
}

/// As fitted to an H100: two launches; blocks that wait for their k-tiles; the large operand at memory's peak, mostly
/// not hidden; stores of single elements, as if of 16 bits.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  constexpr double fixed = 12000, of_k_tile = 370, of_other_block = 340, of_split = 3000, exposed = 0.7;
  constexpr double copied_bytes = 3.4, partial_bytes = 28, stored_bytes = 0.95;  // of a multiprocessor, per cycle
  if (args.c.empty() || args.k == 0 || !is_for(args.m, args.n, args.k, args.b_transposed))
    return std::numeric_limits<double>::infinity();
  const Problem p = problem(args);
  const Config config = config_for(queue, p, 0);
  const double units = std::max(1, queue.device.compute_units);
  const double blocks = std::ceil(config.tiles * config.splits / units);
  const double multiplied = std::ceil(blocks / 2) * blocks_for(config.k_tiles, config.splits) *
                            (of_k_tile + (blocks > 1 ? of_other_block : 0));
  const double moved =
      sizeof(std::uint16_t) * static_cast<double>(p.count) * p.k / (queue.device.peak_per_cycle("memory", 18) * units);
  const double elements = static_cast<double>(args.m) * static_cast<double>(args.n) * config.splits;
  const double added = config.splits > 1 ? of_split + 2 * sizeof(float) * elements / (partial_bytes * units) : 0;
  return fixed + std::max(multiplied, moved) + exposed * std::min(multiplied, moved) +
         sizeof(std::uint16_t) * (static_cast<double>(copied_elements(p)) / copied_bytes + elements / stored_bytes) /
             units +
         added;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args) { return workspace_bytes(queue, args, 0); }

void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, 0); }

unsigned tuned_splits(const Queue& queue) { return static_cast<unsigned>(queue.tuning["splits"]); }

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, tuned_splits(queue));
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_splits(queue));
}

/// splits: of k; 0: by shape. pdl: programmatic dependent launch.
Tuning tuning(int splits, int pdl = 1) { return {{{"splits", splits}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "a large operand off 16 bytes by TMA, uncopied: blocks take rows of one distance from 16 bytes, the small "
            "operand is shifted by as much",
    .bound_by = "memory bandwidth",
    .improves = "repack",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(4), tuning(8)},
    .applies =
        [](const Point& point) {
          const auto [m, n, k] = shape_of(point);
          return is_for(m, n, k, point.word("layout") == "tn");
        },
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x128x16.F32", 4}, {"UTMALDG.2D", 2}},
#endif
}};

}  // namespace matmul_f16_row_classes
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
