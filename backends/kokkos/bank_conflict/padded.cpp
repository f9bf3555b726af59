// Padding: one element behind every 32 words of team scratch, so that a column meets each bank once on a GPU. Bound by
// shared-memory wavefronts.
#include "backends/kokkos/bank_conflict/columns.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<BankConflict> variant{{
    .idea = "team scratch, one element of padding behind every 32 words: on a GPU no conflict at powers of two",
    .bound_by = "shared-memory wavefronts",
    .improves = "plain",
    .counterparts = {"padded"},
    .applies = applies,
    .launch = access<tile_columns::Padded>,
}};

}  // namespace
}  // namespace crosswarp::kokkos
