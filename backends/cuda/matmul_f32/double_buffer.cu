// The next tiles come by asynchronous copies, which hold no register, while the threads multiply: two to four in
// flight. Bound by the issue of instructions, of which 19 of 20 are multiply-adds.
#include "backends/cuda/device/ahead_tiles.hpp"

namespace crosswarp::gpu {
namespace {

template <class Tile>
void with(const Queue& queue, const MatmulF32::Args& args) {
  if (rows_are_vectors(args))
    launch_tiles<Tile, true>(queue, args, 1);
  else
    launch_tiles<Tile, false>(queue, args, 1);
}

template <class Tile>
void with_ahead(const Queue& queue, const MatmulF32::Args& args) {
  if (rows_are_vectors(args))
    launch_ahead<Tile, true>(queue, args, 1);
  else
    launch_ahead<Tile, false>(queue, args, 1);
}

/// ahead: 0, or as many elements as a thread has that loads from shared memory ahead of its multiply-adds.
/// Stages and the sides of a tile are what a tuning chooses, too.
void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const int columns = queue.tuning["columns"], stages = queue.tuning["stages"];
  const int rows = queue.tuning["rows"], ahead = queue.tuning["ahead"];
  if (ahead > 0) {
    if (rows == 256) return with_ahead<AheadHighTile>(queue, args);
    if (columns == 256) return with_ahead<AheadWideTile>(queue, args);
    if (columns == 64) return with_ahead<AheadMediumTile>(queue, args);
    if (ahead == 128) return with_ahead<AheadLargeTile>(queue, args);
    return with_ahead<AheadTile>(queue, args);
  }
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
    .tunings = {{{{"rows", 128}, {"columns", 128}, {"stages", 3}, {"ahead", 0}}},
                {{{"rows", 128}, {"columns", 128}, {"stages", 2}, {"ahead", 0}}},
                {{{"rows", 128}, {"columns", 128}, {"stages", 4}, {"ahead", 0}}},
                {{{"rows", 128}, {"columns", 256}, {"stages", 3}, {"ahead", 0}}},
                {{{"rows", 128}, {"columns", 128}, {"stages", 2}, {"ahead", 64}}},
                {{{"rows", 128}, {"columns", 64}, {"stages", 2}, {"ahead", 64}}},
                {{{"rows", 128}, {"columns", 128}, {"stages", 2}, {"ahead", 128}}},
                {{{"rows", 128}, {"columns", 256}, {"stages", 2}, {"ahead", 128}}},
                {{{"rows", 256}, {"columns", 128}, {"stages", 2}, {"ahead", 128}}}},
    .launch = multiply,
#if CROSSWARP_HAS_PTX
    .instructions = {{"FFMA", 1024}, {"LDGSTS", 4}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
