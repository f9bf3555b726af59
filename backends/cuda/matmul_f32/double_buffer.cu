// The next tiles come by asynchronous copies, which hold no register, while the threads multiply: two to four in
// flight. Bound by the issue of instructions, of which 19 of 20 are multiply-adds.
#include "backends/cuda/device/product_tiles.hpp"

namespace crosswarp::gpu {
namespace {

template <class Tile>
void with(const Queue& queue, const MatmulF32::Args& args) {
  if (rows_are_vectors(args))
    launch_tiles<Tile, true>(queue, args, 1);
  else
    launch_tiles<Tile, false>(queue, args, 1);
}

/// Stages and the width of a tile are what a tuning chooses.
void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const int columns = queue.tuning["columns"], stages = queue.tuning["stages"];
  if (columns == 256) return with<WideTile>(queue, args);
  switch (stages) {
    case 2:
      return with<TileShape<128, 128, 16, 8, 8, 2, 1, 2>>(queue, args);
    case 3:
      return with<LargeTile>(queue, args);
    default:
      return with<TileShape<128, 128, 8, 8, 8, 4, 1, 2>>(queue, args);
  }
}

const Register<MatmulF32> variant{{
    .idea = "the next tiles come by asynchronous copies while this one is multiplied: bound by issuing multiply-adds",
    .improves = "warp_tile",
    .tunings = {{{{"columns", 128}, {"stages", 3}}},
                {{{"columns", 128}, {"stages", 2}}},
                {{{"columns", 128}, {"stages", 4}}},
                {{{"columns", 256}, {"stages", 3}}}},
    .launch = multiply,
#if CROSSWARP_HAS_PTX
    .instructions = {{"FFMA", 1024}, {"LDGSTS", 4}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
