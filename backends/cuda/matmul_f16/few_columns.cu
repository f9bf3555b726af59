// C of at most 16 columns, or, where B is transposed, of at most 16 rows: the large operand's rows run along k in both.
// It is read once, from memory into the registers that mma.sync takes, in 16-byte loads whatever its alignment; the
// small operand passes through shared memory. Warps share rows, and with few rows blocks do (split-K in one launch).
// Any shape. Bound by memory bandwidth; small products by launch and latency.
//
// Fragments need no particular order of k, only the same one in both operands: a lane's 16 bytes of a row are its part
// of two fragments. Rows of other than a multiple of 8 elements begin off 16 bytes, but rows that are 8 apart begin at
// the same distance from such a boundary: a warp takes rows of one distance, vectors from the boundary before each on,
// and the small operand's elements shifted by that distance. In the vectors in which a row begins and ends, elements of
// other rows become zeros. The matrix's last elements, where they are less than a vector, are added in the end.
#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/few_columns.hpp"
#include "backends/cuda/matmul_f16/thin_operands.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_few_columns {

#if CROSSWARP_HAS_PTX
constexpr unsigned max_columns = 16;
constexpr unsigned warp_rows = 16, vector = 8;  // elements
constexpr unsigned vectors_at_once = 4;         // of a row, one by each of its four lanes
constexpr unsigned unroll = 4;                  // loads of a row in flight
constexpr unsigned batch = unroll * vectors_at_once;
constexpr unsigned max_shared_bytes = 64 << 10;   // of the small operand
constexpr unsigned front = vector, padding = 18;  // of its rows in shared memory; the latter spreads them over banks

struct Problem {
  const std::uint16_t* rows;  ///< Of the large operand, k elements each.
  unsigned count, k;          ///< Of rows; of their elements.
  unsigned period;            ///< alignment_period(k).
  unsigned slices;            ///< Warps of a block that share rows.
  unsigned chunk;             ///< Elements of each row that a block multiplies between two barriers; whole batches.
  unsigned chunks;            ///< Of a row, at any distance; block (x, y) has every gridDim.y-th, from the y-th on.
  SmallOperand small;
  bool streams_a;
  unsigned* finished = nullptr;  ///< Split-K: one per block x; 0 before and after every launch.
  float* partials = nullptr;     ///< Sums of block (x, y), a part for each.
};

/// Copies the small operand's elements from k = first - front on to shared memory, as [column][front + chunk]; zeros
/// outside of it. Neighbouring threads load neighbouring elements of memory.
__device__ inline void load_small(const Problem& p, unsigned first, std::uint16_t* to) {
  constexpr unsigned in_flight = 8;
  const unsigned pitch = p.chunk + padding, length = p.chunk + front, all = p.small.count * length;
  const bool is_k_fast = p.small.along == 1;
  const unsigned fast_size = is_k_fast ? length : p.small.count;
  const unsigned fast_step = blockDim.x % fast_size, slow_step = blockDim.x / fast_size;
  unsigned fast = threadIdx.x % fast_size, slow = threadIdx.x / fast_size;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < all; i += in_flight * blockDim.x) {
    std::uint16_t loaded[in_flight];
    unsigned places[in_flight];
#pragma unroll
    for (unsigned j = 0; j < in_flight; ++j) {
      const unsigned at = is_k_fast ? fast : slow, column = is_k_fast ? slow : fast, l = first + at - front;
      places[j] = column * pitch + at;
      loaded[j] = 0;
      if (l < p.k && column < p.small.count)
        loaded[j] = p.small.data[std::size_t{l} * p.small.along + std::size_t{column} * p.small.step];
      fast += fast_step, slow += slow_step;
      if (fast >= fast_size) fast -= fast_size, ++slow;
    }
#pragma unroll
    for (unsigned j = 0; j < in_flight; ++j)
      if (i + j * blockDim.x < all) to[places[j]] = loaded[j];
  }
}

/// The vector's elements first … last - 1, and zeros.
__device__ inline uint4 masked(const uint4& of, unsigned first, unsigned last) {
  const auto word = [&](std::uint32_t both, unsigned low) {
    const auto half = [&](unsigned i) { return i >= first && i < last ? 0xffffu : 0u; };
    return both & (half(low) | half(low + 1) << 16);
  };
  return {word(of.x, 0), word(of.y, 2), word(of.z, 4), word(of.w, 6)};
}

/// Adds the products of two rows' vectors and a column's elements, which begin `shift` bits into `small`.
template <bool bf16>
__device__ void multiply(float (&sums)[4], const uint4& upper, const uint4& lower, const std::uint32_t* small,
                         unsigned shift, bool is_column) {
  std::uint32_t words[5];
#pragma unroll
  for (unsigned i = 0; i < 5; ++i) words[i] = is_column ? small[i] : 0;
  std::uint32_t b[4];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) b[i] = __funnelshift_r(words[i], words[i + 1], shift);
  mma_m16n8k16<bf16>(sums, {upper.x, lower.x, upper.y, lower.y}, b[0], b[1]);
  mma_m16n8k16<bf16>(sums, {upper.z, lower.z, upper.w, lower.w}, b[2], b[3]);
}

/// What the elements of a row that lie in the matrix's last, not whole 16 bytes add to a column.
template <bool bf16>
__device__ float product_of_rest(const Problem& p, unsigned row, unsigned column) {
  using Element = std::conditional_t<bf16, Bfloat16, Half>;
  const std::size_t whole = std::size_t{p.count} * p.k / vector * vector, begin = std::size_t{row} * p.k;
  float sum = 0;
  if (row < p.count && begin + p.k > whole)
    for (auto l = static_cast<unsigned>(begin < whole ? whole - begin : 0); l < p.k; ++l)
      sum += widened(Element{p.rows[begin + l]}) *
             widened(Element{p.small.data[std::size_t{l} * p.small.along + std::size_t{column} * p.small.step]});
  return sum;
}

/// Warps of a block, by its fragments of 8 columns: the limit on registers.
constexpr unsigned max_warps(unsigned fragments) { return fragments > 1 ? 16 : 32; }

template <bool bf16, unsigned fragments>
__global__ void __launch_bounds__(32 * max_warps(fragments)) gemm_kernel(Problem p, Output c) {
  auto* const small = dynamic_shared<std::uint16_t>();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, row_warps = blockDim.x / 32 / p.slices;
  const unsigned slice = warp % p.slices;
  // Tiles of rows of one distance follow one another.
  const auto first_row_of = [&](unsigned row_warp) {
    const unsigned tile = blockIdx.x * row_warps + row_warp;
    return tile / p.period * (warp_rows * p.period) + tile % p.period;
  };
  const unsigned first_row = first_row_of(warp / p.slices);
  const auto distance = static_cast<unsigned>(std::size_t{first_row} * p.k % vector);
  // Rows past the end are loaded as others before them, and never stored.
  const auto row = [&](unsigned i) {
    const unsigned own = first_row + i * p.period;
    return std::size_t{own < p.count ? own : std::min(first_row % p.period, p.count - 1)} * p.k;
  };
  const unsigned prefetched = blockIdx.y * p.chunk + (slice * batch + lane % 2 * (batch / 2)) * vector;
  prefetch_to_l2(p.rows + row(lane / 2) + std::min(prefetched, p.k - 1));
  grid_dependency_wait();

  // A row in vectors, from the 16 bytes in which it begins to those in which it ends, but for the matrix's last where
  // these reach past it.
  struct Row {
    const uint4* vectors;
    unsigned end;
  };
  const unsigned end = (distance + p.k + vector - 1) / vector;
  const auto vectors_of = [&](unsigned i) -> Row {
    const std::size_t first = row(i) / vector;
    return {reinterpret_cast<const uint4*>(p.rows) + first,
            static_cast<unsigned>(std::min<std::size_t>(end, std::size_t{p.count} * p.k / vector - first))};
  };
  const Row upper = vectors_of(lane / 4), lower = vectors_of(lane / 4 + 8);
  float sums[fragments][4] = {};
#pragma unroll 1
  for (unsigned chunk = blockIdx.y; chunk < p.chunks; chunk += gridDim.y) {
    const unsigned from = chunk * (p.chunk / vector);
    if (chunk >= gridDim.y) __syncthreads();  // all warps have multiplied
    load_small(p, from * vector, small);
    __syncthreads();
#pragma unroll 1
    for (unsigned v = from + slice * batch; v < std::min(end, from + p.chunk / vector); v += p.slices * batch) {
      // All loads first, without a branch between them: none waits for another.
      uint4 of_upper[unroll], of_lower[unroll];
#pragma unroll
      for (unsigned i = 0; i < unroll; ++i) {
        const unsigned own = v + i * vectors_at_once + lane % 4;
        of_upper[i] = own < upper.end ? upper.vectors[own] : uint4{};
        of_lower[i] = own < lower.end ? lower.vectors[own] : uint4{};
      }
      if (p.k % vector > 0 && (v == 0 || v + batch >= end))
#pragma unroll
        for (unsigned i = 0; i < unroll; ++i) {  // elements of other rows, which may be no numbers
          const unsigned own = v + i * vectors_at_once + lane % 4;
          const unsigned first = own == 0 ? distance : 0, last = distance + p.k - own * vector;
          of_upper[i] = masked(of_upper[i], first, last);
          of_lower[i] = masked(of_lower[i], first, last);
        }
      const std::uint16_t* of_small = small + ((v - from + lane % 4) * vector + front - distance);
      const unsigned shift = distance % 2 * 16;
#pragma unroll
      for (unsigned f = 0; f < fragments; ++f) {
        const unsigned column = f * 8 + lane / 4;
        const auto* const words =
            reinterpret_cast<const std::uint32_t*>(of_small + column * (p.chunk + padding) - distance % 2);
#pragma unroll
        for (unsigned i = 0; i < unroll; ++i)
          multiply<bf16>(sums[f], of_upper[i], of_lower[i], words + i * vectors_at_once * vector / 2, shift,
                         column < p.small.count);
      }
    }
  }

  launch_dependents();

  // Sums over the slices.
  constexpr unsigned columns = 8 * fragments;
  auto* const all_sums = dynamic_shared<float>();
  __syncthreads();  // all warps have multiplied
#pragma unroll
  for (unsigned f = 0; f < fragments; ++f)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      float* const to = all_sums + (warp * warp_rows + lane / 4 + 8 * h) * columns + f * 8 + lane % 4 * 2;
      to[0] = sums[f][2 * h], to[1] = sums[f][2 * h + 1];
    }
  __syncthreads();
  const unsigned block_sums = row_warps * warp_rows * p.small.count;
  const auto store = [&](unsigned i, float sum) {
    const unsigned block_row = i / p.small.count, column = i % p.small.count;
    const unsigned of_c = first_row_of(block_row / warp_rows) + block_row % warp_rows * p.period;
    sum += product_of_rest<bf16>(p, of_c, column);
    p.streams_a ? c.store(of_c, column, sum) : c.store(column, of_c, sum);
  };
  float* const partials = p.partials + std::size_t{blockIdx.x} * gridDim.y * block_sums;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < block_sums; i += blockDim.x) {
    const unsigned block_row = i / p.small.count, column = i % p.small.count;
    float sum = 0;
    for (unsigned s = 0; s < p.slices; ++s)
      sum += all_sums[((block_row / warp_rows * p.slices + s) * warp_rows + block_row % warp_rows) * columns + column];
    if (gridDim.y == 1)
      store(i, sum);
    else
      partials[blockIdx.y * block_sums + i] = sum;
  }
  if (gridDim.y == 1 || !is_last_block<Writers::all_threads>(p.finished + blockIdx.x, gridDim.y)) return;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < block_sums; i += blockDim.x) {
    float sum = 0;
#pragma unroll 4
    for (unsigned y = 0; y < gridDim.y; ++y) sum += load_coherent(partials + y * block_sums + i);
    store(i, sum);
  }
}

/// A launch.
struct Plan {
  Problem problem;
  unsigned blocks, splits, warps;  ///< Of the grid, x and y; of a block.
  std::size_t shared_bytes, ticket_bytes, workspace_bytes;
};

/// forced_slices: 0 for those of the shape. Requires m, n, k > 0.
Plan plan(const Queue& queue, const MatmulF16::Args& args, unsigned forced_slices) {
  const bool streams_a = args.n <= max_columns && (args.m >= args.n || !args.b_transposed);
  const ThinOperands operands = thin_operands(args, streams_a);
  const Operand& large = operands.large;
  const SmallOperand& small = operands.small;
  const unsigned k = large.columns, rows = large.rows;
  const unsigned period = alignment_period(k);
  const unsigned tiles = blocks_for(rows, warp_rows * period) * std::min(period, rows);
  const auto units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
  constexpr unsigned whole = batch * vector;
  const unsigned batches = blocks_for(k + vector - 1, whole);
  const unsigned most_batches = (max_shared_bytes / sizeof(std::uint16_t) / small.count - padding) / whole;
  // Blocks of several rows' warps read the small operand less often. With few rows latency counts: warps share them,
  // and with very few, blocks. Warps beyond a row's batches still help to copy.
  const unsigned most_warps = max_warps(blocks_for(small.count, 8)), blocks_left = units / tiles;
  const unsigned most_slices = blocks_left == 0  ? std::min(16u, std::bit_floor(64 / small.count))
                               : blocks_left < 4 ? most_warps
                                                 : 8;
  const unsigned copying_warps = small.count * (std::min(4u, batches) * whole + front) / 256;
  const unsigned own_slices =
      std::max({std::min(most_slices, std::bit_ceil(batches)),
                std::min(8u, std::bit_floor(std::max(1u, copying_warps))), 4 * tiles <= units ? 4u : 1u});
  const unsigned slices =
      std::min({forced_slices > 0 ? forced_slices : own_slices, most_warps, std::bit_floor(most_batches)});
  const unsigned splits = blocks_left < 4 ? 1 : std::clamp(batches / slices, 1u, blocks_left);
  const unsigned warps =
      std::clamp(std::bit_floor(std::max(1u, tiles * slices / units)), std::max(4u, slices), std::max(16u, slices));
  const unsigned chunk = whole * std::min(blocks_for(batches, splits), most_batches / slices * slices);
  const unsigned blocks = blocks_for(tiles, warps / slices);
  const std::size_t sums = std::size_t{warps} * warp_rows * (small.count > 8 ? 16 : 8) * sizeof(float);
  const std::size_t ticket_bytes = (blocks * sizeof(unsigned) + 127) / 128 * 128;
  const std::size_t partial_bytes =
      std::size_t{blocks} * splits * (warps / slices * warp_rows * small.count) * sizeof(float);
  return {{large.data, rows, k, period, slices, chunk, blocks_for(batches * whole, chunk), small, streams_a},
          blocks,
          splits,
          warps,
          std::max(sums, std::size_t{small.count} * (chunk + padding) * sizeof(std::uint16_t)),
          ticket_bytes,
          splits > 1 ? ticket_bytes + partial_bytes : 0};
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, unsigned slices) {
  return args.c.empty() || args.k == 0 ? 0 : plan(queue, args, slices).workspace_bytes;
}

/// Requires a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned slices) {
  if (finish_if_empty(queue, args)) return;
  Plan planned = plan(queue, args, slices);
  planned.problem.finished = reinterpret_cast<unsigned*>(queue.workspace.data());
  planned.problem.partials = reinterpret_cast<float*>(queue.workspace.data() + planned.ticket_bytes);
  with_operand_types(args, [&]<bool bf16, bool>() {
    with_constant<1, 2>(blocks_for(planned.problem.small.count, 8), [&]<unsigned fragments>() {
      launch(gemm_kernel<bf16, fragments>, dim3(planned.blocks, planned.splits), 32 * planned.warps,
             planned.shared_bytes, queue, planned.problem, Output(args));
    });
  });
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, static_cast<unsigned>(queue.tuning["slices"]));
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, static_cast<unsigned>(queue.tuning["slices"]));
}

bool is_for(std::size_t m, std::size_t n, bool b_transposed) {
  return n <= max_columns || (b_transposed && m <= max_columns);
}

/// As fitted to an H100: a block's threads copy the small operand eight elements each at a time, its warps multiply
/// batches; the large operand comes at a share of memory's peak.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  constexpr double fixed = 3400, of_round = 1330, of_chunk = 2700, of_batch = 515, of_second_fragment = 820;
  constexpr double of_sharing = 4000, of_split = 78, share_of_peak = 0.94, exposed = 1.56;
  constexpr unsigned most_resident = 4;    // blocks of a multiprocessor that hide each other's latency
  constexpr std::size_t least_steps = 33;  // for fewer, fp32 multiply-adds take less time
  if (args.c.empty() || args.k < least_steps || !is_for(args.m, args.n, args.b_transposed))
    return std::numeric_limits<double>::infinity();
  const Plan planned = plan(queue, args, 0);
  const Problem& problem = planned.problem;
  const auto units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
  const unsigned threads = 32 * planned.warps;
  const unsigned rounds = blocks_for(problem.small.count * (problem.chunk + front), 8 * threads);
  const double chunks = blocks_for(problem.chunks, planned.splits);
  const double batches = chunks * blocks_for(problem.chunk / (batch * vector), problem.slices);
  const auto fit = static_cast<unsigned>((227u << 10) / (planned.shared_bytes + 1024));
  const double blocks = blocks_for(planned.blocks * planned.splits, units);
  const double waves = std::max(1.0, blocks / std::clamp(std::min(1024 / threads, fit), 1u, most_resident));
  const double of_batches = of_batch + (problem.small.count > 8 ? of_second_fragment : 0);
  const double computed = waves * (chunks * (rounds * of_round + of_chunk) + batches * of_batches);
  const double streamed = sizeof(std::uint16_t) * static_cast<double>(problem.count) * problem.k /
                          (share_of_peak * queue.device.peak_per_cycle("memory", 18) * units);
  return fixed + (planned.splits > 1 ? of_sharing + of_split * planned.splits : 0) + std::max(computed, streamed) +
         exposed * std::min(computed, streamed);
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args) { return workspace_bytes(queue, args, 0); }

void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, 0); }

/// slices: warps that share rows; 0: by shape. pdl: programmatic dependent launch.
Tuning tuning(int slices, int pdl = 1) { return {{{"slices", slices}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "up to 16 columns, or rows where B is transposed: 16-byte loads read the large operand once at any "
            "alignment, straight into the fragments of mma.sync",
    .bound_by = "memory bandwidth",
    .improves = "skinny",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(4), tuning(8), tuning(16), tuning(32)},
    .applies =
        [](const Point& point) {
          const auto [m, n, k] = shape_of(point);
          return is_for(m, n, point.word("layout") == "tn");
        },
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HMMA.16816.F32", 16}, {"LDG.E.128", 8}},
#endif
}};

}  // namespace matmul_f16_few_columns
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
