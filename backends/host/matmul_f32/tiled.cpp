// Tiles of C in registers and L1 over all cores: each load of B serves all rows of a tile. Bound by multiply-adds where
// a tile has enough rows, by loads of B where it has few. Which tile is fastest depends on processor and shape: the
// table of `bench tune` chooses.
#include <algorithm>
#include <cstddef>

#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

/// `rows` x `columns` elements of C from (row, column) on, of which `m_left` x `n_left` exist.
template <std::size_t rows, std::size_t columns>
void compute_tile(const MatmulF32::Args& args, std::size_t row, std::size_t column, std::size_t m_left,
                  std::size_t n_left) {
  float sums[rows][columns] = {};
  const auto multiply_add = [&](std::size_t height, std::size_t width) {
    for (std::size_t l = 0; l < args.k; ++l) {
      const float* const b = args.b.data() + l * args.n + column;
      for (std::size_t i = 0; i < height; ++i) {
        const float a = args.a[(row + i) * args.k + l];
        for (std::size_t j = 0; j < width; ++j) sums[i][j] += a * b[j];
      }
    }
  };
  const std::size_t height = std::min(rows, m_left), width = std::min(columns, n_left);
  if (height == rows && width == columns)
    multiply_add(rows, columns);  // constants: unrolled
  else
    multiply_add(height, width);
  for (std::size_t i = 0; i < height; ++i) std::copy_n(sums[i], width, args.c.data() + (row + i) * args.n + column);
}

template <std::size_t rows, std::size_t columns>
void gemm(const MatmulF32::Args& args) {
  const std::size_t bands = (args.m + rows - 1) / rows, panels = (args.n + columns - 1) / columns;
#pragma omp parallel for schedule(static)
  for (std::size_t tile = 0; tile < bands * panels; ++tile) {
    // Bands run fastest: a panel of B stays in a core's cache from band to band.
    const std::size_t row = tile % bands * rows, column = tile / bands * columns;
    compute_tile<rows, columns>(args, row, column, args.m - row, args.n - column);
  }
}

template <std::size_t rows>
void gemm_of_width(const MatmulF32::Args& args, int columns) {
  switch (columns) {
    case 32:
      return gemm<rows, 32>(args);
    case 128:
      return gemm<rows, 128>(args);
    default:
      return gemm<rows, 512>(args);
  }
}

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  const int columns = queue.tuning["columns"];
  switch (queue.tuning["rows"]) {
    case 1:
      return gemm_of_width<1>(args, columns);
    case 4:
      return gemm_of_width<4>(args, columns);
    default:
      return gemm_of_width<8>(args, columns);
  }
}

Tuning tile(int rows, int columns) { return {{{"rows", rows}, {"columns", columns}}}; }

const Register<MatmulF32> variant{{
    .idea = "tiles of C over all cores: each load of B serves several rows; the tile by the table of bench tune",
    .bound_by = "multiply-adds, or loads of B from cache",
    .improves = "reference",
    .tunings = {tile(4, 128), tile(1, 32), tile(1, 128), tile(1, 512), tile(4, 32), tile(4, 512), tile(8, 32),
                tile(8, 128), tile(8, 512)},
    .tuned_by_table = true,
    .launch = launch_tuned,
}};

}  // namespace
}  // namespace crosswarp::host
