// Which configuration of a persistent GEMM a cost model expects to be fastest. Peaks are the device's; shares of them
// and latencies are fitted to an H100: 349 random products of 16 bits by tiles and clusters, with swapped operands and
// without, unsplit and by split-K, 65,000 launches. The choice takes 2.8 % longer than the fastest of all (geometric
// mean of those that take 8 µs or more; 4.2 % over 158 others); as times the costs are rougher. Set by other products
// than these: Schedule::pingpong and what is stored at once of floats (on an H200; without it the choice above), what
// whole lines save (powers of two), pairs that share columns, copies, stores by warps, the level beside other kernels,
// and promoted sums with one set of accumulators (4096³, where 128 columns are faster, and 8192³).
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "backends/cuda/tensor_gemm/persistent_config.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Of one multiprocessor, per cycle, while all are busy.
struct Rates {
  double shared_bytes;   ///< Into and out of shared memory.
  double l2_bytes;       ///< Read from L2; what is multicast counts once for the cluster.
  double l2_stores;      ///< Bytes stored to L2.
  double memory_bytes;   ///< Read from memory.
  double memory_stores;  ///< Bytes stored to it, in long rows.

  explicit Rates(const DeviceInfo& device)
      : shared_bytes(device.peak_per_cycle("shared", 128)),
        l2_bytes(0.42 * device.peak_per_cycle("l2", 64)),
        l2_stores(0.39 * device.peak_per_cycle("l2", 64)),
        memory_bytes(0.9 * device.peak_per_cycle("memory", 18)),
        memory_stores(0.82 * device.peak_per_cycle("memory", 18)) {}
};

// Cycles of a k-tile beyond its own work, and more of promoted sums in tiles of more than 128 columns, which have one
// set of accumulators; of split-K's second launch.
constexpr double k_tile_cycles = 10, one_set_cycles = 60, launch_cycles = 2000;

/// Cycles from one tile to the next.
inline double tile_cycles(unsigned rows, unsigned columns) { return (rows == 64 ? 590 : 850) + 6.7 * columns; }

/// Of Schedule::pingpong: the share of a tile's stores by which the other's multiplication takes longer; what a last
/// tile's stores take, times what L2 takes for them; and cycles of a tile's stores beside L2's. Fitted to an H200: 176
/// products of 16 bits, 8 bits and TF32 by clusters of one and two blocks, not split, stored by TMA, 1,950 times beside
/// those of `persistent`. Of ping-pong's tiles the choice takes 0.4 % longer than the fastest, of both schedules' 0.9
/// %. By that fit shared memory does not bound such tiles.
constexpr double share_of_stores = 0.25, last_stores = 1.5;
inline double store_cycles(unsigned columns) { return 1200 + 25.0 * columns; }

/// Launch, first loads and last stores of an otherwise empty product.
constexpr double base_cycles = 4500;

/// Elements of C that warps of a multiprocessor store per cycle, row by row, where TMA cannot.
constexpr double elements_stored_by_warps = 4.7;

/// What is multiplied.
struct ProductWork {
  std::size_t m, n;
  Operands operands;          ///< In words of 16 bits along k.
  double operations_of_word;  ///< For each element of C: two for 16-bit elements, one for floats.
  double mma_operations;      ///< Of one multiprocessor, per cycle.
  bool is_f32_out;
  bool is_promoted = false;  ///< The sums of TileSums.
  bool are_copies = false;   ///< Operands that the launch before has written.
  bool may_swap = false;     ///< There are kernels of swapped operands, too.

  unsigned k_tiles() const { return blocks_for(operands.a.columns, tile_k); }
  std::size_t bytes_of_element() const { return is_f32_out ? 4 : 2; }  ///< Of C.
  /// Else warps store C, row by row.
  bool is_stored_by_tma() const { return n * bytes_of_element() % 16 == 0; }
};

/// Requests for the same line at the start of all blocks, from `tiles` rows or columns of tiles of which `sharing`
/// receive one by multicast. A line has several rows where these are short.
inline double requests_of_line(const Operand& operand, unsigned tiles, unsigned sharing) {
  return 1.0 * tiles / sharing * std::max(1.0, 1.0 * row_elements / operand.pitch);
}

/// Cycles of the matrix units at the clock that power leaves them: by the fit, a fifth less in a product of 200 µs, two
/// fifths less in one of many milliseconds. No clock was measured for it.
inline double throttled(double cycles) {
  constexpr double most = 0.68, half_at = 550e3;
  return cycles * (1 + most * cycles / (cycles + half_at));
}

/// Expected cycles. Shared memory bounds small tiles: TMA writes both operands of a k-tile there, and each warpgroup
/// reads its own rows of A and all of B. Reads from L2, which take longer where rows begin within its lines or are
/// fresh copies, and from memory overlap with this, but never fully, and least in the first waves of tiles. Stores to
/// memory take longer the fewer neighbouring columns of C a cluster stores. Where rows of C are not aligned, warps
/// store it. Tiles that are split store partial sums as floats after their last k-tile, and a second launch adds them;
/// tiles that are not take waves of their own before. Ping-pong: a warpgroup has the time of two tiles to multiply
/// and store one.
inline double expected_cycles(const DeviceInfo& device, const ProductWork& work, const PersistentConfig& config,
                              unsigned resident) {
  constexpr double exposed = 0.155, exposed_waves = 3, least_exposed = 0.3, cycles_of_request = 19,
                   row_overhead_bytes = 154, share_of_whole_lines = 0.5;
  const Rates rates(device);
  const double units = device.compute_units, elements = 1.0 * config.rows * config.columns;
  const Operand& a = config.swapped ? work.operands.b : work.operands.a;  // on wgmma's M side
  const Operand& b = config.swapped ? work.operands.a : work.operands.b;
  const ClusterShape& cluster = config.cluster;
  const unsigned tiles = config.tiles(work.m, work.n), whole = config.splits == 1 ? tiles : config.whole;
  const double whole_waves = std::ceil(1.0 * whole / resident);
  const double split_waves = std::ceil(1.0 * (tiles - whole) * config.splits / resident);

  const double multiplied = work.operations_of_word * tile_k * elements / work.mma_operations;
  const double shared = row_bytes * (2.0 * config.rows + (1 + config.rows / 64) * config.columns) / rates.shared_bytes;
  const bool is_pingpong = config.schedule == Schedule::pingpong;
  const double k_tile = (is_pingpong ? multiplied : std::max(multiplied, shared)) + k_tile_cycles +
                        (work.is_promoted && config.columns > 128 ? one_set_cycles : 0);
  const unsigned own_k_tiles = blocks_for(work.k_tiles(), config.splits);
  const auto element_bytes = static_cast<double>(work.bytes_of_element());
  const double stored = 1.0 * config.rows * in_whole_panels(config.columns);
  const double store =
      work.is_stored_by_tma() ? element_bytes * stored / rates.l2_stores : stored / elements_stored_by_warps;
  const double summed = 1.0 * config.stored_rows(work.m) * config.stored_columns(work.n);
  const double each_tile = tile_cycles(config.rows, config.columns);
  const double multiplied_tile = work.k_tiles() * k_tile;
  // Of floats, the part that DeferredEpilogue and SwappedFloatsEpilogue do not keep for the next tile's k-tiles.
  const double not_kept = !work.is_f32_out || work.is_promoted ? 0
                          : config.swapped                     ? 1
                          : config.columns > 160               ? 0.5
                                                               : 0;
  // Of a tile that another follows, and of a last one. Beside its k-tiles the tile before is stored; what it stores
  // itself overlaps with nothing: base_cycles has that of 16 bits by persistent_gemm().
  const double followed_tile = is_pingpong
                                   ? std::max(multiplied_tile + share_of_stores * store,
                                              (multiplied_tile + store_cycles(config.columns) + store) / 2)
                                   : each_tile + std::max(multiplied_tile, (1 - not_kept) * store) + not_kept * store;
  const double last_tile = is_pingpong ? multiplied_tile + last_stores * store
                                       : each_tile + std::max(multiplied_tile, store) +
                                             (work.is_f32_out && work.is_stored_by_tma() ? store / 2 : 0);
  const double split_tile = each_tile + own_k_tiles * k_tile + sizeof(float) * summed / rates.l2_stores;
  const double all_multiplied = (whole_waves * work.k_tiles() + split_waves * own_k_tiles) * multiplied;
  const double followed = split_waves > 0 ? whole_waves : std::max(0.0, whole_waves - 1);  // waves by others
  const double computed = followed * followed_tile + (whole_waves - followed) * last_tile + split_waves * split_tile +
                          throttled(all_multiplied) - all_multiplied;

  const bool whole_lines = a.pitch % row_elements == 0 && b.pitch % row_elements == 0 && !work.are_copies;
  const double loaded = (whole_lines ? share_of_whole_lines : 1) * row_bytes *
                        (1.0 * config.rows / cluster.columns + 1.0 * config.columns / cluster.rows);
  const double from_l2 = loaded * tiles * cluster.size() * work.k_tiles() / (rates.l2_bytes * units);
  const auto bytes_of = [](const Operand& operand) { return 2.0 * operand.rows * operand.columns; };
  const double bytes_of_c = element_bytes * static_cast<double>(work.m) * static_cast<double>(work.n);
  const double row_of_c =
      element_bytes * config.columns_of_c() * (config.swapped ? cluster.rows : cluster.columns);  // of a cluster
  const double by_memory = ((bytes_of(a) + bytes_of(b)) / rates.memory_bytes +
                            bytes_of_c * (1 + row_overhead_bytes / row_of_c) / rates.memory_stores) /
                           units;
  const double moved = std::max(from_l2, by_memory);

  const unsigned row_tiles = blocks_for(config.swapped ? work.n : work.m, config.rows);
  const unsigned column_tiles = blocks_for(config.swapped ? work.m : work.n, config.columns);
  const double requests =
      std::max(requests_of_line(a, column_tiles, cluster.columns), requests_of_line(b, row_tiles, cluster.rows));
  const double add_partials = config.splits == 1
                                  ? 0
                                  : launch_cycles + 4.0 * static_cast<double>(config.workspace_bytes(work.m, work.n)) /
                                                        (rates.l2_bytes * units);
  // Two blocks that share columns of B are slower than two that share rows of A, unless tiles are wide.
  const bool shares_narrow_b = whole_lines && cluster.rows == 2 && cluster.columns == 1 && config.columns <= 128;
  return (shares_narrow_b ? 1.06 : 1) *
         (base_cycles + std::max(computed, moved) +
          exposed * std::clamp(exposed_waves / (whole_waves + split_waves), least_exposed, 1.0) *
              std::min(computed, moved) +
          cycles_of_request * requests + add_partials);
}

struct BlockShape {
  unsigned rows, columns;
  Schedule schedule = Schedule::cooperative;
};

/// The cooperative ones, and those of ping-pong.
inline std::vector<BlockShape> with_pingpong(std::span<const BlockShape> cooperative) {
  std::vector<BlockShape> tiles(cooperative.begin(), cooperative.end());
  for (const unsigned columns : {192u, 128u}) tiles.push_back({128, columns, Schedule::pingpong});
  return tiles;
}

/// Candidates; the first wins where the model sees little difference, as where memory bounds all: the larger, which
/// read less from L2.
constexpr ClusterShape clusters_of_tiles[] = {{4, 2}, {2, 4}, {4, 1}, {1, 4}, {2, 2}, {2, 1}, {1, 2}, {1, 1}};

struct PersistentChoice {
  PersistentConfig config{};
  double cycles = std::numeric_limits<double>::infinity();
};

constexpr double nearly = 0.995;  // of two costs so near each other the first wins

/// For each of the `tiles`, clusters and orders of operands the split-K of fewest expected cycles, in the order of
/// candidates. Split-K is of all tiles or of the partial last wave alone: of that only where TMA stores C, since with
/// stores by warps it took longer (4097 x 4097 x 4097 in TF32 570 µs instead of 518). A split has `least_k_tiles` or
/// more. `resident(config)`: clusters that the device holds at once. Ping-pong is no choice where there are no
/// more tiles than clusters, nor with swapped operands or clusters of more than two blocks, which took longer, nor with
/// split-K, to which its costs were not fitted.
template <class Resident>
std::vector<PersistentChoice> persistent_choices(const DeviceInfo& device, const ProductWork& work,
                                                 std::span<const BlockShape> tiles, unsigned least_k_tiles,
                                                 const Resident& resident) {
  const unsigned k_tiles = work.k_tiles();
  std::vector<PersistentChoice> choices;
  const auto consider = [&](const BlockShape& tile, const ClusterShape& cluster, bool swapped) {
    const bool is_pingpong = tile.schedule == Schedule::pingpong;
    PersistentConfig config{.rows = tile.rows,
                            .columns = tile.columns,
                            .cluster = cluster,
                            .raster = 16 / cluster.rows,
                            .swapped = swapped,
                            .schedule = tile.schedule};
    // C has a tile for every block of a cluster.
    if (cluster.rows > blocks_for(swapped ? work.n : work.m, tile.rows)) return;
    if (cluster.columns > blocks_for(swapped ? work.m : work.n, tile.columns)) return;
    if (tile.columns / cluster.rows % 8 != 0) return;  // shares of MulticastLoader
    if (swapped && !has_swapped_kernel(tile.rows, tile.columns)) return;
    if (is_pingpong && (swapped || cluster.size() > 2)) return;
    const unsigned clusters = resident(config);
    if (clusters == 0) return;
    const unsigned tiles_of_c = config.tiles(work.m, work.n), whole = tiles_of_c / clusters * clusters;
    if (is_pingpong && tiles_of_c <= clusters) return;
    PersistentChoice best;
    const unsigned most_splits = is_pingpong ? 1 : 64;
    for (unsigned splits = 1; splits == 1 || (splits <= most_splits && k_tiles / splits >= least_k_tiles); ++splits) {
      config.splits = blocks_for(k_tiles, blocks_for(k_tiles, splits));  // none of them empty
      for (const unsigned first : {0u, whole}) {
        config.whole = first;
        if (first == tiles_of_c || (first > 0 && (splits == 1 || !work.is_stored_by_tma()))) continue;
        if (const double cycles = expected_cycles(device, work, config, clusters); cycles < nearly * best.cycles)
          best = {config, cycles};
      }
    }
    choices.push_back(best);
  };
  for (const BlockShape& tile : tiles)
    for (const ClusterShape& cluster : clusters_of_tiles) {
      consider(tile, cluster, false);
      if (work.may_swap) consider(tile, cluster, true);
    }
  return choices;
}

/// Of persistent_choices() that of fewest expected cycles; among near equals the first. Throws Error if there is none.
inline const PersistentChoice& cheapest(std::span<const PersistentChoice> choices) {
  if (choices.empty()) throw Error("no tile of the persistent GEMM fits this device");
  const PersistentChoice* best = choices.data();
  for (const PersistentChoice& choice : choices)
    if (choice.cycles < nearly * best->cycles) best = &choice;
  return *best;
}

/// The cheapest() one, then the others by expected cycles.
inline std::vector<PersistentChoice> by_cycles(std::vector<PersistentChoice> choices) {
  const auto first = choices.begin() + (&cheapest(choices) - choices.data());
  std::rotate(choices.begin(), first, first + 1);
  std::stable_sort(choices.begin() + 1, choices.end(),
                   [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  return choices;
}

/// by_cycles() of each of the schedules, in turn as long as there are both, the cheapest() of all first. So that a few
/// are of either: within a schedule configurations are alike, and costs of the two are rougher against each other.
inline std::vector<PersistentChoice> schedules_in_turn(const std::vector<PersistentChoice>& choices) {
  const Schedule of_cheapest = cheapest(choices).config.schedule;
  const auto of = [&](bool of_first) {
    std::vector<PersistentChoice> found;
    for (const PersistentChoice& choice : choices)
      if ((choice.config.schedule == of_cheapest) == of_first) found.push_back(choice);
    return found.empty() ? found : by_cycles(found);
  };
  const std::vector<PersistentChoice> first = of(true), second = of(false);
  std::vector<PersistentChoice> all;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) all.push_back(first[i]);
    if (i < second.size()) all.push_back(second[i]);
  }
  return all;
}

inline bool has_persistent_gemm(const Queue& queue) {
  return queue.device.has("wgmma") && queue.device.has("tma") && queue.device.has("cluster");
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
