// What the GEMMs' cost models expect, and how launches spread, by properties of a device alone: no GPU is needed.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/gemv/combine_in_cluster.hpp"
#include "backends/cuda/gemv/combine_rows.hpp"
#include "backends/cuda/gemv/dot_rows.hpp"
#include "backends/cuda/matmul_f32/tile_model.hpp"
#include "backends/cuda/matmul_f64/tile_model.hpp"
#include "backends/cuda/tensor_gemm/cluster_split_model.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"
#include "backends/cuda/tensor_gemm/work_tiles.hpp"
#include "backends/gpu/autotuned.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace crosswarp::gpu {
namespace {

using matmul_f32_tiles::best_cluster, matmul_f32_tiles::best_splits, matmul_f32_tiles::GemmSize,
    matmul_f32_tiles::multistage, matmul_f32_tiles::SplitPlan, matmul_f32_tiles::TileCost, matmul_f32_tiles::TileModel,
    matmul_f32_tiles::two_stages;

constexpr BlockShape large{128, 256}, medium{128, 128};

/// C = A·Bᵀ in 16 bits, m x n x k, without gaps between rows.
ProductWork product(unsigned m, unsigned n, unsigned k) {
  const Operand a{nullptr, m, k, k}, b{nullptr, n, k, k};
  return {.m = m, .n = n, .operands = {a, b}, .operations_of_word = 2, .mma_operations = 4096, .is_f32_out = false};
}

/// Its peaks are not known.
DeviceInfo device_of(int units) {
  DeviceInfo device;
  device.compute_units = units;
  return device;
}

double cycles(const DeviceInfo& device, const ProductWork& work, const BlockShape& tile, ClusterShape cluster,
              unsigned splits = 1) {
  const PersistentConfig config{
      .rows = tile.rows, .columns = tile.columns, .cluster = cluster, .raster = 8, .splits = splits};
  return expected_cycles(device, work, config, static_cast<unsigned>(device.compute_units) / cluster.size());
}

/// The choice among `tiles`, where a multiprocessor holds a block.
PersistentConfig choice(const DeviceInfo& device, const ProductWork& work, std::span<const BlockShape> tiles) {
  const auto resident = [&](const PersistentConfig& config) {
    return static_cast<unsigned>(device.compute_units) / config.cluster.size();
  };
  return cheapest(persistent_choices(device, work, tiles, 8, resident)).config;
}

TEST(PersistentModel, ExpectsSharingToPayWhereL2IsTheBound) {
  const DeviceInfo device = device_of(132);
  const ProductWork whole_lines = product(904, 1928, 8512), within_lines = product(904, 1928, 8520);
  EXPECT_GT(cycles(device, within_lines, medium, {1, 1}), 1.1 * cycles(device, within_lines, medium, {1, 2}));
  ProductWork copies = whole_lines;
  copies.are_copies = true;
  for (const ProductWork& work : {within_lines, copies})
    EXPECT_GT(cycles(device, work, medium, {1, 1}), cycles(device, whole_lines, medium, {1, 1}));
}

TEST(PersistentModel, ExpectsLongRowsOfCToBeStoredFaster) {
  DeviceInfo device = device_of(132);
  device.clock = 1.755e9;
  device.peaks["memory"] = 3.35e12;
  const ProductWork work = product(9240, 16'120, 16);
  EXPECT_GT(cycles(device, work, large, {4, 1}), 1.05 * cycles(device, work, large, {1, 4}));
}

TEST(PersistentModel, SwapsOperandsWhereThatWastesLess) {
  const BlockShape tiles[] = {{128, 160}};
  const auto config_for = [&](unsigned m, unsigned n, bool may_swap) {
    ProductWork work = product(m, n, 4096);
    work.may_swap = may_swap;
    return choice(device_of(132), work, tiles);
  };
  EXPECT_TRUE(config_for(160, 128 * 132, true).swapped);
  EXPECT_FALSE(config_for(160, 128 * 132, false).swapped);
  EXPECT_FALSE(config_for(128 * 132, 160, true).swapped);
  // Tiles of Cᵀ: 128 rows, of which each is a column of C.
  const PersistentConfig swapped = config_for(160, 128 * 132, true);
  EXPECT_EQ(swapped.row_tiles(160, 128 * 132) * swapped.cluster.rows, 132u);
  EXPECT_EQ(swapped.column_tiles(160, 128 * 132) * swapped.cluster.columns, 1u);
  EXPECT_EQ(swapped.rows_of_c(), 160u);
  EXPECT_EQ(swapped.columns_of_c(), 128u);
}

TEST(PersistentModel, ExpectsSharingToPayForShortRowsThatAllBlocksRequestAtOnce) {
  const DeviceInfo device = device_of(132);
  const ProductWork product_of_8 = product(7280, 232, 8), product_of_64 = product(7280, 232, 64);
  const auto saved = [&](const ProductWork& work) {
    return cycles(device, work, medium, {1, 1}) - cycles(device, work, medium, {4, 1});
  };
  EXPECT_GT(saved(product_of_8), 2000);
  EXPECT_LT(saved(product_of_64), 1000);
}

TEST(PersistentModel, ExpectsPowerToSlowLongProductsAlone) {
  EXPECT_LT(throttled(1e4), 1.02e4);
  EXPECT_GT(throttled(4e6), 1.4 * 4e6);
  // A fourth wave of tiles costs more than a cluster of eight saves in reads from L2: 339 µs instead of 264 on an H100.
  const PersistentConfig two{.rows = 128, .columns = 256, .cluster = {2, 1}, .raster = 8};
  const PersistentConfig eight{.rows = 128, .columns = 256, .cluster = {4, 2}, .raster = 4};
  const ProductWork work = product(2008, 6024, 6936);
  EXPECT_LT(1.05 * expected_cycles(device_of(132), work, two, 66), expected_cycles(device_of(132), work, eight, 15));
}

TEST(PersistentModel, ExpectsSplitsToFillADevice) {
  const ProductWork deep = product(128, 128, 65536);
  EXPECT_LT(cycles(device_of(132), deep, medium, {1, 1}, 32), cycles(device_of(132), deep, medium, {1, 1}) / 4);
  EXPECT_GT(cycles(device_of(1), deep, medium, {1, 1}, 32), cycles(device_of(1), deep, medium, {1, 1}));
}

TEST(PersistentModel, SplitsTheTilesThatDoNotFillAWave) {
  const DeviceInfo device = device_of(132);
  const BlockShape tiles[] = {large};
  const auto config_for = [&](const ProductWork& work) { return choice(device, work, tiles); };
  const PersistentConfig ragged = config_for(product(4320, 2256, 14'120));  // 34 x 9 tiles: 2.3 waves
  EXPECT_GT(ragged.whole, 0u);
  EXPECT_GT(ragged.splits, 1u);
  EXPECT_LT(ragged.whole, ragged.tiles(4320, 2256));
  EXPECT_GT(config_for(product(2100, 2200, 3592)).whole, 0u);       // a point of the conformance suite
  EXPECT_EQ(config_for(product(132 * 128, 512, 4096)).splits, 1u);  // two full waves
  EXPECT_EQ(config_for(product(4320, 2256, 64)).splits, 1u);        // too few k-tiles
  // Of the partial sums: a float for each element of the tiles that are split, and each split.
  EXPECT_EQ(ragged.workspace_bytes(4320, 2256), sizeof(float) * ragged.splits * ragged.cluster.size() * 128 * 256 *
                                                    (ragged.tiles(4320, 2256) - ragged.whole));
}

TEST(PersistentModel, ExpectsLessOfALargerDeviceAndMoreOfALargerProduct) {
  for (const unsigned size : {200u, 1000u, 4104u}) {
    double more_units = 0;
    for (const int units : {264, 132, 20, 1}) {  // of any name
      const double expected = cycles(device_of(units), product(size, size, size), medium, {1, 1});
      EXPECT_TRUE(std::isfinite(expected));
      EXPECT_GE(expected, more_units) << units << " multiprocessors, " << size;
      more_units = expected;
    }
    EXPECT_LT(more_units, cycles(device_of(1), product(2 * size, 2 * size, 2 * size), medium, {1, 1}));
  }
}

constexpr TileModel small_f32{32, 32, 32, 2, two_stages, {0.56, 0.32, 1800}, {0.45, 0.22, 1800}};
constexpr TileModel large_f32{128, 128, 16, 2, two_stages, {0.842, 0.38, 4900}, {0.812, 0.259, 11500}, 1.03};

SplitPlan splits_for(const GemmSize& size, int units, const TileModel& tile = small_f32) {
  return best_splits(tile, size, device_of(units));
}

TEST(PersistentModel, OrdersItsChoicesByCostBehindTheOneOfAdaptive) {
  const std::vector<PersistentChoice> choices{{.cycles = 300}, {.cycles = 100.2}, {.cycles = 100}, {.cycles = 200}};
  std::vector<double> cycles;
  for (const PersistentChoice& choice : by_cycles(choices)) cycles.push_back(choice.cycles);
  EXPECT_EQ(cycles, (std::vector{100.2, 100., 200., 300.}));  // among near equals the first is adaptive's
  EXPECT_THROW(by_cycles({}), Error);
}

/// Choices among tiles of 128 rows of a device of 132 multiprocessors; the cheapest one's cycles.
std::vector<PersistentChoice> by_schedule(Schedule schedule, const ProductWork& work) {
  const BlockShape tiles[] = {{128, schedule == Schedule::pingpong ? 192u : 256u, schedule}, {128, 128, schedule}};
  const auto resident = [](const PersistentConfig& config) { return 132 / config.cluster.size(); };
  return persistent_choices(device_of(132), work, tiles, 8, resident);
}
double least_cycles(Schedule schedule, const ProductWork& work) { return cheapest(by_schedule(schedule, work)).cycles; }

TEST(PingPongModel, OffersPairsAtMostAndMoreTilesThanBlocks) {
  EXPECT_TRUE(by_schedule(Schedule::pingpong, product(1024, 1024, 1024)).empty());  // 64 tiles
  ProductWork work = product(4096, 4096, 1024);
  work.may_swap = true;
  const std::vector<PersistentChoice> choices = by_schedule(Schedule::pingpong, work);
  EXPECT_EQ(choices.size(), 6u);
  for (const PersistentChoice& choice : choices) {
    EXPECT_EQ(choice.config.schedule, Schedule::pingpong);
    EXPECT_LE(choice.config.cluster.size(), 2u);
    EXPECT_FALSE(choice.config.swapped);
  }
  for (const PersistentChoice& choice : by_schedule(Schedule::pingpong, product(2304, 4096, 16'384)))
    EXPECT_EQ(choice.config.splits, 1u);  // the last wave is not half full
}

TEST(PingPongModel, ExpectsTurnsToPayWhereStoresAreMuchOfATile) {
  ProductWork floats = product(4096, 4096, 1024), deep = product(4096, 4096, 8192), shallow = product(4096, 4096, 64);
  floats.is_f32_out = deep.is_f32_out = true;
  const auto gain = [](const ProductWork& work) {
    return least_cycles(Schedule::cooperative, work) / least_cycles(Schedule::pingpong, work);
  };
  EXPECT_GT(gain(floats), 1.04);
  EXPECT_LT(gain(deep), gain(floats));
  EXPECT_LT(gain(shallow), 1);  // a tile's stores take longer than the other's multiplications
}

TEST(PingPongModel, ExpectsMoreOfWiderElementsAndOfMoreTiles) {
  const auto expected = [](unsigned m, unsigned k, bool is_f32_out) {
    ProductWork work = product(m, 4096, k);
    work.is_f32_out = is_f32_out;
    const PersistentConfig config{
        .rows = 128, .columns = 128, .cluster = {1, 2}, .raster = 16, .schedule = Schedule::pingpong};
    return expected_cycles(device_of(132), work, config, 66);
  };
  for (const unsigned k : {64u, 1024u, 4096u}) {
    EXPECT_GT(expected(4096, k, true), expected(4096, k, false)) << k;
    EXPECT_GT(expected(4096, 2 * k, false), expected(4096, k, false)) << k;
    const double eight_waves = expected(33 * 128, k, false), sixteen_waves = expected(66 * 128, k, false);
    EXPECT_GT(sixteen_waves, 1.6 * eight_waves) << k;
    EXPECT_LT(sixteen_waves, 2.2 * eight_waves) << k;  // power slows the longer one
  }
}

TEST(PingPongModel, CountsAShareOfStoresBesideMultiplications) {
  const DeviceInfo device = device_of(132);
  const PersistentConfig config{
      .rows = 128, .columns = 128, .cluster = {1, 1}, .raster = 16, .schedule = Schedule::pingpong};
  const ProductWork work = product(128 * 128, 128 * 33, 4096);  // 4224 tiles, in 32 waves or twice as many
  ProductWork floats = work;
  floats.is_f32_out = true;
  const auto expected = [&](unsigned resident) { return expected_cycles(device, work, config, resident); };
  const double multiplied = 64 * 512, all = 32 * multiplied, store = 128 * 128 * 2 / Rates(device).l2_stores;
  const double by_power = throttled(2 * all) - throttled(all) - all;
  EXPECT_NEAR(expected(66) - expected(132) - by_power, 32 * (multiplied + 64 * k_tile_cycles + share_of_stores * store),
              10);
  EXPECT_GT(expected_cycles(device, floats, config, 132) - expected(132), 5 * store);  // 1.5 are of the last tile
}

TEST(PersistentModel, CountsTheLastTilesStoresOfFloats) {
  const auto expected = [](Schedule schedule, unsigned columns, bool f32_out) {
    const PersistentConfig config{
        .rows = 128, .columns = columns, .cluster = {1, 2}, .raster = 16, .schedule = schedule};
    ProductWork work = product(128 * 6, 2 * columns * 11, 8192);  // one wave
    work.is_f32_out = f32_out;
    return expected_cycles(device_of(132), work, config, 66);
  };
  const auto store = [](unsigned columns) { return 128 * columns * 2 / Rates(device_of(132)).l2_stores; };
  for (const unsigned columns : {128u, 192u}) {
    const auto more = [&](Schedule schedule) {
      return expected(schedule, columns, true) - expected(schedule, columns, false);
    };
    EXPECT_GT(more(Schedule::cooperative), 0.99 * store(columns));
    EXPECT_LT(more(Schedule::cooperative), 1.2 * store(columns));
    EXPECT_GT(more(Schedule::pingpong), 1.49 * store(columns));
    EXPECT_LT(more(Schedule::pingpong), 1.7 * store(columns));
  }
}

TEST(PersistentModel, ExpectsSwappedFloatsToBeStoredBetweenTiles) {
  DeviceInfo device = device_of(132);
  device.clock = 1e9;
  device.peaks = {{"memory", 1e18}};  // not the bound
  const auto expected = [&](unsigned k, bool f32_out, bool swapped) {
    ProductWork work = product(128 * 66, 128 * 66, k);  // 33 waves
    work.is_f32_out = f32_out;
    const PersistentConfig config{.rows = 128, .columns = 128, .cluster = {1, 1}, .raster = 16, .swapped = swapped};
    return expected_cycles(device, work, config, 132);
  };
  const double store = 128 * 128 * 4 / Rates(device).l2_stores, k_tile = 128 * 640 / 128.0 + k_tile_cycles;
  EXPECT_NEAR(expected(8192, false, true), expected(8192, false, false), 1);
  EXPECT_NEAR(expected(8192, true, true) - expected(8192, true, false), 32 * store, 1);
  ASSERT_LT(k_tile, store);  // not swapped, a tile is multiplied while the one before is stored
  EXPECT_NEAR(expected(64, true, true) - expected(64, true, false), 32 * k_tile, 1);
}

TEST(PersistentModel, ExpectsWideTilesOfFloatsToBeStoredBetweenTiles) {
  const auto of_floats = [](unsigned columns, unsigned m, bool promoted) {
    const PersistentConfig config{.rows = 128, .columns = columns, .cluster = {1, 1}, .raster = 8};
    ProductWork work = product(m, 132 * columns / 4, 8192), floats = work;
    work.is_promoted = floats.is_promoted = promoted;
    floats.is_f32_out = true;
    return expected_cycles(device_of(132), floats, config, 132) / expected_cycles(device_of(132), work, config, 132);
  };
  EXPECT_GT(of_floats(192, 4096, false), of_floats(160, 4096, false) + 0.01);
  EXPECT_NEAR(of_floats(192, 4096, true), of_floats(160, 4096, true), 0.01);  // promoted totals stay where they are
  EXPECT_NEAR(of_floats(192, 512, false), of_floats(160, 512, false), 0.01);  // one wave: last tiles are stored at once
  // Where split tiles follow, all whole ones are followed.
  const auto split = [](bool f32_out, bool swapped) {
    ProductWork work = swapped ? product(33 * 192, 5 * 128, 8192) : product(5 * 128, 33 * 192, 8192);
    work.is_f32_out = f32_out;
    const PersistentConfig config{
        .rows = 128, .columns = 192, .cluster = {1, 1}, .raster = 8, .splits = 4, .whole = 132, .swapped = swapped};
    return expected_cycles(device_of(132), work, config, 132);
  };
  const double store = 128 * 192 * 4 / Rates(device_of(132)).l2_stores;
  EXPECT_NEAR(split(true, false) - split(false, false), store / 2, 1);
  EXPECT_NEAR(split(true, true) - split(false, true), store, 1);
}

TEST(PersistentModel, TakesBothSchedulesInTurn) {
  const auto order = [](std::initializer_list<double> cooperative, std::initializer_list<double> pingpong) {
    std::vector<PersistentChoice> choices;
    for (const double cycles : cooperative) choices.push_back({.cycles = cycles});
    for (const double cycles : pingpong) {
      choices.push_back({.cycles = cycles});
      choices.back().config.schedule = Schedule::pingpong;
    }
    std::vector<double> ordered;
    for (const PersistentChoice& choice : schedules_in_turn(choices)) ordered.push_back(choice.cycles);
    return ordered;
  };
  EXPECT_EQ(order({300, 100}, {90, 400, 95}), (std::vector{90., 100., 95., 300., 400.}));
  EXPECT_EQ(order({100}, {99.9}), (std::vector{100., 99.9}));  // near equals: the first
  EXPECT_EQ(order({200, 100}, {}), (std::vector{100., 200.}));
  EXPECT_EQ(order({}, {200, 100}), (std::vector{100., 200.}));
  EXPECT_EQ(order({100}, {110.1, 110}), (std::vector{100., 110.1, 110.}));  // within a schedule, too
}

/// C = A·Bᵀ in 16 bits. Large clusters do not fill a device.
std::vector<ClusterSplitChoice> split_choices(const DeviceInfo& device, unsigned m, unsigned n, unsigned k) {
  const auto resident = [&](const ClusterSplitConfig& config) {
    const unsigned clusters = static_cast<unsigned>(device.compute_units) / config.splits;
    return config.blocks * (config.splits > 2 ? clusters - 2 : clusters);
  };
  return cluster_split_choices(device, m, n, product(m, n, k).operands, resident);
}

TEST(ClusterSplitModel, ExpectsSplitsToPayWhereTilesLeaveMultiprocessorsIdle) {
  const DeviceInfo device = device_of(132);
  EXPECT_EQ(split_choices(device, 64, 512, 8192).front().config.splits, 8);
  EXPECT_EQ(split_choices(device, 64, 4096, 8192).front().config.splits, 2);
  EXPECT_EQ(split_choices(device, 64, 8192, 8192).front().config.splits, 1);
}

TEST(ClusterSplitModel, ExpectsSplitsNotToPayForWhatTheyExchange) {
  EXPECT_EQ(split_choices(device_of(132), 64, 4096, 256).front().config.splits, 1);  // four k-tiles
}

TEST(ClusterSplitModel, ExpectsTheDeepRingToPayWhereOneBlockIsEnough) {
  EXPECT_EQ(split_choices(device_of(132), 64, 8192, 8192).front().config.blocks, 1);
}

TEST(ClusterSplitModel, ExpectsLargerTilesToPayWhereTheyReadAnOperandOnce) {
  const DeviceInfo device = device_of(132);
  const auto tile = [&](unsigned m, unsigned n, unsigned k) {
    const ClusterSplitConfig config = split_choices(device, m, n, k).front().config;
    return std::pair(config.rows, config.columns);
  };
  EXPECT_EQ(tile(72, 2048, 8192), std::pair(128u, 64u));
  EXPECT_EQ(tile(2048, 72, 8192), std::pair(64u, 128u));
  EXPECT_EQ(tile(64, 4096, 4096), std::pair(64u, 64u));
  EXPECT_EQ(tile(72, 2048, 512), std::pair(64u, 64u));  // beside what a larger tile takes at its ends
}

TEST(ClusterSplitModel, ExpectsAsMuchOfRowsAsOfColumns) {
  const auto cycles = [&](unsigned m, unsigned n, const ClusterSplitConfig& config) {
    return expected_cycles(device_of(132), product(m, n, 8192).operands, 64, config, false);
  };
  EXPECT_EQ(cycles(64, 8192, {64, 128, 1, 1}), cycles(8192, 64, {128, 64, 1, 1}));
  EXPECT_GT(cycles(64, 8192, {64, 128, 1, 1}), 1.1 * cycles(64, 8192, {64, 64, 1, 1}));  // as many tiles, twice as wide
}

TEST(ClusterSplitModel, ExpectsMoreOfAnExchangeOfLargerTiles) {
  const DeviceInfo device = device_of(132);
  const auto of_exchange = [&](unsigned rows, unsigned columns) {
    const Operands operands = product(rows, columns, 64).operands;  // a k-tile, however it is split
    return expected_cycles(device, operands, 1, {rows, columns, 2, 1}, false) -
           expected_cycles(device, operands, 1, {rows, columns, 1, 1}, false);
  };
  EXPECT_GT(of_exchange(128, 64), 1.5 * of_exchange(64, 64));
  EXPECT_EQ(of_exchange(64, 128), of_exchange(128, 64));
}

TEST(ClusterSplitModel, OffersWhatFitsAtOnceInOrderOfCycles) {
  const DeviceInfo device = device_of(132);
  EXPECT_EQ(split_choices(device, 64, 64, 4096).size(), std::size(cluster_split_configs));
  EXPECT_EQ(split_choices(device, 64, 64, 128).size(), std::size(cluster_split_configs) / 2);  // two k-tiles
  EXPECT_EQ(split_choices(device, 128, 132 * 64, 4096).size(), 3);                             // not split
  EXPECT_EQ(split_choices(device, 64, 264 * 64, 4096).size(), 2);
  EXPECT_TRUE(split_choices(device, 64, 265 * 64, 4096).empty());
  EXPECT_TRUE(split_choices(device, 0, 64, 4096).empty());
  EXPECT_TRUE(split_choices(device, 64, 64, 0).empty());
  const std::vector<ClusterSplitChoice> choices = split_choices(device, 64, 1024, 4096);
  EXPECT_TRUE(std::ranges::is_sorted(choices, {}, &ClusterSplitChoice::cycles));
}

TEST(ClusterSplitModel, CountsTwoBlocksWhereTilesDoNotFitWithOne) {
  const DeviceInfo device = device_of(132);
  for (const unsigned tiles : {132u, 133u}) {
    const ClusterSplitConfig two{64, 64, 1, 2};
    const std::vector<ClusterSplitChoice> choices = split_choices(device, 64, tiles * 64, 4096);
    const auto found = std::ranges::find_if(choices, [&](const ClusterSplitChoice& choice) {
      return choice.config.splits == two.splits && choice.config.blocks == two.blocks;
    });
    ASSERT_NE(found, choices.end());
    EXPECT_EQ(found->cycles, expected_cycles(device, product(64, tiles * 64, 4096).operands, tiles, two, tiles > 132));
  }
}

TEST(ClusterSplitModel, IsLevelWithPersistent) {
  const DeviceInfo device = device_of(132);
  const auto of_persistent = [&](unsigned m, unsigned n, unsigned k) {
    constexpr BlockShape tiles[] = {medium, {64, 128}, {64, 64}};
    const auto resident = [](const PersistentConfig& config) { return 132 / config.cluster.size(); };
    return cheapest(persistent_choices(device, product(m, n, k), tiles, 8, resident)).cycles;
  };
  EXPECT_LT(split_choices(device, 64, 4096, 4096).front().cycles, of_persistent(64, 4096, 4096));
  EXPECT_LT(split_choices(device, 256, 256, 256).front().cycles, of_persistent(256, 256, 256));
  EXPECT_GT(split_choices(device, 1024, 1024, 1024).front().cycles, of_persistent(1024, 1024, 1024));
  const double launch = split_choices(device, 64, 64, 64).front().cycles;
  EXPECT_GT(launch, 4000);
  EXPECT_LT(launch, 5500);
}

TEST(ClusterSplitModel, ExpectsMoreOfALargerProductOrLongerRequests) {
  const DeviceInfo device = device_of(132);
  const auto least = [&](unsigned m, unsigned n, unsigned k) { return split_choices(device, m, n, k).front().cycles; };
  const double cycles = least(64, 4096, 4096);
  EXPECT_GT(least(64, 6144, 4096), cycles);
  EXPECT_GT(least(64, 4096, 8192), cycles);
  EXPECT_GT(least(64, 4096, 4104), 1.05 * cycles);  // rows begin within lines
  EXPECT_LT(least(16, 4096, 4104), 0.95 * least(64, 4096, 4104));
  // B as k x n: rows shorter than a box are more requests.
  const auto of_columns = [&](unsigned n) {
    const Operands operands{{nullptr, 8192, 4104, 4104}, {nullptr, 4104, n, n}};
    return expected_cycles(device, operands, 128, {64, 64, 1, 1}, false);
  };
  EXPECT_GT(of_columns(24), 1.2 * of_columns(72));
}

/// Of one configuration, 1 x 1, with `tiles` side by side.
double split_cycles(const DeviceInfo& device, unsigned tiles, unsigned k, unsigned blocks = 1, bool is_shared = false) {
  return expected_cycles(device, product(64, 64 * tiles, k).operands, tiles, {64, 64, 1, blocks}, is_shared);
}

TEST(ClusterSplitModel, AddsWhatBlocksAndMemoryTakeAsSidesOfATriangle) {
  DeviceInfo device = device_of(132), boundless = device_of(132);
  for (DeviceInfo* of : {&device, &boundless}) of->clock = 1.98e9;
  boundless.peaks = {{"memory", 1e18}, {"l2", 1e18}};
  const double fixed = split_cycles(boundless, 79, 64) - 250, in_blocks = split_cycles(boundless, 79, 8192) - fixed;
  const double both = split_cycles(device, 79, 8192) - fixed;  // memory takes about as long
  EXPECT_GT(both, 1.25 * in_blocks);
  EXPECT_LT(both, 1.6 * in_blocks);
  DeviceInfo slow = device;
  slow.peaks["memory"] = 9 * 132 * device.clock;  // half of the bytes a cycle
  EXPECT_GT(split_cycles(slow, 79, 8192), 1.3 * split_cycles(device, 79, 8192));
}

TEST(ClusterSplitModel, ExpectsTwoBlocksOfAMultiprocessorToWaitForEachOther) {
  const DeviceInfo device = device_of(132);
  EXPECT_GT(split_cycles(device, 8, 64, 2, true), 1000 + split_cycles(device, 8, 64, 2, false));
  const double of_k_tiles = split_cycles(device, 8, 16392, 2, false) - split_cycles(device, 8, 64, 2, false);
  EXPECT_GT(split_cycles(device, 8, 16392, 2, true) - split_cycles(device, 8, 64, 2, true), 1.4 * of_k_tiles);
}

TEST(Autotuned, SharesAWorkspaceAmongKernelsWithoutCountersAlone) {
  const auto bytes = [](std::vector<Candidate<MatmulF32>> candidates) {
    return Autotuned<MatmulF32>(std::move(candidates)).workspace_bytes();
  };
  EXPECT_EQ(bytes({{{}, 1000, false}, {{}, 300, false}}), 1024);
  EXPECT_EQ(bytes({{{}, 1000, false}, {{}, 300, true}, {{}, 4096, false}, {{}, 100, true}}), 4096 + 512 + 256);
  EXPECT_EQ(bytes({{{}, 0, true}}), 0);
}

TEST(TileCost, SplitsSumsThatAreTooShortToFillADeviceAsFarAsTheyGo) {
  const SplitPlan plan = splits_for({40, 24, 2872}, 132);
  EXPECT_GT(plan.splits.count, 8u);
  EXPECT_LE(plan.splits.count, 2872u / (4 * 32));
  EXPECT_EQ(splits_for({40, 24, 100}, 132).splits.count, 1u);       // fewer than eight k-tiles
  EXPECT_EQ(splits_for({4096, 4096, 4096}, 128).splits.count, 1u);  // full waves
  EXPECT_EQ(splits_for({40, 24, 2872}, 1).splits.count, 1u);
}

TEST(TileCost, SplitsTheLastTilesAloneWhereTheyDoNotFillAWave) {
  constexpr std::size_t wave = 2 * 132, depth = 3440;
  for (const std::size_t width : {std::size_t{128}, std::size_t{126}}) {
    const SplitPlan plan = splits_for({128 * (wave + 9), width, depth}, 132, large_f32);
    EXPECT_EQ(plan.splits.whole, wave);
    EXPECT_GT(plan.splits.count, 4u);
    EXPECT_LE(9 * plan.splits.count, wave);
    EXPECT_LT(plan.cycles, 0.8 * splits_for({128 * 2 * wave, width, depth}, 132, large_f32).cycles);
  }
  EXPECT_EQ(splits_for({128 * 2 * wave, 128, depth}, 132, large_f32).splits.count, 1u);  // full waves
  EXPECT_EQ(splits_for({128 * (wave + 9), 128, 64}, 132, large_f32).splits.count, 1u);   // no time to gain
  EXPECT_EQ(splits_for({8192, 8192, 8192}, 132, large_f32).splits.count, 1u);            // 2 % to gain
}

TEST(TileCost, SplitsInClustersThatHaveRoom) {
  constexpr TileModel tile{64, 128, 8, 3, multistage, {0.839, 0.72, 1750}, {0.81, 0.782, 590}};
  constexpr unsigned most = 8;
  const auto plan_for = [&](const GemmSize& size, unsigned largest) {
    return best_cluster(tile, size, device_of(132), most,
                        [&](unsigned splits) { return splits <= largest ? 360 / splits : 0; });
  };
  constexpr GemmSize deep{64, 128, 65536};
  EXPECT_EQ(plan_for(deep, most).splits, most);
  EXPECT_EQ(plan_for(deep, 5).splits, 5u);                        // larger ones have no room
  EXPECT_TRUE(std::isinf(plan_for(deep, 1).cycles));              // nor has any here
  EXPECT_TRUE(std::isinf(plan_for({64, 128, 63}, most).cycles));  // fewer than eight k-tiles
  EXPECT_LE(plan_for({64, 128, 200}, most).splits, 200u / (4 * 8));

  // One cluster more than there is room for takes a wave more.
  const auto cycles = [&](std::size_t tiles) {
    return TileCost(tile, {64 * tiles, 128, 16384}, device_of(132)).clusters(8, 45, false);
  };
  EXPECT_LT(cycles(45), 1.05 * cycles(40));
  EXPECT_GT(cycles(46), 1.2 * cycles(45));
  EXPECT_GT(cycles(90), 1.8 * cycles(45));
}

TEST(TileCost, CountsPartialSumsOfSplitTilesAlone) {
  const auto bytes = [](const GemmSize& size, const Splits& splits) {
    return TileCost(large_f32, size, device_of(132)).partial_bytes(splits);
  };
  constexpr double tile = 128 * 128 * sizeof(float);
  EXPECT_EQ(bytes({1280, 1280, 4096}, {1, 0}), 0);
  EXPECT_EQ(bytes({1280, 1280, 4096}, {4, 0}), 100 * 4 * tile);
  EXPECT_EQ(bytes({1280, 1280, 4096}, {4, 90}), 10 * 4 * tile);
  EXPECT_EQ(bytes({64, 1280, 4096}, {4, 0}), 10 * 4 * tile / 2);  // of rows in C
}

TEST(TileCost, ExpectsMoreOfALargerProductAndLessOfALargerDevice) {
  const double of_one = splits_for({500, 500, 500}, 1).cycles, of_all = splits_for({500, 500, 500}, 132).cycles;
  EXPECT_TRUE(std::isfinite(of_one));
  EXPECT_LT(of_all, of_one / 20);
  EXPECT_LT(of_all, splits_for({1000, 500, 500}, 132).cycles);
  EXPECT_LT(of_all, splits_for({500, 500, 1000}, 132).cycles);
}

/// m x n x k in fp32, of which m or n is 1.
gemv::Problem<float> vector_product(std::size_t m, std::size_t n, std::size_t k) {
  return {nullptr, nullptr, m, n, k, false};
}
double gemv_cycles(std::size_t m, std::size_t n, std::size_t k, int units = 132) {
  const gemv::Problem problem = vector_product(m, n, k);
  return problem.is_dot ? gemv::dot_cycles(device_of(units), problem)
                        : gemv::last_block_plan(device_of(units), problem).cycles;
}

TEST(Gemv, LoadsAsWideAsRowsAllow) {
  EXPECT_EQ(vector_product(1, 4096, 33).width, 4u);
  EXPECT_EQ(vector_product(1, 4098, 32).width, 2u);
  EXPECT_EQ(vector_product(4097, 1, 32).width, 4u);
  EXPECT_EQ(vector_product(4096, 1, 33).width, 1u);
  EXPECT_EQ((gemv::Problem<std::uint16_t>{nullptr, nullptr, 1, 33, 4096, true}.width), 8u);
  EXPECT_EQ((gemv::Problem<std::uint8_t>{nullptr, nullptr, 1, 33, 4096, true}.width), 16u);
  EXPECT_EQ((gemv::Problem<std::uint8_t>{nullptr, nullptr, 33, 1, 4100, true}.width), 4u);
}

/// The cheapest plan of combine_rows().
gemv::CombinePlan splits_of(std::size_t n, std::size_t k, std::size_t columns = 0) {
  return gemv::last_block_plan(device_of(132), vector_product(1, n, k), columns);
}

TEST(Gemv, CoversAllOfK) {
  for (const std::size_t n : {2u, 28u, 77u, 136u, 2464u, 5776u, 100'000u})
    for (const std::size_t k : {1u, 195u, 1087u, 20'000u, 3'000'000u})
      for (const int units : {1, 132})
        for (const std::size_t columns : {0u, 16u, 128u}) {
          const gemv::Problem problem = vector_product(1, n, k);
          const gemv::CombinePlan plan = gemv::last_block_plan(device_of(units), problem, columns);
          EXPECT_GE(plan.splits * plan.block_depth, k) << n << ", " << k;
          EXPECT_LT((plan.splits - 1) * plan.block_depth, k) << n << ", " << k;
          EXPECT_LE(plan.splits, 65'535u) << n << ", " << k;
          EXPECT_GE(plan.column_blocks * plan.lanes * problem.width, n) << n << ", " << k;
          EXPECT_LE(plan.lanes * problem.width, gemv::combine_block) << n << ", " << k;
          if (columns > 0) EXPECT_EQ(plan.lanes * problem.width, columns) << n << ", " << k;
          if (columns == 0 && plan.splits > 1) EXPECT_LE(plan.lanes, 32u) << n << ", " << k;  // as measured
        }
}

TEST(Gemv, SplitsKWhereColumnsDoNotFillTheDevice) {
  EXPECT_EQ(splits_of(2, 195).splits, 1u);
  EXPECT_GT(splits_of(2, 100'000).splits, 32u);
  EXPECT_GT(splits_of(1574, 4096).splits, 1u);
  EXPECT_GT(splits_of(132 * 128, 8192, 128).splits, 1u);  // a block alone draws less than its multiprocessor could
  EXPECT_EQ(splits_of(16'000, 4096).splits, 1u);
}

TEST(Gemv, HasOnePassOfLoadsWhereItCan) {
  const auto passes = [](const gemv::CombinePlan& plan) {
    return blocks_for(plan.block_depth, gemv::combine_block / plan.lanes * gemv::combine_loads);
  };
  for (const std::size_t k : {16u, 64u, 150u, 1000u}) EXPECT_EQ(passes(splits_of(300, k)), 1u) << k;
  EXPECT_GT(splits_of(300, 64).lanes, splits_of(300, 1000).lanes);
  EXPECT_GT(splits_of(300, 257, 64).cycles, splits_of(300, 256, 64).cycles + 2500);  // another pass waits, and issues
  // Many columns and few rows: wide blocks, of which there are enough.
  EXPECT_GT(splits_of(100'000, 16).lanes, 32u);
  EXPECT_GE(splits_of(100'000, 16).column_blocks, 264u);
}

/// 391 blocks are 1.5 waves, whose last half draws less of the bandwidth.
TEST(Gemv, FillsTheLastWaveOfManyColumns) {
  const gemv::Problem<std::uint16_t> problem(nullptr, nullptr, 1, 100'000, 4096, false);
  EXPECT_EQ(gemv::last_block_plan(device_of(132), problem, 256).column_blocks, 391u);
  const gemv::CombinePlan plan = gemv::last_block_plan(device_of(132), problem);
  EXPECT_GT(plan.column_blocks * plan.splits % 264, 132u);
}

/// In clusters, on a device that holds `resident` blocks of those of three and more.
gemv::CombinePlan in_clusters(std::size_t n, std::size_t k, std::size_t splits = 0, unsigned resident = 248) {
  return gemv::cluster_plan(device_of(132), vector_product(1, n, k), splits,
                            [&](unsigned size) { return (size <= 2 ? 264 : resident) / size; });
}

TEST(Gemv, CoversAllOfKInAClusterOfNoMoreThanEight) {
  for (const std::size_t n : {2u, 77u, 1574u, 100'000u})
    for (const std::size_t k : {1u, 2u, 7u, 195u, 20'000u})
      for (const unsigned splits : {0u, 2u, 4u, gemv::max_cluster}) {
        const gemv::CombinePlan plan = in_clusters(n, k, splits);
        EXPECT_GE(plan.splits * plan.block_depth, k) << n << ", " << k;
        EXPECT_LT((plan.splits - 1) * plan.block_depth, k) << n << ", " << k;
        EXPECT_LE(plan.splits, splits > 0 ? splits : gemv::max_cluster) << n << ", " << k;
        EXPECT_LE(plan.lanes, gemv::max_lanes_in_cluster) << n << ", " << k;
        if (splits > 0 && k > splits * splits) EXPECT_EQ(plan.splits, splits) << n << ", " << k;
      }
}

/// Sums by the last block take a trip to L2 and back. Blocks enough for the device need none, and clusters have eight.
TEST(Gemv, ExpectsClustersToPayForFewColumnsOfAMiddlingK) {
  EXPECT_LT(in_clusters(300, 4096).cycles, splits_of(300, 4096).cycles);
  EXPECT_LT(in_clusters(1574, 1000).cycles, splits_of(1574, 1000).cycles);
  EXPECT_LT(in_clusters(4096, 4096).cycles, splits_of(4096, 4096).cycles);
  EXPECT_GT(in_clusters(300, 1000).cycles, splits_of(300, 1000).cycles);
  EXPECT_GT(in_clusters(4096, 64).cycles, splits_of(4096, 64).cycles);
  EXPECT_GT(in_clusters(16'000, 4096).cycles, splits_of(16'000, 4096).cycles + 1500);  // behind the last loads
  EXPECT_GT(in_clusters(100'000, 150).cycles, splits_of(100'000, 150).cycles);
  EXPECT_GT(in_clusters(3, 1'000'000).cycles, splits_of(3, 1'000'000).cycles);
}

TEST(Gemv, CountsTheClustersThatTheDeviceHolds) {
  EXPECT_LT(in_clusters(4096, 4096, 4, 256).cycles + 3000, in_clusters(4096, 4096, 4, 248).cycles);  // another wave
  EXPECT_EQ(in_clusters(4096, 4096, 2, 248).cycles, in_clusters(4096, 4096, 2, 256).cycles);
  EXPECT_EQ(in_clusters(4096, 4096, 0, 0).splits, 2u);  // none of the others fits
}

/// A load of 16 bytes has eight elements of 16 bits to convert and multiply, and four floats.
TEST(Gemv, ExpectsElementsToBeConverted) {
  const gemv::Problem<std::uint16_t> halves(nullptr, nullptr, 1, 8192, 4096, false);
  EXPECT_GT(gemv::last_block_plan(device_of(132), halves, 128).cycles, splits_of(4096, 4096, 64).cycles + 800);
}

TEST(Gemv, SharesARowAmongTheMoreThreadsTheLongerItIs) {
  const auto share = [](std::size_t m, std::size_t k) {
    const gemv::RowShare of = gemv::row_share(device_of(132), vector_product(m, 1, k));
    return std::pair(of.lanes, of.loads);
  };
  using Share = std::pair<unsigned, unsigned>;  // threads, and the loads of each, of four elements
  EXPECT_EQ(share(100'000, 8), Share(1, 2));
  EXPECT_EQ(share(100'000, 12), Share(4, 2));
  EXPECT_EQ(share(100'000, 36), Share(8, 4));
  EXPECT_EQ(share(100'000, 132), Share(32, 4));
  EXPECT_EQ(share(100'000, 516), Share(32, 8));
  EXPECT_EQ(share(100'000, 100'000), Share(gemv::dot_block, 8));
  EXPECT_EQ(share(3, 1028), Share(gemv::dot_block, 2));
  EXPECT_EQ(share(3, 2052), Share(gemv::dot_block, 4));
  EXPECT_EQ(share(3, 4100), Share(gemv::dot_block, 8));
  EXPECT_EQ(share(3, 5003), Share(gemv::dot_block, 12));  // of one element, which more are in flight of
  for (std::size_t k = 1; k < 10'000; k += k < 600 ? 1 : 7)
    for (const std::size_t m : {1u, 2000u}) {
      const gemv::Problem<float> problem = vector_product(m, 1, k);
      const gemv::RowShare of = gemv::row_share(device_of(132), problem);
      const unsigned all = gemv::dot_loads(sizeof(float) * problem.width);
      EXPECT_TRUE(gemv::is_row_share(of.lanes, of.loads, all)) << k;
      if (of.loads < all) EXPECT_GE(of.lanes * of.loads * problem.width, k);  // one pass
    }
}

TEST(Gemv, AddsDoublesInDouble) {
  const gemv::Problem<double> problem(nullptr, nullptr, 1, 33, 100'000, false);
  EXPECT_EQ(problem.width, 1u);
  EXPECT_EQ((gemv::Problem<double>(nullptr, nullptr, 1, 34, 7, false).width), 2u);
  const gemv::CombinePlan plan = gemv::last_block_plan(device_of(132), problem);
  ASSERT_GT(plan.splits, 1u);
  EXPECT_EQ(gemv::workspace_bytes(problem, plan), gemv::ticket_bytes(plan) + plan.splits * 33 * sizeof(double));
}

TEST(Gemv, ExpectsSingleBlocksToWaitForMemory) {
  EXPECT_GT(gemv_cycles(1, 3, 1), 3000);            // launch and latency
  EXPECT_GT(gemv_cycles(1'000'000, 1, 1), 12'000);  // the ends of blocks
  EXPECT_LT(gemv_cycles(1, 4096, 4096), gemv_cycles(1, 8192, 4096));
  EXPECT_LT(gemv_cycles(4096, 1, 4096), gemv_cycles(4096, 1, 4096, 20));
  // Loads that a row lacks cost as much as others.
  EXPECT_NEAR(gemv_cycles(100'000, 1, 13), gemv_cycles(100'000, 1, 39), 1);
  // One block has all of k, and waits for memory in each of its passes.
  EXPECT_GT(gemv_cycles(1, 1, 100'000), 2 * gemv_cycles(1, 1, 8192));
  EXPECT_GT(gemv_cycles(1, 1, 100'000), gemv_cycles(132, 1, 800));
}

double f64_cycles(const matmul_f64::TileModel& tile, const matmul_f64::GemmSize& size, unsigned splits = 1,
                  unsigned whole = 0) {
  const matmul_f64::Config config{
      .rows = tile.rows, .columns = tile.columns, .warps = tile.warps, .splits = splits, .whole = whole};
  return matmul_f64::expected_cycles(tile, size, config, device_of(132));
}

TEST(F64TileModel, ExpectsSplitsToPayForLongSumsOfFewElementsAlone) {
  for (const matmul_f64::TileModel& tile : matmul_f64_mma_tma::tiles) {
    EXPECT_LT(10 * f64_cycles(tile, {64, 64, 65'536}, 32), f64_cycles(tile, {64, 64, 65'536}));
    EXPECT_GT(f64_cycles(tile, {4096, 4096, 4096}, 8), f64_cycles(tile, {4096, 4096, 4096}));
  }
}

TEST(F64TileModel, ExpectsSplitsOfTheLastTilesToPayTheMoreTheLessOfAWaveTheyFill) {
  using matmul_f64::GemmSize, matmul_f64::TileModel;
  const auto gain = [](const TileModel& tile, const GemmSize& size, unsigned splits) {
    const unsigned wave = 132 * tile.resident;
    const auto tiles = static_cast<unsigned>(size.m / 128 * size.n / 64), whole = tiles / wave * wave;
    EXPECT_LT(whole, tiles);
    EXPECT_LT(f64_cycles(tile, size, splits, whole), f64_cycles(tile, size, splits));
    return f64_cycles(tile, size) / f64_cycles(tile, size, splits, whole);
  };
  constexpr GemmSize half_a_wave{2304, 2304, 2304}, tenth_of_a_wave{1536, 1536, 1536};  // 120 and 24 tiles of 264
  constexpr TileModel slow_alone{128, 64, 4, 2, 1, 0.524, 892};
  EXPECT_GT(gain(slow_alone, half_a_wave, 2), 1.1);
  EXPECT_GT(gain(slow_alone, tenth_of_a_wave, 8), 1.3);
  const TileModel& fitted = matmul_f64_mma_tma::tiles[0];  // of the same shape
  EXPECT_GT(gain(fitted, half_a_wave, 2), 1.07);
  EXPECT_GT(gain(fitted, tenth_of_a_wave, 8), 1.4);
}

TEST(F64TileModel, ExpectsEightWarpsToPayWhereABlockHasAMultiprocessorForItself) {
  const auto &four = matmul_f64_mma_tma::tiles[0], &eight = matmul_f64_mma_tma::tiles[1];  // both 128 x 64
  ASSERT_EQ(four.warps, 4U);
  ASSERT_EQ(eight.warps, 8U);
  EXPECT_LT(1.2 * f64_cycles(eight, {1024, 1024, 1024}), f64_cycles(four, {1024, 1024, 1024}));
  EXPECT_GT(f64_cycles(eight, {4096, 4096, 4096}), f64_cycles(four, {4096, 4096, 4096}));
}

TEST(F64Config, CountsPartialSumsOfSplitTilesAlone) {
  const auto bytes = [](std::size_t m, std::size_t n, unsigned splits, unsigned whole) {
    return matmul_f64::Config{.rows = 128, .columns = 64, .splits = splits, .whole = whole}.workspace_bytes(m, n);
  };
  constexpr std::size_t tile = 128 * 64 * sizeof(double);
  EXPECT_EQ(bytes(1280, 1280, 1, 0), 0U);
  EXPECT_EQ(bytes(1280, 1279, 4, 0), 4 * 1280 * 1279 * sizeof(double));  // a matrix for each split
  EXPECT_EQ(bytes(1280, 1279, 4, 190), 10 * 4 * tile);                   // tile after tile
  EXPECT_EQ(bytes(64, 6400, 4, 90), 10 * 4 * tile / 2);                  // of rows in C
}

TEST(WorkTiles, HaveNoEmptySplit) {
  const auto tiles_of = [](unsigned splits, unsigned whole, unsigned k_tiles) {
    const PersistentConfig config{
        .rows = 128, .columns = 64, .cluster = {1, 1}, .raster = 8, .splits = splits, .whole = whole};
    return work_tiles(config, 1280, 1280, k_tiles, nullptr).scheduler;
  };
  EXPECT_EQ(tiles_of(1, 0, 10).count(), 200U);
  EXPECT_EQ(tiles_of(1, 0, 10).whole, 200U);
  for (const unsigned splits : {2U, 3U, 7U, 10U, 64U})
    for (const unsigned whole : {0U, 132U}) {
      const TileScheduler scheduler = tiles_of(splits, whole, 10);
      EXPECT_LE(scheduler.splits, splits);
      EXPECT_LT((scheduler.splits - 1) * scheduler.k_tiles_per_split, 10U) << splits;
      EXPECT_GE(scheduler.splits * scheduler.k_tiles_per_split, 10U) << splits;
      EXPECT_EQ(scheduler.count(), whole + (200 - whole) * scheduler.splits);
    }
}

TEST(F64TileModel, ExpectsSmallTilesToPayForSmallProducts) {
  const auto& large = matmul_f64_mma_tma::tiles[0];
  const auto& small = std::ranges::find_if(matmul_f64_mma_tma::tiles, [](const auto& t) { return t.rows == 32; })[0];
  EXPECT_LT(f64_cycles(large, {4096, 4096, 4096}), f64_cycles(small, {4096, 4096, 4096}));
  EXPECT_GT(f64_cycles(large, {256, 256, 256}), f64_cycles(small, {256, 256, 256}));
}

TEST(F64TileModel, ExpectsThreeBlocksToHideStoresWhereKIsShort) {
  const auto &two = matmul_f64_mma_tma::tiles[0], &three = matmul_f64_mma_multistage::tiles[1];
  ASSERT_EQ(three.resident, 3u);
  const auto gain = [&](std::size_t k) {
    return f64_cycles(two, {4096, 4096, k}) / f64_cycles(three, {4096, 4096, k});
  };
  EXPECT_GT(gain(64), 1.02);
  EXPECT_LT(gain(64), 1.14);  // 71.0 and 62.3 µs on an H200
  EXPECT_LT(gain(80), 0.98);
}

TEST(F64TileModel, ExpectsOddRowsToTakeLongerWhereSingleDoublesAreCopied) {
  for (const matmul_f64::TileModel& tile : matmul_f64_mma_multistage::tiles) {
    EXPECT_GT(f64_cycles(tile, {4096, 4096, 4095}), 1.04 * f64_cycles(tile, {4096, 4096, 4096}));
    EXPECT_GT(f64_cycles(tile, {4096, 4095, 4096}), 1.1 * f64_cycles(tile, {4096, 4096, 4096}));
  }
}

TEST(LaunchSpread, LeavesRoomForAShareAndNoMore) {
  constexpr SharedMemory h100{.of_multiprocessor = 233'472, .most_of_block = 232'448, .reserved_of_block = 1024};
  const auto resident = [&](std::size_t bytes) {  // the device rounds up
    return h100.of_multiprocessor / ((h100.reserved_of_block + bytes + 127) / 128 * 128);
  };
  for (const std::size_t static_bytes : {0, 16, 16'384})
    for (std::size_t share = 1; share <= 12; ++share)
      EXPECT_EQ(resident(static_bytes + shared_bytes_of_share(h100, static_bytes, share)), share) << static_bytes;
  EXPECT_EQ(shared_bytes_of_share(h100, 0, 1), h100.most_of_block);
  EXPECT_EQ(shared_bytes_of_share(h100, 16'384, 16), 0);  // they do not fit
  EXPECT_EQ(shared_bytes_of_share(h100, 0, 300), 0);
}

}  // namespace
}  // namespace crosswarp::gpu
