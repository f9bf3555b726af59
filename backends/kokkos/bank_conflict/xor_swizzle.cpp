// XOR swizzle: an element's index in its row of 32 words is XORed with the row's index. No conflicts at strides that
// are powers of two up to 32, without padding. Bound by shared-memory wavefronts.
#include "backends/kokkos/bank_conflict/columns.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<BankConflict> variant{{
    .idea = "team scratch, columns XORed with their row: on a GPU no conflict at powers of two, no padding",
    .bound_by = "shared-memory wavefronts",
    .improves = "plain",
    .counterparts = {"xor_swizzle"},
    .applies = applies,
    .launch = access<tile_columns::Swizzled>,
}};

}  // namespace
}  // namespace crosswarp::kokkos
