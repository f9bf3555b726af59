// Words change positions within their row, by XOR with the row's number: no conflicts at strides that are powers of two
// up to 32, for no memory. Any fixed order has strides that it is bad at; for this one it is 33.
#include "backends/cuda/bank_conflict/tile_columns.hpp"

namespace crosswarp::gpu {
namespace {

const Register<BankConflict> variant{{
    .idea = "columns XORed with their row: no conflict at powers of two, and no memory; the worst at 33",
    .improves = "plain",
    .launch = access<tile_columns::Swizzled>,
}};

}  // namespace
}  // namespace crosswarp::gpu
