// Columns of a row-major tile as it is. Bound by the passes that the busiest bank takes; stride 1 is the control
// without conflicts, by the same kernel.
#include "backends/cuda/bank_conflict/tile_columns.hpp"

namespace crosswarp::gpu {
namespace {

const Register<BankConflict> variant{{
    .idea = "the tile as it is: bound by a wavefront for each word of the busiest bank, 32 at strides of 32 words",
    .launch = access<tile_columns::Plain>,
    .instructions = {{"LDS.64", 4}, {"LDS.128", 4}, {"STS.128", 4}, {"ATOMS", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
