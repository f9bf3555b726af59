// Column accesses to a row-major tile. Bound by the wavefronts of the busiest bank; stride 1 is the control without
// conflicts, by the same kernel.
#include "backends/cuda/bank_conflict/tile_columns.hpp"

namespace crosswarp::gpu {
namespace {

struct Plain : tile_columns::Plain {};

const Register<BankConflict> variant{{
    .idea = "column accesses to a row-major tile",
    .bound_by = "bank conflicts: one wavefront per word of the busiest bank",
    .launch = access<Plain>,
    .instructions = {{"LDS.64", 4}, {"LDS.128", 4}, {"STS.128", 4}, {"ATOMS", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
