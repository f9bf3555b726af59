// Short sums by fp32 multiply-adds: a block widens the operands of its tile of C into shared memory, and a warp
// computes whole rows of the tile, so that neighbouring lanes store neighbouring elements. Neither TMA nor matrix units
// nor copies of misaligned operands. Any shape and alignment. Bound by stores of C, from some 30 steps of k on by
// multiply-adds; tiny products by launch and latency.
#include <bit>
#include <limits>
#include <span>

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_small_k {

constexpr unsigned lanes = 32, row_groups = 4, threads = lanes * row_groups;

/// A block's tile of C: rows and columns of a thread, and the elements along k that are in shared memory at once, a
/// power of two.
template <unsigned rows_of_thread, unsigned columns_of_thread, unsigned steps>
struct Tile {
  static constexpr unsigned thread_rows = rows_of_thread, thread_columns = columns_of_thread;
  static constexpr unsigned rows = row_groups * thread_rows, columns = lanes * thread_columns;
  static constexpr unsigned k_steps = steps;
};
using WideTile = Tile<8, 4, 32>;     // 32 x 128
using NarrowTile = Tile<16, 2, 32>;  // 64 x 64
using TinyTile = Tile<2, 2, 64>;     // 8 x 64: more blocks, each of which takes less time

/// `count` adjacent values, one load or store.
template <class T, unsigned count>
struct alignas(sizeof(T) * count) Packed {
  T of[count];
};

/// Operands in shared memory, a row for each step of k. Padding keeps vectors aligned, and spreads writes along k over
/// the banks.
template <class Tile>
struct alignas(16) SharedOperands {
  float a[Tile::k_steps][Tile::rows + 4];
  float b[Tile::k_steps][Tile::columns + 2];
};

constexpr unsigned line = 64;  // elements

/// Prefetches a tile of whole rows, which lie one behind the other.
__device__ inline void prefetch_rows(const Operand& from, unsigned first, unsigned count) {
  const std::size_t end = std::size_t{std::min(first + count, from.rows)} * from.pitch;
#pragma unroll 1
  for (std::size_t i = std::size_t{first} * from.pitch + line * threadIdx.x; i < end; i += line * threads)
    prefetch_to_l2(from.data + i);
}

/// Prefetches columns of the first rows, `rows` at most.
template <unsigned columns>
__device__ void prefetch_columns(const Operand& from, unsigned rows, unsigned first) {
  constexpr unsigned pieces = 4;
  static_assert(columns <= (pieces - 1) * line);
  const unsigned last = std::min(first + columns, from.columns) - 1;
  const unsigned column = std::min(first + threadIdx.x % pieces * line, last);
#pragma unroll 1
  for (unsigned row = threadIdx.x / pieces; row < std::min(rows, from.rows); row += threads / pieces)
    prefetch_to_l2(from.data + std::size_t{row} * from.pitch + column);
}

/// Loads that a thread has in flight, where a block makes up to `loads` for an operand.
constexpr unsigned loads_in_flight(unsigned loads) { return std::min(16u, loads / threads); }

/// Calls store(r, bits) with what lies at `column` of row first_row + r, for the thread's rows r of `count`: `own`, and
/// every `stride`-th from there. `unroll` loads are in flight; past the matrix they load its last row or column,
/// because predicated loads would serialise. No stored element of C depends on those.
template <unsigned unroll, class Bits, class Store>
__device__ void copy_rows(const Operand& from, unsigned first_row, unsigned column, unsigned own, unsigned stride,
                          unsigned count, Store store) {
  constexpr unsigned width = sizeof(Bits) / sizeof(std::uint16_t);
  const auto* const data = reinterpret_cast<const std::byte*>(from.data + std::min(column, from.columns - width));
  const unsigned pitch_bytes = from.pitch * sizeof(std::uint16_t);
#pragma unroll 1
  for (unsigned r = own; r < count; r += unroll * stride) {
    Bits loaded[unroll];
#pragma unroll
    for (unsigned j = 0; j < unroll; ++j) {
      const unsigned row = std::min(first_row + r + j * stride, from.rows - 1);
      loaded[j] = *reinterpret_cast<const Bits*>(data + std::size_t{row} * pitch_bytes);
    }
    if (r + (unroll - 1) * stride < count) {  // predicates would compute each shared address anew
#pragma unroll
      for (unsigned j = 0; j < unroll; ++j) store(r + j * stride, loaded[j]);
    } else {
#pragma unroll
      for (unsigned j = 0; j < unroll; ++j)
        if (r + j * stride < count) store(r + j * stride, loaded[j]);
    }
  }
}

/// Rounds to an output of the operands' type.
template <bool bf16>
__device__ Packed<std::uint16_t, 2> rounded(float first, float second) {
#if CROSSWARP_HAS_PTX
  return __builtin_bit_cast(Packed<std::uint16_t, 2>, Output::packed<bf16>(first, second));
#else
  if constexpr (bf16)
    return {to_bfloat16(first).bits, to_bfloat16(second).bits};
  else
    return {to_half(first).bits, to_half(second).bits};
#endif
}

/// width: adjacent columns of a lane, 2 where rows of C are even. k_shift: 2^k_shift threads load from a row along k,
/// as many as it has elements, up to k_steps.
template <bool bf16, bool b_transposed, unsigned width, class Tile>
__global__ void __launch_bounds__(threads, 5)
    gemm_kernel(Operand a, Operand b, Output c, unsigned column_tiles, unsigned k_shift, bool prefetch) {
  using Element = std::conditional_t<bf16, Bfloat16, Half>;
  constexpr unsigned thread_rows = Tile::thread_rows, thread_columns = Tile::thread_columns, k_steps = Tile::k_steps;
  constexpr unsigned pieces = thread_columns / width, vector = thread_rows < 4 ? thread_rows : 4;
  __shared__ SharedOperands<Tile> shared;
  const unsigned first_row = blockIdx.x / column_tiles * Tile::rows;
  const unsigned first_column = blockIdx.x % column_tiles * Tile::columns;
  if (prefetch) {
    prefetch_rows(a, first_row, Tile::rows);
    if constexpr (b_transposed)
      prefetch_rows(b, first_column, Tile::columns);
    else
      prefetch_columns<Tile::columns>(b, k_steps, first_column);
  }
  grid_dependency_wait();

  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
  float sums[thread_rows][thread_columns] = {};
  for (unsigned first = 0; first < a.columns; first += k_steps) {
    const unsigned steps = std::min(k_steps, a.columns - first);
    const auto copy_along_k = [&]<unsigned rows>(const Operand& from, unsigned first_row_of_tile, auto& to) {
      const unsigned step = threadIdx.x & ((1u << k_shift) - 1);
      float* const own = to[step];
      copy_rows<loads_in_flight(rows * k_steps), std::uint16_t>(
          from, first_row_of_tile, first + step, threadIdx.x >> k_shift, threads >> k_shift, rows,
          [&](unsigned row, std::uint16_t bits) { own[row] = widened(Element{bits}); });
    };
    if (first > 0) __syncthreads();  // all warps have multiplied
    copy_along_k.template operator()<Tile::rows>(a, first_row, shared.a);
    if constexpr (b_transposed) {
      copy_along_k.template operator()<Tile::columns>(b, first_column, shared.b);
    } else {
      constexpr unsigned per_row = Tile::columns / width;
      const unsigned column = threadIdx.x % per_row * width;
      copy_rows<loads_in_flight(per_row * k_steps), Packed<std::uint16_t, width>>(
          b, first, first_column + column, threadIdx.x / per_row, threads / per_row, steps,
          [&](unsigned step, const Packed<std::uint16_t, width>& bits) {
            Packed<float, width> values;
#pragma unroll
            for (unsigned i = 0; i < width; ++i) values.of[i] = widened(Element{bits.of[i]});
            *reinterpret_cast<Packed<float, width>*>(&shared.b[step][column]) = values;
          });
    }
    __syncthreads();

#pragma unroll 4
    for (unsigned step = 0; step < steps; ++step) {
      Packed<float, vector> of_a[thread_rows / vector];
      Packed<float, width> of_b[pieces];
#pragma unroll
      for (unsigned i = 0; i < thread_rows / vector; ++i)  // the same for all lanes
        of_a[i] = *reinterpret_cast<const Packed<float, vector>*>(&shared.a[step][group * thread_rows + i * vector]);
#pragma unroll
      for (unsigned i = 0; i < pieces; ++i)
        of_b[i] = *reinterpret_cast<const Packed<float, width>*>(&shared.b[step][(i * lanes + lane) * width]);
#pragma unroll
      for (unsigned row = 0; row < thread_rows; ++row)
#pragma unroll
        for (unsigned i = 0; i < thread_columns; ++i)
          sums[row][i] += of_a[row / vector].of[row % vector] * of_b[i / width].of[i % width];
    }
  }

  launch_dependents();
  const auto store = [&]<class Out>(Out* data, auto convert) {
    const unsigned row = first_row + group * thread_rows, column = first_column + lane * width;
    Out* to = data + std::size_t{row} * c.columns + column;
#pragma unroll
    for (unsigned r = 0; r < thread_rows; ++r, to += c.columns) {
      if (row + r >= c.rows) return;
#pragma unroll
      for (unsigned i = 0; i < pieces; ++i)
        if (column + i * lanes * width < c.columns) {
          const Packed<Out, 2> pair = convert(sums[r][i * width], sums[r][i * width + width - 1]);
          if constexpr (width == 2)
            *reinterpret_cast<Packed<Out, 2>*>(to + i * lanes * width) = pair;
          else
            to[i * lanes] = pair.of[0];
        }
    }
  };
  if (c.is_f32)
    store(static_cast<float*>(c.data), [](float first, float second) { return Packed<float, 2>{first, second}; });
  else
    store(static_cast<std::uint16_t*>(c.data), rounded<bf16>);
}

template <class Tile>
std::size_t blocks_of(const MatmulF16::Args& args) {
  return std::size_t{blocks_for(args.m, Tile::rows)} * blocks_for(args.n, Tile::columns);
}

/// Each of a multiprocessor's four schedulers has a warp of every block and issues an instruction a cycle: for each
/// step of k a thread's multiply-adds, its loads from shared memory and its share of the copies there; then its stores.
/// Latencies are those of an H200.
template <class Tile>
double cycles_of(const DeviceInfo& device, const MatmulF16::Args& args) {
  constexpr double rows = Tile::thread_rows, columns = Tile::thread_columns;
  constexpr double copied = 1.0 * (Tile::rows + Tile::columns) / threads, copy = 8;
  constexpr double multiply = rows * columns + std::max(1.0, rows / 4) + columns + 1;
  constexpr double block_cycles = 150, launch_cycles = 3600, issue_efficiency = 0.8;
  constexpr double first_load_cycles = 700, load_cycles = 1900;  // the first k-tile is on its way to L2 before
  const double stores = rows * (3 + 2 * columns / (args.n % 2 == 0 ? 2 : 1));
  const auto k = static_cast<double>(args.k);
  const double block = (k * multiply + copy * copied * std::max(k, 16.0) + stores + block_cycles) / issue_efficiency;
  const std::size_t blocks = blocks_of<Tile>(args);
  const unsigned units = std::max(1, device.compute_units);
  const double issued = blocks_for(blocks, units) * block;
  const double m = static_cast<double>(args.m), n = static_cast<double>(args.n);
  const double bytes = 2 * k * (m + n) + (args.f32_out ? 4 : 2) * m * n;
  const double moved = bytes / (device.peak_per_cycle("memory", 18) * units);
  const double loads = first_load_cycles + (blocks_for(args.k, Tile::k_steps) - 1) * load_cycles;
  // The shorter of the two is not fully hidden.
  return launch_cycles + loads + std::max(issued, moved) + std::min(issued, moved) / 4;
}

template <class Tile>
void launch_tile(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const unsigned column_tiles = blocks_for(args.n, Tile::columns);
  const int k_shift = std::bit_width(std::min<std::size_t>(args.k, Tile::k_steps) - 1);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(args.n % 2 == 0 ? gemm_kernel<bf16, b_transposed, 2, Tile> : gemm_kernel<bf16, b_transposed, 1, Tile>,
           static_cast<unsigned>(blocks_of<Tile>(args)), threads, 0, queue, operand_a(args), operand_b(args),
           Output(args), column_tiles, k_shift, queue.pdl);
  });
}

struct Plan {
  double cycles;
  void (*launch)(const Queue&, const MatmulF16::Args&);
};

template <class Tile>
Plan plan_of(const Queue& queue, const MatmulF16::Args& args) {
  return {cycles_of<Tile>(queue.device, args), launch_tile<Tile>};
}

/// More tiny blocks take longer than the model says.
bool are_few_tiny_blocks(const Queue& queue, const MatmulF16::Args& args) {
  constexpr std::size_t most = 3;  // of a multiprocessor
  return blocks_of<TinyTile>(args) <= most * static_cast<std::size_t>(std::max(1, queue.device.compute_units));
}

/// The tile's. Of tile 0 the fastest by the model; among equals the wide one: a row of it is more of a line of C.
Plan plan(const Queue& queue, const MatmulF16::Args& args, unsigned tile) {
  constexpr double equal = 1.02;
  const Plan plans[tiles] = {plan_of<WideTile>(queue, args), plan_of<NarrowTile>(queue, args),
                             plan_of<TinyTile>(queue, args)};
  if (tile > 0) return plans[tile - 1];
  Plan best = plans[0];
  for (const Plan& other : std::span(plans).subspan(1, are_few_tiny_blocks(queue, args) ? 2 : 1))
    if (equal * other.cycles < best.cycles) best = other;
  return best;
}

double expected_cycles(const Queue& queue, const MatmulF16::Args& args, unsigned tile) {
  constexpr double measured = 1.05;  // over expected, of 256 random products on an H100
  if (tile == tiles && !are_few_tiny_blocks(queue, args)) return std::numeric_limits<double>::infinity();
  return measured * plan(queue, args, tile).cycles;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned tile) {
  plan(queue, args, tile).launch(queue, args);
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, static_cast<unsigned>(queue.tuning["tile"]));
}

/// tile 0: the cost model chooses. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }

const Register<MatmulF16> variant{{
    .idea = "fp32 multiply-adds from small tiles of widened operands, of any alignment, C stored along rows",
    .bound_by = "stores of C; from some 30 steps of k on multiply-adds",
    .improves = "naive",
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3)},
    .tuned_by_table = true,
    .launch = launch_tuned,
}};

}  // namespace matmul_f16_small_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
