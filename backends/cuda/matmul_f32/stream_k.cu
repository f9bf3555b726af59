// load_ahead in a grid that is there at once and shares out the last rounds of tiles by steps, not by tiles: no
// multiprocessor waits for a last round that is not full. Bound by the issue of instructions, as its parent. Wins where
// rounds are few and not full, as at 1536 on an H200; at 4096, of 3.88 rounds, what is shared is read from memory, not
// from L2 (blocks are at different steps of their tiles), and its parent is 2 % faster.
#include "backends/cuda/matmul_f32/stream_k.hpp"

namespace crosswarp::gpu {
namespace {

/// Calls `with` for the tile that a tuning means: `[&]<class Tile>()`.
template <class With>
auto for_tile(const Queue& queue, With&& with) {
  const int rows = queue.tuning["rows"], columns = queue.tuning["columns"];
  if (rows == 64) return with.template operator()<AheadFlatTile>();
  if (columns == 256) return with.template operator()<AheadWideTile>();
  return with.template operator()<AheadLargeTile>();
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return for_tile(queue, [&]<class Tile>() { return stream_workspace<Tile>(queue, args); });
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  for_tile(queue,
           [&]<class Tile>() { by_rows(args, [&]<bool vectors>() { launch_stream<Tile, vectors>(queue, args); }); });
}

const Register<MatmulF32> variant{{
    .idea =
        "tiles beyond whole rounds are shared out by steps, so that all end together: bound by issuing multiply-adds",
    .improves = "load_ahead",
    .tunings = {{{{"rows", 128}, {"columns", 256}}},
                {{{"rows", 128}, {"columns", 128}}},
                {{{"rows", 64}, {"columns", 128}}}},
    .workspace = workspace,
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
