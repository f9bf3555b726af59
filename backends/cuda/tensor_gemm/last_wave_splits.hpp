// Tunings of persistent GEMMs by which the tiles that do not fill a wave are split along k.
#pragma once

#include "backends/cuda/tensor_gemm/persistent_config.hpp"

namespace crosswarp::gpu {
namespace {

/// As persistent_tuning(), and `splits` of the last wave's tiles.
inline Tuning split_tuning(int rows, int columns, ClusterShape cluster, int raster, int splits, int pdl) {
  Tuning tuning = persistent_tuning(rows, columns, cluster, raster, pdl);
  tuning.values.emplace_back("splits", splits);
  return tuning;
}

/// `config` with the splits of the queue's tuning, none of them empty, for a C of m x n and sums of `k_tiles`; as it is
/// where tiles fill their waves. `resident(config)`: clusters that the device holds at once.
template <class Resident>
PersistentConfig with_tuned_splits(const Queue& queue, PersistentConfig config, std::size_t m, std::size_t n,
                                   unsigned k_tiles, const Resident& resident) {
  const unsigned splits = static_cast<unsigned>(queue.tuning["splits"]);
  if (splits == 1 || k_tiles < 2) return config;
  const unsigned clusters = resident(config), tiles = config.tiles(m, n);
  if (clusters == 0 || tiles % clusters == 0) return config;
  config.splits = blocks_for(k_tiles, blocks_for(k_tiles, splits));
  config.whole = tiles / clusters * clusters;
  return config;
}

}  // namespace
}  // namespace crosswarp::gpu
