// Column accesses to a row-major tile in team scratch. On a GPU bound by the wavefronts of the busiest bank.
#include "backends/kokkos/bank_conflict/columns.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<BankConflict> variant{{
    .idea = "column accesses to a row-major tile in team scratch",
    .bound_by = "bank conflicts: one wavefront per word of the busiest bank",
    .counterparts = {"plain"},
    .applies = applies,
    .launch = access<tile_columns::Plain>,
}};

}  // namespace
}  // namespace crosswarp::kokkos
