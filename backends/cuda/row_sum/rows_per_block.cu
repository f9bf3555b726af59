// Many short rows a block: read as one contiguous piece in 16-byte loads, whatever their length and alignment, into
// shared memory, and added there. Bound by memory, and by the barrier between the two.
#include "backends/cuda/row_sum/row_tiles.hpp"

namespace crosswarp::gpu {
namespace {

bool applies(const Point& point) { return point.integer("n") <= longest_row; }

const Register<RowSum> variant{{
    .idea = "many short rows a block, read as one piece into shared memory: bound by memory, and by the barrier there",
    .improves = "warp_per_row",
    .applies = applies,
    .launch = sum_by_tiles,
}};

}  // namespace
}  // namespace crosswarp::gpu
