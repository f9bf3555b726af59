// Columns of a row-major tile in team scratch, as it is. On a GPU bound by the passes that the busiest bank takes.
#include "backends/kokkos/bank_conflict/columns.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<BankConflict> variant{{
    .idea = "team scratch as it is: on a GPU bound by a wavefront for each word of the busiest bank",
    .applies = applies,
    .launch = access<tile_columns::Plain>,
}};

}  // namespace
}  // namespace crosswarp::kokkos
