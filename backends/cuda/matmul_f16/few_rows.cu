// C of at most 16 rows, where B is not transposed: B is read once, from memory into the fragments of mma.sync, in
// 16-byte loads whatever its alignment. Columns of B are the M side and rows of A the N side (swapped operands). Blocks
// share k where columns are few (split-K in one launch). n >= 8. Bound by memory bandwidth; small products by launch
// and latency.
//
// Rows of B begin off 16 bytes where n is not a multiple of 8, but rows that are 8 apart begin at the same distance
// from such a boundary: a warp takes rows of one distance, and a window of columns from the boundary before the block's
// first column on. Warps differ by that distance, so their windows are shifted when their sums are added. Fragments
// need no particular order of k, only the same one in both operands: the two rows that share a register are 32 apart.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/vec.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/few_rows.hpp"
#include "backends/cuda/matmul_f16/value_of.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_few_rows {

#if CROSSWARP_HAS_PTX
constexpr unsigned max_rows = 16, vector = 8;        // elements
constexpr unsigned warps = 8, threads = 32 * warps;  // rows of B that are 8 apart go to one warp
constexpr unsigned window = 128, half_window = 64;   // columns; a warp's load has half a window of each of four rows
constexpr unsigned lane_rows = 4;                    // of B, in one mma.sync
constexpr unsigned row_step = 4 * warps;             // between two of a lane's rows
constexpr unsigned pass = lane_rows * row_step;      // rows of B that a block has in flight
constexpr unsigned fragment_rows = 8;                // of A
constexpr unsigned blocks_per_unit = 2;              // resident on a multiprocessor: the limit on registers

struct Problem {
  const std::uint16_t *a, *b;
  unsigned m, n, k;
  unsigned block_columns;  ///< Those that a window has at any distance.
  unsigned block_depth;    ///< Rows of B that a block multiplies; whole passes.
  unsigned* finished;      ///< Split-K: one per block x; 0 before and after every launch.
  float* partials;         ///< Split-K: C for each split.
};

/// Block (x, y) multiplies a range of columns of B over a range of rows. The last row of B is read by single
/// elements: a vector there could reach past the end of B; before it, a vector that begins in a row ends in B.
template <bool bf16, unsigned fragments>
static __global__ void __launch_bounds__(threads, blocks_per_unit) gemm_kernel(Problem p, Output c) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned first_column = blockIdx.x * p.block_columns;
  const unsigned begin = blockIdx.y * p.block_depth, end = std::min(begin + p.block_depth, p.k - 1);
  // The first loads, into L2, before grid_dependency_wait().
  const unsigned prefetched_row = begin + lane / 2 * warps + warp, prefetched = first_column + lane % 2 * half_window;
  if (prefetched_row < end && prefetched < p.n) prefetch_to_l2(p.b + std::size_t{prefetched_row} * p.n + prefetched);
  grid_dependency_wait();

  // Elements from the 16-byte boundary before a warp's rows of B to their start.
  const auto distance_of = [&](unsigned of_warp) { return of_warp * (p.n % vector) % vector; };
  const unsigned own_row = lane % 4 * warps + warp, own_column = lane / 4 * vector;
  // Lanes past the row load columns of the block again, whose sums are dropped. `other_half` is hidden from the
  // compiler, which would compute it in every pass.
  const auto is_inside = [&](unsigned own) { return first_column + own < p.n + distance_of(warp); };
  const std::uint16_t* const b = p.b + first_column - distance_of(warp) + (is_inside(own_column) ? own_column : 0);
  const unsigned other_half = opaque(is_inside(own_column + half_window) ? half_window : 0);
  const std::uint16_t* a[fragments];
#pragma unroll
  for (unsigned f = 0; f < fragments; ++f)
    a[f] = p.a + std::size_t{std::min(f * fragment_rows + lane / 4, p.m - 1)} * p.k + begin + own_row;

  float acc[fragments][2][4][4] = {};  // of each half of the window and pair of a lane's columns
#pragma unroll 1
  for (unsigned at = begin, l = begin + own_row; at < end; at += pass, l += pass) {
    // All loads first, without a branch between them: none waits for another. Zeros past the end, in both operands.
    Vec<std::uint32_t> of_b[2][lane_rows];
    std::uint32_t of_a[fragments][lane_rows];
#pragma unroll
    for (unsigned i = 0; i < lane_rows; ++i) {
      const bool is_valid = l + i * row_step < end;
#pragma unroll
      for (unsigned half = 0; half < 2; ++half)
        of_b[half][i] = is_valid ? *reinterpret_cast<const Vec<std::uint32_t>*>(
                                       b + std::size_t{l + i * row_step} * p.n + half * other_half)
                                 : Vec<std::uint32_t>{};
#pragma unroll
      for (unsigned f = 0; f < fragments; ++f) of_a[f][i] = is_valid ? a[f][i * row_step] : 0;
    }
#pragma unroll
    for (unsigned f = 0; f < fragments; ++f) a[f] += pass;
#pragma unroll
    for (unsigned half = 0; half < 2; ++half)
#pragma unroll
      for (unsigned pair = 0; pair < 4; ++pair) {
        const auto word = [&](unsigned i) { return of_b[half][i].of[pair]; };
        const auto low = [&](unsigned i) { return __byte_perm(word(i), word(i + 1), 0x5410); };
        const auto high = [&](unsigned i) { return __byte_perm(word(i), word(i + 1), 0x7632); };
#pragma unroll
        for (unsigned f = 0; f < fragments; ++f)
          mma_m16n8k16<bf16>(acc[f][half][pair], {low(0), high(0), low(2), high(2)}, of_a[f][0] | of_a[f][1] << 16,
                             of_a[f][2] | of_a[f][3] << 16);
      }
  }

  launch_dependents();

  // Sums over the warps. From here on a thread has one column, and every other row.
  constexpr unsigned pitch = window + 2;  // spreads the rows over banks
  alignas(8) __shared__ float sums[warps][fragment_rows][pitch];
  const unsigned own = threadIdx.x % window, share = threadIdx.x / window, column = first_column + own;
  constexpr unsigned sharing = threads / window;
  const bool is_valid = own < p.block_columns && column < p.n;
  const bool has_last_row = is_valid && blockIdx.y + 1 == gridDim.y;
  __shared__ float last_a[max_rows];
  if (threadIdx.x < p.m) last_a[threadIdx.x] = value_of<bf16>(p.a[std::size_t{threadIdx.x} * p.k + p.k - 1]);
  const float last_b = has_last_row ? value_of<bf16>(p.b[std::size_t{p.k - 1} * p.n + column]) : 0;
#pragma unroll
  for (unsigned f = 0; f < fragments; ++f) {
    if (f > 0) __syncthreads();  // none reads what is written over
#pragma unroll
    for (unsigned half = 0; half < 2; ++half)
#pragma unroll
      for (unsigned pair = 0; pair < 4; ++pair)
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
          *reinterpret_cast<float2*>(&sums[warp][lane % 4 * 2 + i][half * half_window + own_column + 2 * pair]) =
              make_float2(acc[f][half][pair][i], acc[f][half][pair][i + 2]);
    __syncthreads();
#pragma unroll 1
    for (unsigned i = share; is_valid && i < std::min(p.m - f * fragment_rows, unsigned{fragment_rows}); i += sharing) {
      const std::size_t row = f * fragment_rows + i;
      float sum = has_last_row ? last_a[row] * last_b : 0;
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) sum += sums[w][i][own + distance_of(w)];
      if (gridDim.y == 1)
        c.store_at(row * p.n + column, sum);
      else
        p.partials[(std::size_t{blockIdx.y} * p.m + row) * p.n + column] = sum;
    }
  }
  if (gridDim.y == 1 || !is_last_block<Writers::all_threads>(p.finished + blockIdx.x, gridDim.y)) return;
  const auto add_splits = [&]<unsigned rows>() {
    constexpr unsigned loads = 16;  // in flight
    float total[rows] = {};
#pragma unroll loads / rows
    for (unsigned split = 0; split < gridDim.y; ++split)
#pragma unroll
      for (unsigned i = 0; i < rows; ++i)
        if (const unsigned row = share + i * sharing; row < p.m)
          total[i] += load_coherent(p.partials + (std::size_t{split} * p.m + row) * p.n + column);
#pragma unroll
    for (unsigned i = 0; i < rows; ++i) c.store(share + i * sharing, column, total[i]);
  };
  if (!is_valid) return;
  if (p.m <= sharing)
    add_splits.template operator()<1>();
  else
    add_splits.template operator()<fragments * fragment_rows / sharing>();
}

/// A launch, and what it is expected to take. As fitted to 15 products on an H100: a block's passes wait for their
/// loads, B comes at a share of memory's peak, and neither hides the other; blocks that share k wait for each other,
/// and the last one adds the partial sums.
struct Plan {
  unsigned block_columns, column_blocks, splits = 1, block_depth = 0;
  double cycles = std::numeric_limits<double>::infinity();

  /// As many splits as are expected to be fastest, where all blocks are resident. forced_splits: 0 for those. Requires
  /// m, n, k > 0.
  Plan(const Queue& queue, const MatmulF16::Args& args, unsigned forced_splits) {
    constexpr double fixed = 4200, of_pass = 1260, of_sharing = 3700, of_partial_row = 50, share_of_peak = 0.85;
    block_columns = args.n % vector == 0 ? window : window - vector;
    column_blocks = blocks_for(args.n, block_columns);
    const auto units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
    const unsigned resident = blocks_per_unit * units, waves = blocks_for(column_blocks, resident);
    const unsigned passes = blocks_for(args.k - 1, pass), most = std::clamp(resident / column_blocks, 1u, passes);
    const double streamed = sizeof(std::uint16_t) * static_cast<double>(args.n) * static_cast<double>(args.k) /
                            (share_of_peak * queue.device.peak_per_cycle("memory", 18) * units);
    const unsigned forced = std::min(forced_splits, passes);
    for (unsigned wanted = std::max(1u, forced); wanted <= (forced > 0 ? forced : most); ++wanted) {
      const unsigned own_passes = blocks_for(passes, wanted), needed = blocks_for(passes, own_passes);
      const double shared = needed > 1 ? of_sharing + of_partial_row * needed * static_cast<double>(args.m) : 0;
      const double expected = fixed + std::hypot(of_pass * own_passes * waves, streamed) + shared;
      if (expected < cycles) cycles = expected, splits = needed, block_depth = pass * own_passes;
    }
  }
  /// A ticket for each range of columns, before the partial sums.
  std::size_t ticket_bytes() const { return (column_blocks * sizeof(unsigned) + 127) / 128 * 128; }
};

bool is_for(std::size_t m, std::size_t n, bool b_transposed) { return m <= max_rows && n >= vector && !b_transposed; }

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, unsigned splits) {
  if (args.c.empty() || args.k == 0) return 0;
  const Plan plan(queue, args, splits);
  return plan.splits > 1 ? plan.ticket_bytes() + plan.splits * args.m * args.n * sizeof(float) : 0;
}

/// Requires is_for(), and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned splits) {
  if (finish_if_empty(queue, args)) return;
  const Plan plan(queue, args, splits);
  const Operand a = operand_a(args), b = operand_b(args);
  const Problem problem{a.data,
                        b.data,
                        a.rows,
                        b.columns,
                        b.rows,
                        plan.block_columns,
                        plan.block_depth,
                        reinterpret_cast<unsigned*>(queue.workspace.data()),
                        reinterpret_cast<float*>(queue.workspace.data() + plan.ticket_bytes())};
  with_constant<1, 2>(blocks_for(args.m, fragment_rows), [&]<unsigned fragments>() {
    launch(args.bf16 ? gemm_kernel<true, fragments> : gemm_kernel<false, fragments>,
           dim3(plan.column_blocks, plan.splits), threads, 0, queue, problem, Output(args));
  });
}

std::size_t tuned_workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, static_cast<unsigned>(queue.tuning["splits"]));
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, static_cast<unsigned>(queue.tuning["splits"]));
}

double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  return args.c.empty() || args.k == 0 || !is_for(args.m, args.n, args.b_transposed)
             ? std::numeric_limits<double>::infinity()
             : Plan(queue, args, 0).cycles;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args) { return workspace_bytes(queue, args, 0); }

void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, 0); }

/// splits: of k, at most; 0: by shape. pdl: programmatic dependent launch.
Tuning tuning(int splits, int pdl = 1) { return {{{"splits", splits}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "up to 16 rows, B not transposed: 16-byte loads read B once at any alignment, straight into the fragments "
            "of mma.sync; split-K in one launch",
    .bound_by = "memory bandwidth",
    .improves = "skinny",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(4), tuning(8), tuning(16)},
    .applies =
        [](const Point& point) {
          const auto [m, n, k] = shape_of(point);
          return is_for(m, n, point.word("layout") == "tn");
        },
    .workspace = tuned_workspace,
    .launch = launch_tuned,
    .instructions = {{"HMMA.16816.F32", 16}, {"LDG.E.128", 8}},
#endif
}};

}  // namespace matmul_f16_few_rows
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
