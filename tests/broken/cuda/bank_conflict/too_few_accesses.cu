// Omits each lane's last accesses, as an optimizing compiler might: must be wrong.
// at: --stride 2 --n 16
#include "backends/cuda/bank_conflict/tile_columns.hpp"

namespace crosswarp::gpu {
namespace {

void access_less(const Queue& queue, const BankConflict::Args& args) {
  BankConflict::Args fewer = args;
  fewer.n -= 4;
  access<tile_columns::Plain>(queue, fewer);
}

const Register<BankConflict> variant{{.idea = "broken: too few accesses", .launch = access_less}};

}  // namespace
}  // namespace crosswarp::gpu
