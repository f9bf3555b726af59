// As many blocks as are resident, each for tile after tile: loads run on across tiles, and a tile's sums are written
// while the next is multiplied. Blocks of a cluster share what they read, and tiles come in bands, so that L2
// serves them. Bound by the matrix units; at large sizes by power.
#include "backends/cuda/matmul_f16/product_by_tma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
void multiply(const Queue& queue, const MatmulF16::Args& args) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(queue.tuning[name]); };
  multiply_by_tma(pdl_by_tuning(queue), args,
                  {.rows = number("rows"),
                   .columns = number("columns"),
                   .cluster = {number("cluster_rows"), number("cluster_columns")},
                   .raster = number("raster")});
}

Tuning tuning(int rows, int columns, ClusterShape cluster, int raster, int pdl) {
  return {{{"rows", rows},
           {"columns", columns},
           {"cluster_rows", static_cast<int>(cluster.rows)},
           {"cluster_columns", static_cast<int>(cluster.columns)},
           {"raster", raster},
           {"pdl", pdl}}};
}
#endif

const Register<MatmulF16> variant{{
    .idea = "resident blocks take tile after tile, write one while they multiply the next, share loads",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(128, 256, {2, 1}, 8, 0), tuning(128, 256, {2, 1}, 8, 1), tuning(128, 256, {1, 1}, 16, 0),
                tuning(128, 256, {1, 2}, 16, 1), tuning(128, 256, {2, 2}, 8, 0), tuning(128, 256, {2, 1}, 4, 0),
                tuning(128, 256, {2, 1}, 16, 0), tuning(128, 192, {2, 1}, 8, 0), tuning(128, 128, {2, 1}, 8, 0),
                tuning(128, 128, {2, 2}, 8, 0), tuning(64, 128, {2, 1}, 8, 1), tuning(64, 128, {1, 2}, 16, 1),
                tuning(64, 64, {2, 1}, 8, 0), tuning(64, 64, {4, 1}, 4, 0), tuning(64, 64, {4, 2}, 4, 1)},
    .applies = has_aligned_factors,
    .launch = multiply,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
