// Padding: one element behind every 32 words, so that a column meets each bank once. No conflicts at strides that are
// powers of two up to 32, for 1/32 more memory or more per element; but stride 33, free of conflicts before, has some.
#include "backends/cuda/bank_conflict/tile_columns.hpp"

namespace crosswarp::gpu {
namespace {

const Register<BankConflict> variant{{
    .idea = "one element of padding behind every 32 words: no conflict at powers of two, some at 33",
    .bound_by = "shared-memory wavefronts",
    .improves = "plain",
    .launch = access<tile_columns::Padded>,
}};

}  // namespace
}  // namespace crosswarp::gpu
