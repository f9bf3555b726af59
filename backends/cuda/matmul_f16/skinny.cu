// Skinny GEMM: C with at most 64 rows or 64 columns. The large operand is streamed from memory once, through a ring of
// cp.async stages, and is the M side of mma.sync: 16 of its rows or columns an instruction. The small operand is the N
// side, 8 rows or columns at a time (swapped operands), so that a side of 8 wastes nothing. Split-K or stream-K in one
// launch: the last block to finish a strip adds the partial sums. Any shape and alignment. Bound by memory bandwidth.
#include <algorithm>
#include <bit>
#include <limits>

#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/skinny.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_skinny {

#if CROSSWARP_HAS_PTX
constexpr unsigned max_side = 64;       // of C
constexpr std::size_t few_steps = 256;  // of k
constexpr unsigned warps = 4, threads = 128;
constexpr unsigned blocks_per_unit = 2;        // resident on one of Hopper's multiprocessors
constexpr unsigned max_ring_bytes = 96 << 10;  // in the shared memory of any GPU from Ampere on; two rings on Hopper

/// A block's tile: `rows` of the streamed operand, a strip, by all of the small one, rounded up to `columns`. Where B
/// is streamed, rows of the tile are columns of C.
template <unsigned columns_, unsigned rows_>
struct Tile {
  static constexpr unsigned columns = columns_, rows = rows_, warp_rows = rows / warps;
  static constexpr unsigned row_fragments = warp_rows / 16, column_fragments = columns / 8;
  static constexpr unsigned stages = max_ring_bytes / ((rows + columns) * row_bytes);
  using Ring = OperandRing<rows, columns, stages>;
  using Accumulators = float[row_fragments][column_fragments][4];
};

/// Operands whose rows in memory run along k, as those of A and of a transposed B.
enum class KMajor { both, small, streamed };

/// As swizzled(), for rows of 1, 2, 4 or 8 chunks.
template <unsigned chunks>
__device__ constexpr unsigned swizzled_chunk(unsigned row, unsigned chunk) {
  return (row * chunks + (chunk ^ row / (8 / chunks) % chunks)) * 16;
}

__device__ inline void store_shared(unsigned to, std::uint32_t word) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}

/// Loads `rows` rows of `chunks` 16-byte chunks, from (`row`, `column`) on, both even; zeros outside. By cp.async: the
/// caller commits and waits. Rows that are not aligned take copies of 4 bytes. Where the pitch is odd, every other row
/// begins off 4 bytes, and takes plain loads and stores; so do all rows of the last k-tile, whose last pair is half
/// one.
template <unsigned rows, unsigned chunks>
__device__ void load_chunks(unsigned to_shared, const Operand& from, unsigned row, unsigned column) {
  if (from.is_aligned()) {
    constexpr unsigned count = rows * chunks;
    static_assert(count < threads || count % threads == 0);
    if (count < threads && threadIdx.x >= count) return;
#pragma unroll
    for (unsigned j = 0; j < std::max(1u, count / threads); ++j) {
      const unsigned i = j * threads + threadIdx.x, chunk = i % chunks;
      const unsigned r = row + i / chunks, c = column + 8 * chunk;
      const bool is_inside = r < from.rows && c < from.columns;
      cp_async<16>(to_shared + swizzled_chunk<chunks>(i / chunks, chunk),
                   is_inside ? from.data + std::size_t{r} * from.pitch + c : from.data, is_inside);
    }
    return;
  }
  constexpr unsigned pairs = 4 * chunks, own_rows = rows * pairs / threads;  // of a thread
  static_assert(own_rows % 2 == 0);
  const unsigned first = threadIdx.x / pairs * own_rows, end = first + own_rows;
  const unsigned pair = threadIdx.x % pairs, c = column + 2 * pair;
  const auto to = [&](unsigned r) { return to_shared + swizzled_chunk<chunks>(r, pair / 4) + pair % 4 * 4; };
  const bool has_whole_pairs = from.columns % 2 == 0 || column + 8 * chunks <= from.columns;
  if (has_whole_pairs) {
    const unsigned step = from.pitch % 2 == 0 ? 1 : 2;
#pragma unroll 4
    for (unsigned r = first; r < end; r += step) {
      const bool is_inside = row + r < from.rows && c < from.columns;
      cp_async<4>(to(r), is_inside ? from.data + std::size_t{row + r} * from.pitch + c : from.data, is_inside);
    }
    if (step == 1) return;
  }
  constexpr unsigned batch = std::min(16u, own_rows / 2);  // of pairs in flight
  const unsigned step = has_whole_pairs ? 2 : 1;
#pragma unroll 1
  for (unsigned r = first + step - 1; r < end; r += batch * step) {
    std::uint32_t loaded[batch];
#pragma unroll
    for (unsigned j = 0; j < batch; ++j)
      loaded[j] = from.element(row + r + j * step, c) | std::uint32_t{from.element(row + r + j * step, c + 1)} << 16;
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) store_shared(to(r + j * step), loaded[j]);
  }
}

/// Loads the k-tile at `k` of a strip and of the small operand: in rows along k, or else in 64 rows of one step of k
/// each; such a strip in panels of 64 columns.
template <KMajor k_major, class Tile>
__device__ void load_k_tile(unsigned to_streamed, unsigned to_small, const Operand& streamed, const Operand& small,
                            unsigned strip, unsigned k) {
  if constexpr (k_major != KMajor::small)
    load_chunks<Tile::rows, 8>(to_streamed, streamed, strip * Tile::rows, k);
  else
#pragma unroll
    for (unsigned panel = 0; panel < Tile::rows / row_elements; ++panel)
      load_chunks<tile_k, 8>(to_streamed + panel * tile_k * row_bytes, streamed, k,
                             strip * Tile::rows + panel * row_elements);
  if constexpr (k_major != KMajor::streamed)
    load_chunks<Tile::columns, 8>(to_small, small, 0, k);
  else
    load_chunks<tile_k, Tile::columns / 8>(to_small, small, k, 0);
}

/// Prefetches a strip's k-tile into L2.
template <KMajor k_major, class Tile>
__device__ void prefetch_k_tile(const Operand& streamed, unsigned strip, unsigned k) {
  const unsigned i = threadIdx.x, first = strip * Tile::rows;
  const unsigned row = k_major != KMajor::small ? first + i : k + i % tile_k;
  const unsigned column = k_major != KMajor::small ? k : first + i / tile_k * row_elements;
  if (i < Tile::rows && row < streamed.rows && column < streamed.columns)
    prefetch_to_l2(streamed.data + std::size_t{row} * streamed.pitch + column);
}

/// Multiplies a warp's rows of a k-tile, in two halves of 32 along k. One ldmatrix loads 16 x 16 of the streamed
/// operand (both halves of the rows, then of k) or 8 x 32 of the small one (along k).
template <bool bf16, KMajor k_major, class Tile>
__device__ void mma_k_tile(typename Tile::Accumulators& accumulators, unsigned streamed, unsigned small) {
  const unsigned lane = threadIdx.x % warp_size(), matrix = lane / 8, i = lane % 8;
  const unsigned warp_row = threadIdx.x / warp_size() * Tile::warp_rows;
#pragma unroll
  for (unsigned half = 0; half < tile_k / 32; ++half) {
    std::uint32_t fragments_a[2][Tile::row_fragments][4], fragments_b[Tile::column_fragments][4];
#pragma unroll
    for (unsigned c = 0; c < Tile::column_fragments; ++c)
      if constexpr (k_major != KMajor::streamed)
        ldmatrix_x4<false>(fragments_b[c], small + swizzled(8 * c + i, 4 * half + matrix));
      else
        ldmatrix_x4<true>(fragments_b[c], small + swizzled_chunk<Tile::columns / 8>(32 * half + 8 * matrix + i, c));
#pragma unroll
    for (unsigned step = 0; step < 2; ++step)
#pragma unroll
      for (unsigned r = 0; r < Tile::row_fragments; ++r) {
        const unsigned row = warp_row + 16 * r, k = 32 * half + 16 * step;
        if constexpr (k_major != KMajor::small)
          ldmatrix_x4<false>(fragments_a[step][r], streamed + swizzled(row + 8 * (matrix % 2) + i, k / 8 + matrix / 2));
        else  // in a panel of 64 columns
          ldmatrix_x4<true>(fragments_a[step][r],
                            streamed + row / row_elements * tile_k * row_bytes +
                                swizzled(k + 8 * (matrix / 2) + i, row % row_elements / 8 + matrix % 2));
      }
#pragma unroll
    for (unsigned step = 0; step < 2; ++step)
#pragma unroll
      for (unsigned r = 0; r < Tile::row_fragments; ++r)
#pragma unroll
        for (unsigned c = 0; c < Tile::column_fragments; ++c)
          mma_m16n8k16<bf16>(accumulators[r][c], fragments_a[step][r], fragments_b[c][2 * step],
                             fragments_b[c][2 * step + 1]);
  }
}

/// K-tiles begin … end of a strip, which blocks first … last share.
struct WorkUnit {
  unsigned strip, begin, end, first, last;

  __device__ bool is_shared() const { return first != last; }
};

/// Stream-K: the k-tiles of all strips are one sequence of iterations, cut into an equal range per block. Split-K where
/// the blocks are a multiple of the strips.
struct Schedule {
  unsigned strips, k_tiles, blocks;

  __host__ __device__ std::uint64_t iterations() const { return std::uint64_t{strips} * k_tiles; }
  /// The first iteration of a block.
  __device__ std::uint64_t first_of(unsigned block) const { return iterations() * block / blocks; }
  /// The block of an iteration.
  __device__ unsigned block_of(std::uint64_t iteration) const {
    return static_cast<unsigned>(((iteration + 1) * blocks - 1) / iterations());
  }
  /// The work from an iteration on, up to the end of its strip or to `stop`.
  __device__ WorkUnit unit(std::uint64_t iteration, std::uint64_t stop) const {
    const auto strip = static_cast<unsigned>(iteration / k_tiles), begin = static_cast<unsigned>(iteration % k_tiles);
    const std::uint64_t left = stop - iteration, first = iteration - begin;
    const unsigned end = left < k_tiles - begin ? begin + static_cast<unsigned>(left) : k_tiles;
    return {strip, begin, end, block_of(first), block_of(first + k_tiles - 1)};
  }
};

/// Partial sums of shared strips, in the workspace. A block begins at most one shared strip and continues at most one
/// that another block began: two slots per block.
template <class Tile>
struct PartialSums {
  static constexpr unsigned vectors = Tile::row_fragments * Tile::column_fragments;  // of 16 bytes, per thread

  unsigned* finished;  ///< One per strip; 0 before and after every launch.
  float4* sums;

  static std::size_t ticket_bytes(const Schedule& schedule) {
    return (schedule.strips * sizeof(unsigned) + 127) / 128 * 128;
  }
  static std::size_t bytes(const Schedule& schedule) {
    if (schedule.strips % schedule.blocks == 0) return 0;  // whole strips
    return ticket_bytes(schedule) + std::size_t{2} * schedule.blocks * vectors * threads * sizeof(float4);
  }
  /// `workspace` is aligned to 128 bytes, and was zeroed once.
  PartialSums(std::span<std::byte> workspace, const Schedule& schedule)
      : finished(reinterpret_cast<unsigned*>(workspace.data())),
        sums(reinterpret_cast<float4*>(workspace.data() + ticket_bytes(schedule))) {}

  /// The calling thread's part of a block's slot.
  __device__ float4* slot(unsigned block, bool begins_strip) const {
    return sums + std::size_t{2 * block + begins_strip} * (vectors * threads) + threadIdx.x;
  }
};

/// Fix-up of a shared strip: stores the calling block's accumulators to its slot. Returns true in the last block to
/// finish, whose accumulators are then the sum over all blocks, added in their order: results do not depend on timing.
/// Loads of `batch` blocks are in flight; past the last block they load that one again, because predicated loads would
/// serialise.
template <class Tile>
__device__ bool reduce_partials(const PartialSums<Tile>& partials, const WorkUnit& unit,
                                typename Tile::Accumulators& accumulators) {
  constexpr unsigned vectors = PartialSums<Tile>::vectors, batch = vectors > 8 ? 2 : 4;
  auto& sums = reinterpret_cast<float(&)[vectors][4]>(accumulators);
  float4* const own = partials.slot(blockIdx.x, blockIdx.x == unit.first);
#pragma unroll
  for (unsigned v = 0; v < vectors; ++v) own[v * threads] = make_float4(sums[v][0], sums[v][1], sums[v][2], sums[v][3]);
  if (!is_last_block<Writers::all_threads>(partials.finished + unit.strip, unit.last - unit.first + 1)) return false;
#pragma unroll
  for (unsigned v = 0; v < vectors; ++v)
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) sums[v][i] = 0;
#pragma unroll 1
  for (unsigned block = unit.first; block <= unit.last; block += batch) {
    float4 loaded[batch][vectors];
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      const unsigned from = std::min(block + j, unit.last);
      const float4* const slot = partials.slot(from, from == unit.first);
#pragma unroll
      for (unsigned v = 0; v < vectors; ++v) loaded[j][v] = load_coherent(slot + v * threads);
    }
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      if (block + j > unit.last) break;
#pragma unroll
      for (unsigned v = 0; v < vectors; ++v) {
        const float4& sum = loaded[j][v];
        sums[v][0] += sum.x, sums[v][1] += sum.y, sums[v][2] += sum.z, sums[v][3] += sum.w;
      }
    }
  }
  return true;
}

/// Stores 16 rows of a warp's tile, which are columns of C.
template <bool bf16, unsigned fragments>
__device__ void store_transposed(const Output& c, unsigned first_column, const float (&accumulators)[fragments][4]) {
  const unsigned lane = threadIdx.x % warp_size();
  const auto store = [&]<class Element>(Element* data, auto convert) {
#pragma unroll
    for (unsigned f = 0; f < fragments; ++f)
#pragma unroll
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned row = 8 * f + lane % 4 * 2, column = first_column + lane / 4 + 8 * h;
        const Pair<Element> pair = convert(accumulators[f][2 * h], accumulators[f][2 * h + 1]);
        Element* const to = data + std::size_t{row} * c.columns + column;
        if (column < c.columns && row < c.rows) to[0] = pair.first;
        if (column < c.columns && row + 1 < c.rows) to[c.columns] = pair.second;
      }
  };
  if (c.is_f32)
    store(static_cast<float*>(c.data), [](float first, float second) { return Pair<float>{first, second}; });
  else
    store(static_cast<std::uint16_t*>(c.data), [](float first, float second) {
      return __builtin_bit_cast(Pair<std::uint16_t>, Output::packed<bf16>(first, second));
    });
}

/// streams_a: the streamed operand is A. prefetch: its first k-tiles into L2, while the launch before runs.
template <bool bf16, KMajor k_major, class Tile>
__global__ void __launch_bounds__(threads, blocks_per_unit)
    gemm_kernel(Operand streamed, Operand small, Schedule schedule, PartialSums<Tile> partials, Output c,
                bool streams_a, bool prefetch) {
  constexpr unsigned stages = Tile::stages;
  const typename Tile::Ring ring{shared_address(dynamic_shared<std::byte>())};
  std::uint64_t iteration = schedule.first_of(blockIdx.x);
  const std::uint64_t stop = schedule.first_of(blockIdx.x + 1);

  // The next k-tile to load, and how many are left. Loads run ahead across strips.
  auto strip = static_cast<unsigned>(iteration / schedule.k_tiles);
  auto k_tile = static_cast<unsigned>(iteration % schedule.k_tiles);
  auto left = static_cast<unsigned>(stop - iteration);
  if (prefetch)
#pragma unroll 1
    for (unsigned ahead = 0; ahead < std::min(left, stages - 1); ++ahead)
      prefetch_k_tile<k_major, Tile>(streamed, strip, (k_tile + ahead) * tile_k);
  grid_dependency_sync();
  const auto load = [&](unsigned stage) {
    if (left > 0) {
      constexpr unsigned distance = 4;  // k-tiles; for plain loads, which wait
      if (streamed.pitch % 2 != 0) prefetch_k_tile<k_major, Tile>(streamed, strip, (k_tile + distance) * tile_k);
      load_k_tile<k_major, Tile>(ring.a(stage), ring.b(stage), streamed, small, strip, k_tile * tile_k);
      --left;
      if (++k_tile == schedule.k_tiles) {
        k_tile = 0;
        ++strip;
      }
    }
    cp_async_commit_group();  // an empty group keeps the count
  };
#pragma unroll 1
  for (unsigned stage = 0; stage + 1 < stages; ++stage) load(stage);

  PipelineState state;
  unsigned previous = stages - 1;  // stage
#pragma unroll 1
  while (iteration < stop) {
    const WorkUnit unit = schedule.unit(iteration, stop);
    iteration += unit.end - unit.begin;
    typename Tile::Accumulators accumulators = {};
#pragma unroll 1
    for (unsigned i = unit.begin; i < unit.end; ++i) {
      cp_async_wait_group<stages - 2>();
      __syncthreads();  // all threads have loaded this stage, all warps have read the previous one
      load(previous);
      mma_k_tile<bf16, k_major, Tile>(accumulators, ring.a(state.index), ring.b(state.index));
      previous = state.index;
      state.advance(stages);
    }
    if (unit.is_shared() && !reduce_partials<Tile>(partials, unit, accumulators)) continue;
    const unsigned first = unit.strip * Tile::rows + threadIdx.x / warp_size() * Tile::warp_rows;
    const bool are_rows_of_c = k_major == KMajor::both ? streams_a : k_major == KMajor::streamed;
#pragma unroll
    for (unsigned r = 0; r < Tile::row_fragments; ++r)
      if (are_rows_of_c)
        c.store_fragment<bf16>(first + 16 * r, 0, reinterpret_cast<const float(&)[Tile::columns / 2]>(accumulators[r]));
      else
        store_transposed<bf16>(c, first + 16 * r, accumulators[r]);
  }
}

struct Config {
  unsigned blocks = 0;  ///< Of stream-K, per multiprocessor; 0: split-K where all strips are resident.
  unsigned rows = 0;    ///< Of a strip where the small side is 17 to 32; 0: by shape.
};

/// Split-K where all strips are resident at once: the fewest splits that give every multiprocessor a block, since one
/// block adds all partial sums of a strip. Stream-K of the resident blocks otherwise.
template <class Tile>
Schedule schedule_of(const Queue& queue, const MatmulF16::Args& args, const Config& config) {
  // Partial sums, written and read, are at most a quarter of the bytes that a share streams.
  constexpr unsigned least_k_tiles = std::max(4u, Tile::columns / 4);
  const auto units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
  Schedule schedule{blocks_for(std::max(args.m, args.n), Tile::rows), blocks_for(args.k, tile_k), 1};
  if (config.blocks == 0 && schedule.strips <= blocks_per_unit * units) {
    const unsigned splits = std::min(blocks_for(units, schedule.strips), schedule.k_tiles / least_k_tiles);
    schedule.blocks = schedule.strips * std::max(1u, splits);
  } else {
    const unsigned resident = (config.blocks > 0 ? config.blocks : blocks_per_unit) * units;
    const std::uint64_t most = std::max<std::uint64_t>(1, schedule.iterations() / least_k_tiles);
    schedule.blocks = static_cast<unsigned>(std::min<std::uint64_t>(resident, most));
  }
  return schedule;
}

/// Rows of a strip. Wide strips load the small operand from L2 less often; narrow ones take fewer splits, whose partial
/// sums one block adds, and with few k-tiles more blocks begin at once.
unsigned strip_rows(const Queue& queue, const MatmulF16::Args& args, const Config& config, unsigned columns) {
  constexpr unsigned narrow = 64, wide = 128, most_blocks_of_wide = 4;
  if (columns != 32) return columns < 32 ? narrow : wide;
  if (config.rows > 0) return config.rows;
  const unsigned strips = blocks_for(std::max(args.m, args.n), wide);
  if (args.k <= few_steps) return narrow;
  return strips * most_blocks_of_wide < static_cast<unsigned>(queue.device.compute_units) ? narrow : wide;
}

/// Calls `use` with the tile: `[&]<class Tile>()`.
template <class Use>
void with_tile(const Queue& queue, const MatmulF16::Args& args, const Config& config, Use&& use) {
  const std::size_t side = std::max<std::size_t>(8, std::bit_ceil(std::min(args.m, args.n)));
  with_constant<8, 16, 32, max_side>(static_cast<std::int64_t>(side), [&]<unsigned columns>() {
    with_constant<64, 128>(strip_rows(queue, args, config, columns), [&]<unsigned rows>() {
      if constexpr (columns == 32 || rows == (columns < 32 ? 64 : 128)) use.template operator()<Tile<columns, rows>>();
    });
  });
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, const Config& config) {
  std::size_t bytes = 0;
  with_tile(queue, args, config,
            [&]<class Tile>() { bytes = PartialSums<Tile>::bytes(schedule_of<Tile>(queue, args, config)); });
  return bytes;
}

/// Requires a side of C of 64 or less, and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF16::Args& args, const Config& config) {
  if (finish_if_empty(queue, args)) return;
  const bool streams_a = args.m > args.n;
  const Operand streamed = streams_a ? operand_a(args) : operand_b(args);
  const Operand small = streams_a ? operand_b(args) : operand_a(args);
  with_tile(queue, args, config, [&]<class Tile>() {
    const Schedule schedule = schedule_of<Tile>(queue, args, config);
    const PartialSums<Tile> partials(queue.workspace, schedule);
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      const auto start = [&](auto* kernel) {
        launch(kernel, schedule.blocks, threads, Tile::Ring::bytes, queue, streamed, small, schedule, partials,
               Output(args), streams_a, queue.pdl);
      };
      if constexpr (b_transposed)
        start(gemm_kernel<bf16, KMajor::both, Tile>);
      else if (streams_a)
        start(gemm_kernel<bf16, KMajor::streamed, Tile>);
      else
        start(gemm_kernel<bf16, KMajor::small, Tile>);
    });
  });
}

/// As fitted to an H100: a block's iterations wait for their slowest copies, those of single elements; blocks that
/// share a strip wait for each other's partial sums; the large operand comes at a share of memory's peak.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args, const Config& config) {
  constexpr double fixed = 4830, of_iteration = 310, of_copied_rows = 1390.0 / 64, of_columns = 1290.0 / 64;
  constexpr double of_pairs = 620.0 / 64, of_elements = 2780.0 / 64;  // for each column of the small operand
  constexpr double of_sharing = 3200, of_share = 280, share_of_peak = 0.76, exposed = 0.78;
  const auto units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
  const bool streams_a = args.m > args.n;
  const Operand streamed = streams_a ? operand_a(args) : operand_b(args);
  const Operand small = streams_a ? operand_b(args) : operand_a(args);
  double cycles = 0;
  with_tile(queue, args, config, [&]<class Tile>() {
    const Schedule schedule = schedule_of<Tile>(queue, args, config);
    const double iterations = blocks_for(schedule.iterations(), schedule.blocks);
    const double of_small = small.is_aligned() ? 0 : small.pitch % 2 == 0 ? of_pairs : of_elements;
    const double iteration = of_iteration + (of_columns + of_small) * Tile::columns +
                             (streamed.is_aligned() ? 0 : of_copied_rows * Tile::rows);
    const double shares = 1.0 * schedule.blocks / schedule.strips;
    const double computed = iterations * iteration * std::max(1.0, blocks_for(schedule.blocks, units) / 2.0) +
                            (shares > 1 ? of_sharing + of_share * (shares - 1) : 0);
    const double moved = sizeof(std::uint16_t) * static_cast<double>(streamed.rows) * streamed.columns /
                         (share_of_peak * queue.device.peak_per_cycle("memory", 18) * units);
    cycles = fixed + std::max(computed, moved) + exposed * std::min(computed, moved);
  });
  return cycles;
}

/// Where loads of single elements take long, all blocks share them equally.
Config config_for(const Queue& queue, const MatmulF16::Args& args) {
  constexpr Config split_k{}, stream_k{.blocks = blocks_per_unit};
  return expected_cycles(queue, args, stream_k) < expected_cycles(queue, args, split_k) ? stream_k : split_k;
}

double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  if (args.c.empty() || args.k == 0 || std::min(args.m, args.n) > max_side)
    return std::numeric_limits<double>::infinity();
  return expected_cycles(queue, args, config_for(queue, args));
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, config_for(queue, args));
}

void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, config_for(queue, args)); }

Config config_of_tuning(const Queue& queue) {
  return {static_cast<unsigned>(queue.tuning["blocks"]), static_cast<unsigned>(queue.tuning["rows"])};
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, config_of_tuning(queue));
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, config_of_tuning(queue));
}

/// blocks, rows: of Config. pdl: programmatic dependent launch.
Tuning tuning(int blocks, int rows, int pdl = 1) { return {{{"blocks", blocks}, {"rows", rows}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "C of at most 64 rows or columns: the large operand streamed once, the M side of mma.sync; split-K in one "
            "launch",
    .bound_by = "memory bandwidth",
    .improves = "mma_multistage",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0, 0), tuning(0, 0, 0), tuning(1, 0), tuning(2, 0), tuning(0, 64), tuning(0, 128)},
    .applies = [](const Point& point) { return std::min(point.integer("m"), point.integer("n")) <= max_side; },
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HMMA.16816.F32", 64}, {"LDSM.16.M88.4", 24}, {"LDSM.16.MT88.4", 16}, {"LDGSTS", 12}},
#endif
}};

}  // namespace matmul_f16_skinny
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
