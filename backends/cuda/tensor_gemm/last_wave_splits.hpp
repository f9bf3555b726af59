// Tunings of persistent GEMMs by which the tiles that do not fill a wave are split along k.
#pragma once

#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// As persistent_tuning(), and `splits` of the last wave's tiles.
inline Tuning split_tuning(int rows, int columns, ClusterShape cluster, int raster, int splits, int pdl) {
  Tuning tuning = persistent_tuning(rows, columns, cluster, raster, pdl);
  tuning.values.emplace_back("splits", splits);
  return tuning;
}

/// `config`, for one of `Kernels`, with the splits of the queue's tuning, none of them empty, for sums of `k_tiles`; as
/// it is where tiles fill their waves.
template <class Kernels, class Args>
PersistentConfig with_tuned_splits(const Queue& queue, const Args& args, PersistentConfig config, unsigned k_tiles) {
  const unsigned splits = static_cast<unsigned>(queue.tuning["splits"]);
  if (splits == 1 || k_tiles < 2) return config;
  const unsigned clusters = count_resident<Kernels>(queue, args, config), tiles = config.tiles(args.m, args.n);
  if (clusters == 0 || tiles % clusters == 0) return config;
  config.splits = blocks_for(k_tiles, blocks_for(k_tiles, splits));
  config.whole = tiles / clusters * clusters;
  return config;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
