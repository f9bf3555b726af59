// Threads load from shared memory what the next step needs while they multiply, and A lies transposed there, so that a
// step's elements of A are neighbours in registers, too: in the two banks that a multiply-add can read at once. Bound
// by the issue of instructions.
#include "backends/cuda/matmul_f32/ahead_tiles.hpp"

namespace crosswarp::gpu {
namespace {

template <class Tile>
void with(const Queue& queue, const MatmulF32::Args& args) {
  by_rows(args, [&]<bool vectors>() { launch_ahead<Tile, vectors>(queue, args, 1); });
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  switch (queue.tuning["columns"]) {
    case 64:
      return with<AheadMediumTile>(queue, args);
    case 256:
      return with<AheadWideTile>(queue, args);
    default:
      return with<AheadLargeTile>(queue, args);
  }
}

const Register<MatmulF32> variant{{
    .idea = "fragments of the next step are loaded during this one, A transposed: bound by issuing multiply-adds",
    .improves = "double_buffer",
    .tunings = {{{{"columns", 128}}}, {{{"columns", 64}}}, {{{"columns", 256}}}},
    .launch = multiply,
#if CROSSWARP_HAS_PTX
    .instructions = {{"FFMA", 1024}, {"LDGSTS", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
