// A strided gather or scatter is a matrix transposition: through a padded tile in team scratch, warps load and store
// whole sectors on both sides. Bound by memory bandwidth, as if the pattern were coalesced.
#include <algorithm>
#include <bit>

#include "backends/kokkos/team_tiles.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int threads = 256, batch = 8;  // batch: loads that a thread has in flight
constexpr std::uint32_t max_columns = 32;

/// A tile of `elements` has the matrix's columns, rounded up to a power of two, or 32 of them. Rows and columns of an
/// element are then shifts, no divisions.
template <AccessOp op, std::uint32_t elements>
struct Transpose {
  static constexpr std::uint32_t tile_bits = std::countr_zero(elements);

  AccessOrder order;
  std::uint32_t column_bits, column_tiles;
  const float* in;
  float* out;

  /// An element of the tile.
  struct Cell {
    bool exists;
    std::uint32_t at;    ///< Its index in memory.
    std::uint32_t slot;  ///< Its position in scratch.
  };

  /// A word of padding behind every 32: rows and columns of the tile go through all banks.
  KOKKOS_FUNCTION static std::uint32_t slot(std::uint32_t cell) { return cell + cell / 32; }

  template <class TeamMember>
  KOKKOS_FUNCTION void operator()(const TeamMember& team) const {
    float* const tile = scratch<float>(team, static_cast<int>(elements + elements / 32));
    const std::uint32_t height = elements >> column_bits, rank = static_cast<std::uint32_t>(team.league_rank());
    const std::uint32_t first_row = rank / column_tiles * height, first_column = rank % column_tiles << column_bits;
    const std::uint32_t rows = first_row < order.rows ? order.rows - first_row : 0,
                        columns = order.stride - first_column;
    // Neighbouring t have neighbouring elements.
    const auto by_rows = [&](std::uint32_t t) {
      const std::uint32_t row = t >> column_bits, column = t & ((1u << column_bits) - 1);
      return Cell{row < rows && column < columns, order.in_matrix(first_row + row, first_column + column), slot(t)};
    };
    // Neighbouring t have neighbouring accesses. The height is a power of two, too.
    const auto by_columns = [&](std::uint32_t t) {
      const std::uint32_t row = t & (height - 1), column = t >> (tile_bits - column_bits);
      return Cell{row < rows && column < columns, (first_column + column) * order.rows + first_row + row,
                  slot((row << column_bits) + column)};
    };
    const auto to_tile = [&](const auto& cell_of) {
      copy(
          team, cell_of, [&](const Cell& cell) { return in[cell.at]; },
          [&](const Cell& cell, float value) { tile[cell.slot] = value; });
    };
    const auto from_tile = [&](const auto& cell_of) {
      copy(
          team, cell_of, [&](const Cell& cell) { return tile[cell.slot]; },
          [&](const Cell& cell, float value) { out[cell.at] = value; });
    };
    if constexpr (op == AccessOp::gather)
      to_tile(by_rows);
    else
      to_tile(by_columns);
    team.team_barrier();
    if constexpr (op == AccessOp::gather)
      from_tile(by_columns);
    else
      from_tile(by_rows);
    if (rank == 0)  // the tail is in order
      for (std::uint32_t i = order.tail() + static_cast<std::uint32_t>(team.team_rank()); i < order.n;
           i += static_cast<std::uint32_t>(team.team_size()))
        out[i] = in[i];
  }

  /// Moves all cells of the tile, the loads of a batch before its stores.
  template <class TeamMember, class CellOf, class Load, class Store>
  KOKKOS_FUNCTION static void copy(const TeamMember& team, const CellOf& cell_of, const Load& load,
                                   const Store& store) {
    constexpr std::uint32_t step = team_threads<threads>;
    for (auto first = static_cast<std::uint32_t>(team.team_rank()); first < elements; first += step * batch) {
      Cell cells[batch];
      float values[batch];
      for (std::uint32_t u = 0; u < batch; ++u) cells[u] = cell_of(first + u * step);
      for (std::uint32_t u = 0; u < batch; ++u) values[u] = cells[u].exists ? load(cells[u]) : 0;
      for (std::uint32_t u = 0; u < batch; ++u)
        if (cells[u].exists) store(cells[u], values[u]);
    }
  }
};

template <AccessOp op, std::uint32_t elements>
void launch(const Queue& queue, const AccessPattern::Args& args) {
  const AccessOrder& order = args.order;
  const std::uint32_t width = std::min(std::bit_ceil(order.stride), max_columns);
  const std::size_t column_tiles = pieces_of(order.stride, width), row_tiles = pieces_of(order.rows, elements / width);
  constexpr std::size_t bytes = (elements + elements / 32) * sizeof(float) + alignof(Four);
  Kokkos::parallel_for(
      teams_of_tiles<threads, 6>(queue, std::max<std::size_t>(1, row_tiles * column_tiles), bytes),
      Transpose<op, elements>{order, static_cast<std::uint32_t>(std::countr_zero(width)),
                              static_cast<std::uint32_t>(column_tiles), args.in.data(), args.out.data()});
}

template <std::uint32_t elements>
void launch(const Queue& queue, const AccessPattern::Args& args) {
  if (args.op == AccessOp::gather) return launch<AccessOp::gather, elements>(queue, args);
  launch<AccessOp::scatter, elements>(queue, args);
}

void run(const Queue& queue, const AccessPattern::Args& args) {
  if (queue.tuning["tile"] == 4096) return launch<4096>(queue, args);
  launch<2048>(queue, args);
}

const Register<AccessPattern> variant{{
    .idea = "transposes through team scratch: whole sectors on both sides",
    .bound_by = "memory bandwidth",
    .improves = "several_per_iteration",
    .counterparts = {"shared_transpose"},
    .tunings = {{{{"tile", 2048}}}, {{{"tile", 4096}}}},
    .applies = [](const Point& p) { return p.word("pattern") == "strided" && p.word("op") != "copy"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
