// An element of padding behind every 32 words, so that a column meets each bank once: no conflicts at strides that are
// powers of two up to 32, for a 32nd more memory and up; what was free of conflicts at 33 no longer is.
#include "backends/cuda/bank_conflict/tile_columns.hpp"

namespace crosswarp::gpu {
namespace {

const Register<BankConflict> variant{{
    .idea = "an element of padding behind each row of the banks: no conflict at powers of two, some at 33",
    .improves = "plain",
    .launch = access<tile_columns::Padded>,
}};

}  // namespace
}  // namespace crosswarp::gpu
