// What the persistent GEMMs' cost model expects, by properties of a device alone: no GPU is needed.
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace crosswarp::gpu {
namespace {

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

std::vector<unsigned> sizes(const ProductWork& work, const BlockShape& tile) {
  std::vector<unsigned> result;
  for (const ClusterShape& cluster : clusters_for(work, tile)) result.push_back(cluster.size());
  return result;
}

TEST(PersistentModel, HasClustersOfFourOnlyWhereRowsBeginWithinLines) {
  for (const BlockShape& tile : {large, medium}) {
    EXPECT_EQ(sizes(product(4096, 4096, 4096), tile), (std::vector<unsigned>{2, 2, 1}));
    EXPECT_EQ(sizes(product(4096, 4096, 4104), tile), (std::vector<unsigned>{2, 2, 4, 4, 4}));
  }
}

TEST(PersistentModel, HasABlockOfItsOwnForOneTile) {
  const auto has_one = [](const std::vector<unsigned>& all) { return std::ranges::count(all, 1u) == 1; };
  EXPECT_TRUE(has_one(sizes(product(100, 100, 1000), medium)));
  EXPECT_FALSE(has_one(sizes(product(200, 100, 1000), medium)));
  EXPECT_FALSE(has_one(sizes(product(100, 200, 1000), medium)));
}

TEST(PersistentModel, ExpectsSharingToPayWhereRowsBeginWithinLines) {
  const DeviceInfo device = device_of(132);
  const ProductWork aligned = product(8192, 8192, 8192), within = product(8192, 8192, 8200);
  EXPECT_EQ(cycles(device, aligned, medium, {1, 1}), cycles(device, aligned, medium, {2, 1}));
  EXPECT_GT(cycles(device, within, medium, {1, 1}), 1.2 * cycles(device, within, medium, {2, 1}));
}

TEST(PersistentModel, ExpectsSplitsToFillADevice) {
  const ProductWork deep = product(128, 128, 65536);
  EXPECT_LT(cycles(device_of(132), deep, medium, {1, 1}, 32), cycles(device_of(132), deep, medium, {1, 1}) / 4);
  EXPECT_GT(cycles(device_of(1), deep, medium, {1, 1}, 32), cycles(device_of(1), deep, medium, {1, 1}));
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

}  // namespace
}  // namespace crosswarp::gpu
