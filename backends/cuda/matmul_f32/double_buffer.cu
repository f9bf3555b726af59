// The next tiles come by asynchronous copies, which hold no register, while the threads multiply: two to four in
// flight. Bound by the issue of instructions, of which 19 of 20 are multiply-adds.
#include "backends/cuda/matmul_f32/product_tiles.hpp"
#include "backends/cuda/device/with_constant.hpp"

namespace crosswarp::gpu {
namespace {

template <class Tile>
void with(const Queue& queue, const MatmulF32::Args& args) {
  by_rows(args, [&]<bool vectors>() { launch_tiles<Tile, vectors>(queue, args, 1); });
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  with_constant<2, 3>(queue.tuning["stages"],
                      [&]<unsigned stages>() { with<TileShape<128, 128, 16, 8, 8, stages, 1, 2>>(queue, args); });
}

const Register<MatmulF32> variant{{
    .idea = "the next tiles come by asynchronous copies while this one is multiplied: bound by issuing multiply-adds",
    .improves = "warp_tile",
    .tunings = {{{{"stages", 3}}}, {{{"stages", 2}}}},
    .launch = multiply,
#if CROSSWARP_HAS_PTX
    .instructions = {{"FFMA", 1024}, {"LDGSTS", 4}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
