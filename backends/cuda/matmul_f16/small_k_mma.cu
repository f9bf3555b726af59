// Short sums, of 8 to 128 steps of k, by mma.sync: a block copies all of k of both operands into shared memory at once,
// in 16-byte loads whatever the alignment of rows, and stores C along rows. Bound by stores of C; small products by
// launch and one trip to memory.
//
// Operands have no gaps between rows. Rows along k: a tile's rows are one contiguous range that begins at a multiple of
// 16 bytes. Rows along n: each row of a tile is loaded from the 16 bytes in which it begins to those in which it ends.
// Either way vectors are scattered to padded rows in shared memory, which ldmatrix reads without bank conflicts.
#include <array>
#include <cmath>
#include <limits>

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/vec.hpp"
#include "backends/cuda/matmul_f16/small_k_mma.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_small_k_mma {

#if CROSSWARP_HAS_PTX
constexpr unsigned vector = 8, least_k = vector, most_k = 128, mma_k = 16;  // elements
constexpr unsigned padding = 8;  // of rows along k in shared memory: an odd number of 16 bytes from one to the next
constexpr unsigned warp_rows = 2, warp_columns = 4, warps = warp_rows * warp_columns, threads = 32 * warps;
constexpr unsigned quotient_bits = 21;  // exact for positions in a tile of 128 rows of at most 128 elements

struct Problem {
  Operand a, b;
  unsigned column_tiles;
  unsigned inverse_k;  ///< 2^quotient_bits / k, rounded up.
};

/// A vector's place: in the operand, and in shared memory.
struct Place {
  bool is_valid;
  std::size_t index;  ///< In vectors.
  unsigned to;        ///< Of its first element.
  unsigned left;      ///< Elements until a row along k ends.
};

/// Stores `width` elements at a time; behind `left` elements there is a gap. Lanes that are 8 apart, whose vectors lie
/// in the same banks, begin with different words.
template <unsigned width>
__device__ void store_vector(std::uint16_t* shared, const Vec<std::uint32_t>& loaded, unsigned to, unsigned left,
                             unsigned gap) {
  if constexpr (width == vector) {
    *reinterpret_cast<Vec<std::uint32_t>*>(shared + to) = loaded;
  } else {
    const unsigned turn = threadIdx.x / 8 % 4;
    const auto& of = loaded.of;
    const Vec<std::uint32_t> once = turn % 2 == 0 ? loaded : Vec<std::uint32_t>{of[1], of[2], of[3], of[0]};
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned word = turn / 2 == 0 ? once.of[i] : once.of[(i + 2) % 4];
      const unsigned first = (i + turn) % 4 * 2;
      const auto at = [&](unsigned element) { return to + element + (element < left ? 0 : gap); };
      if constexpr (width == 2) {
        *reinterpret_cast<std::uint32_t*>(shared + at(first)) = word;
      } else {
        shared[at(first)] = static_cast<std::uint16_t>(word);
        shared[at(first + 1)] = static_cast<std::uint16_t>(word >> 16);
      }
    }
  }
}

/// Vectors of an operand that a thread has in flight.
template <unsigned count>
struct Vectors {
  Vec<std::uint32_t> loaded[count];

  static __device__ unsigned index(unsigned pass, unsigned i) { return (pass * count + i) * threads + threadIdx.x; }

  /// Without a branch: no load waits for another.
  template <class PlaceOf>
  __device__ void load(const Operand& from, unsigned pass, PlaceOf place_of) {
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      const Place place = place_of(index(pass, i));
      loaded[i] =
          place.is_valid ? reinterpret_cast<const Vec<std::uint32_t>*>(from.data)[place.index] : Vec<std::uint32_t>{};
    }
  }

  template <class PlaceOf>
  __device__ void store(std::uint16_t* shared, unsigned pass, unsigned columns, unsigned gap, PlaceOf place_of) const {
    const auto store_all = [&]<unsigned width>() {
#pragma unroll
      for (unsigned i = 0; i < count; ++i)
        if (const Place place = place_of(index(pass, i)); place.is_valid)
          store_vector<width>(shared, loaded[i], place.to, place.left, gap);
    };
    if (columns % vector == 0)
      store_all.template operator()<vector>();
    else if (columns % 2 == 0)
      store_all.template operator()<2>();
    else
      store_all.template operator()<1>();
  }
};

__device__ inline std::size_t whole_vectors(const Operand& of) { return std::size_t{of.rows} * of.columns / vector; }

/// The elements behind an operand's last whole vector: a thread has the one that lies `threadIdx.x` before the last.
struct Tail {
  bool is_valid;
  std::uint16_t element;

  __device__ explicit Tail(const Operand& of) {
    const std::size_t size = std::size_t{of.rows} * of.columns;
    is_valid = threadIdx.x < size % vector;
    element = is_valid ? of.data[size - 1 - threadIdx.x] : 0;
  }

  /// If the tile from (row, column) has it.
  __device__ void store(std::uint16_t* shared, const Operand& from, unsigned row, unsigned column, unsigned rows,
                        unsigned columns, unsigned pitch) const {
    if (!is_valid) return;
    const unsigned own_row = from.rows - 1 - threadIdx.x / from.columns - row;  // below 0 it is large
    const unsigned own_column = from.columns - 1 - threadIdx.x % from.columns - column;
    if (own_row < rows && own_column < columns) shared[own_row * pitch + own_column] = element;
  }
};

/// A block's tile of C.
template <unsigned tile_rows, unsigned tile_columns, unsigned blocks>
struct Tile {
  static constexpr unsigned rows = tile_rows, columns = tile_columns;
  /// Of rows of B along n, and of C: an odd number of 16 bytes, with room for the up to 7 elements that vectors hold
  /// before a row's first column and behind its last one, apart from each other.
  static constexpr unsigned pitch = columns + 3 * padding;
  static constexpr unsigned resident = blocks;  ///< On a multiprocessor: the limit on registers.
};

__host__ __device__ constexpr unsigned padded(unsigned k) { return (k + mma_k - 1) / mma_k * mma_k; }

/// Consecutive blocks lie along n.
template <bool bf16, bool b_transposed, class Tile>
static __global__ void __launch_bounds__(threads, Tile::resident) gemm_kernel(Problem p, Output c) {
  constexpr unsigned rows = Tile::rows, columns = Tile::columns;
  const unsigned k = p.a.columns, k_end = padded(k), pitch = k_end + padding,
                 b_pitch = b_transposed ? pitch : Tile::pitch;
  const unsigned row = blockIdx.x / p.column_tiles * rows, column = blockIdx.x % p.column_tiles * columns;
  const std::size_t first_of_a = std::size_t{row} * k / vector, first_of_b = std::size_t{column} * k / vector;
  auto* const shared_a = dynamic_shared<std::uint16_t>();
  std::uint16_t* const shared_b = shared_a + rows * pitch;

  // Vectors of a range of rows along k: those that end in the operand.
  const auto count_along_k = [&](const Operand& from, std::size_t first, unsigned of_tile) {
    return static_cast<unsigned>(std::min<std::size_t>(of_tile * k / vector, whole_vectors(from) - first));
  };
  const unsigned count_of_a = count_along_k(p.a, first_of_a, rows);
  const unsigned count_of_b = b_transposed ? count_along_k(p.b, first_of_b, columns) : 0;

  // A line for each thread, into L2, before grid_dependency_wait().
  const auto prefetch_range = [&](const Operand& from, std::size_t first, unsigned count) {
    constexpr unsigned line = 8;  // vectors
    if (const unsigned own = threadIdx.x * line; own < count) prefetch_to_l2(from.data + (first + own) * vector);
  };
  prefetch_range(p.a, first_of_a, count_of_a);
  if constexpr (b_transposed)
    prefetch_range(p.b, first_of_b, count_of_b);
  else if (const unsigned own = column + threadIdx.x % 2 * (columns / 2); threadIdx.x / 2 < k && own < p.b.columns)
    prefetch_to_l2(p.b.data + std::size_t{threadIdx.x / 2} * p.b.columns + own);
  // Zeros behind k, in both operands.
  const auto clear_behind_k = [&]<unsigned count>(std::uint16_t* shared, unsigned step, unsigned step_of_k) {
#pragma unroll 1
    for (unsigned l = k + threadIdx.x / count; l < k_end; l += threads / count)
      shared[threadIdx.x % count * step + l * step_of_k] = 0;
  };
  clear_behind_k.template operator()<rows>(shared_a, pitch, 1);
  clear_behind_k.template operator()<columns>(shared_b, b_transposed ? pitch : 1, b_transposed ? 1 : b_pitch);
  grid_dependency_wait();

  const auto place_along_k = [&](std::size_t first, unsigned count, unsigned i) {
    const unsigned at_row = i * vector * p.inverse_k >> quotient_bits, at = i * vector - at_row * k;
    return Place{i < count, first + i, at_row * pitch + at, k - at};
  };
  const auto place_of_a = [&](unsigned i) { return place_along_k(first_of_a, count_of_a, i); };
  const auto place_of_b = [&](unsigned i) {
    if constexpr (b_transposed) {
      return place_along_k(first_of_b, count_of_b, i);
    } else {  // elements before and behind the tile's columns go to padding
      constexpr unsigned per_row = columns / vector + 1;
      const unsigned n = p.b.columns, l = i / per_row, own = i % per_row * vector;
      const unsigned distance = l * n % vector;  // to the row's first column of the tile, from 16 bytes
      const std::size_t index = (std::size_t{l} * n + column - distance + own) / vector;
      const bool is_valid = l < k && own < std::min(columns, n - column) + distance && index < whole_vectors(p.b);
      return Place{is_valid, index, l * b_pitch + own - distance, vector};
    }
  };
  constexpr unsigned most = 4, of_a = std::min(most, rows / 16), of_b = std::min(most, columns / 16) + !b_transposed;
  constexpr bool may_need_two = rows > 64 || columns > 64;
  const unsigned passes = may_need_two && k > 64 ? 2 : 1;
  const Tail tail_a(p.a), tail_b(p.b);
  Vectors<of_a> vectors_a;
  Vectors<of_b> vectors_b;
#pragma unroll 1
  for (unsigned pass = 0; pass < passes; ++pass) {
    vectors_a.load(p.a, pass, place_of_a);
    vectors_b.load(p.b, pass, place_of_b);
    vectors_a.store(shared_a, pass, k, pitch - k, place_of_a);
    vectors_b.store(shared_b, pass, p.b.columns, pitch - k, place_of_b);
  }
  tail_a.store(shared_a, p.a, row, 0, rows, k, pitch);
  if constexpr (b_transposed)
    tail_b.store(shared_b, p.b, column, 0, columns, k, pitch);
  else
    tail_b.store(shared_b, p.b, 0, column, k, columns, b_pitch);
  __syncthreads();

  constexpr unsigned own_rows = rows / warp_rows, own_columns = columns / warp_columns;  // of a warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, matrix = lane / 8, i = lane % 8;
  const unsigned warp_row = warp / warp_columns * own_rows, warp_column = warp % warp_columns * own_columns;
  const unsigned a = shared_address(shared_a + (warp_row + matrix % 2 * 8 + i) * pitch + matrix / 2 * 8);
  const unsigned b =
      shared_address(shared_b + (b_transposed ? (warp_column + matrix / 2 * 8 + i) * pitch + matrix % 2 * 8
                                              : (matrix % 2 * 8 + i) * b_pitch + warp_column + matrix / 2 * 8));
  constexpr unsigned element = sizeof(std::uint16_t);
  float acc[own_rows / 16][own_columns / 8][4] = {};
#pragma unroll 1
  for (unsigned l = 0; l < k_end; l += mma_k) {
    std::uint32_t fragments_a[own_rows / 16][4], fragments_b[own_columns / 16][4];
#pragma unroll
    for (unsigned r = 0; r < own_rows / 16; ++r) ldmatrix_x4<false>(fragments_a[r], a + (16 * r * pitch + l) * element);
#pragma unroll
    for (unsigned j = 0; j < own_columns / 16; ++j)
      if constexpr (b_transposed)
        ldmatrix_x4<false>(fragments_b[j], b + (16 * j * pitch + l) * element);
      else
        ldmatrix_x4<true>(fragments_b[j], b + (l * b_pitch + 16 * j) * element);
#pragma unroll
    for (unsigned r = 0; r < own_rows / 16; ++r)
#pragma unroll
      for (unsigned j = 0; j < own_columns / 8; ++j)
        mma_m16n8k16<bf16>(acc[r][j], fragments_a[r], fragments_b[j / 2][j % 2 * 2], fragments_b[j / 2][j % 2 * 2 + 1]);
  }
  launch_dependents();
  __syncthreads();  // C takes the operands' place

  // Four bytes at a time. Where n is odd, every other row of C begins between two of them.
  const auto store = [&]<class Out>(auto convert) {
    constexpr unsigned width = sizeof(std::uint32_t) / sizeof(Out), step = 32 * width;
    Out* const tile = dynamic_shared<Out>();
#pragma unroll
    for (unsigned r = 0; r < own_rows / 16; ++r)
#pragma unroll
      for (unsigned j = 0; j < own_columns / 8; ++j)
#pragma unroll
        for (unsigned half = 0; half < 2; ++half)
          *reinterpret_cast<Pair<Out>*>(tile + (warp_row + 16 * r + 8 * half + lane / 4) * Tile::pitch + warp_column +
                                        8 * j + lane % 4 * 2) =
              __builtin_bit_cast(Pair<Out>, convert(acc[r][j][2 * half], acc[r][j][2 * half + 1]));
    __syncthreads();
    const unsigned valid_rows = std::min(rows, c.rows - row), valid_columns = std::min(columns, c.columns - column);
#pragma unroll 4
    for (unsigned r = warp; r < valid_rows; r += warps) {
      Out* const to = static_cast<Out*>(c.data) + std::size_t{row + r} * c.columns + column;
      const Out* const from = tile + r * Tile::pitch;
      const auto* const words = reinterpret_cast<const std::uint32_t*>(from);
      const unsigned shift = (row + r) * c.columns % width;
      if (shift > 0 && lane == 0) to[0] = from[0];
#pragma unroll
      for (unsigned first = 0; first < columns; first += step)
        if (const unsigned at = first + lane * width + shift; at + width <= valid_columns)
          *reinterpret_cast<std::uint32_t*>(to + at) =
              shift > 0 ? __byte_perm(words[at / width], words[at / width + 1], 0x5432) : words[at / width];
        else if (at < valid_columns)
          to[at] = from[at];
    }
  };
  if (c.is_f32)
    store.template operator()<float>([](float first, float second) { return Pair<float>{first, second}; });
  else
    store.template operator()<std::uint16_t>(Output::packed<bf16>);
}

/// A tile for a product: how to launch it, and what it is expected to take.
struct Plan {
  double cycles;
  void (*launch)(const Queue&, const MatmulF16::Args&);
};

template <class Tile>
unsigned blocks_of(const MatmulF16::Args& args) {
  return blocks_for(args.m, Tile::rows) * blocks_for(args.n, Tile::columns);
}

template <class Tile>
void launch_tile(const Queue& queue, const MatmulF16::Args& args) {
  const auto k = static_cast<unsigned>(args.k);
  const Problem problem{operand_a(args), operand_b(args), blocks_for(args.n, Tile::columns),
                        ((1u << quotient_bits) + k - 1) / k};
  const std::size_t pitch = padded(k) + padding;
  const std::size_t operands =
      Tile::rows * pitch + (args.b_transposed ? Tile::columns * pitch : padded(k) * Tile::pitch);
  const std::size_t of_c =
      std::size_t{Tile::rows} * Tile::pitch * (args.f32_out ? sizeof(float) : sizeof(std::uint16_t));
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_kernel<bf16, b_transposed, Tile>, blocks_of<Tile>(args), threads,
           std::max(operands * sizeof(std::uint16_t), of_c), queue, problem, Output(args));
  });
}

/// As fitted to an H100, 30 products by each tile: a block waits for its loads, and for C on its way through shared
/// memory; a multiprocessor's blocks share its instructions, most of which copy single elements; C goes to memory.
template <class Tile>
Plan plan_of(const Queue& queue, const MatmulF16::Args& args) {
  constexpr double fixed = 1670, latency = 2570, of_vectors = 0.41;  // of the instructions that single elements take
  constexpr double staged = 79. / threads, copy = 40. / threads, store = 4.7 / threads;  // of an element
  constexpr double elements_of_c = Tile::rows * Tile::columns;
  const double m = static_cast<double>(args.m), n = static_cast<double>(args.n), k = static_cast<double>(args.k);
  const unsigned units = static_cast<unsigned>(std::max(1, queue.device.compute_units));
  const unsigned blocks = blocks_for(blocks_of<Tile>(args), units), waves = blocks_for(blocks, Tile::resident);
  const auto copied = [](std::size_t row_elements) { return row_elements % vector == 0 ? of_vectors * copy : copy; };
  const double copies = k * (Tile::rows * copied(args.k) + Tile::columns * copied(args.b_transposed ? args.k : args.n));
  const double computed = waves * (latency + staged * elements_of_c) + blocks * (copies + store * elements_of_c);
  const double bytes = 2 * k * (m + n) + (args.f32_out ? 4 : 2) * m * n;
  const double moved = bytes / (queue.device.peak_per_cycle("memory", 18) * units);
  return {fixed + std::hypot(computed, moved), launch_tile<Tile>};
}

/// Of the tile by number, from 1 on; of tile 0 the least expected cycles. Among equals the largest.
Plan plan(const Queue& queue, const MatmulF16::Args& args, unsigned tile) {
  const std::array plans{plan_of<Tile<128, 128, 2>>(queue, args), plan_of<Tile<64, 128, 3>>(queue, args),
                         plan_of<Tile<64, 64, 3>>(queue, args), plan_of<Tile<32, 64, 3>>(queue, args)};
  return tile > 0 ? plans.at(tile - 1) : *std::ranges::min_element(plans, {}, &Plan::cycles);
}

bool is_for(std::size_t k) { return k >= least_k && k <= most_k; }

double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  return args.c.empty() || !is_for(args.k) ? std::numeric_limits<double>::infinity() : plan(queue, args, 0).cycles;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned tile) {
  if (!finish_if_empty(queue, args)) plan(queue, args, tile).launch(queue, args);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, 0); }

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, static_cast<unsigned>(queue.tuning["tile"]));
}

/// tile 0: the cost model chooses. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "small k by mma.sync: all of k in shared memory at once, copied in 16-byte loads at any alignment; C "
            "stored along rows",
    .bound_by = "stores of C",
    .improves = "small_k",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4)},
    .applies = [](const Point& point) { return is_for(point.integer("k")); },
    .launch = launch_tuned,
    .instructions = {{"HMMA.16816.F32", 16}, {"LDSM.16.M88.4", 6}, {"LDSM.16.MT88.4", 2}, {"LDG.E.128", 8}},
#endif
}};

}  // namespace matmul_f16_small_k_mma
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
