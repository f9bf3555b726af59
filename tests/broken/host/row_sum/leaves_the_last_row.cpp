// Adds all rows but the last one: must be wrong at any shape with a row.
// at: --m 3 --n 1003
#include "backends/host/queue.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const RowSum::Args& args) {
  for (std::size_t row = 0; row + 1 < args.rows(); ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < args.columns; ++i) sum += args.in[row * args.columns + i];
    args.out[row] = sum;
  }
}

const Register<RowSum> variant{{.idea = "broken: leaves the last row", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
