// XOR swizzle: an element's index in its row of 32 words is XORed with the row's index. No conflicts at strides that
// are powers of two up to 32, without padding. Any fixed order has bad strides: for this one 33.
#include "backends/cuda/bank_conflict/tile_columns.hpp"

namespace crosswarp::gpu {
namespace {

const Register<BankConflict> variant{{
    .idea = "columns XORed with their row: no conflict at powers of two, no padding; the most at 33",
    .bound_by = "shared-memory wavefronts",
    .improves = "plain",
    .launch = access<tile_columns::Swizzled>,
}};

}  // namespace
}  // namespace crosswarp::gpu
