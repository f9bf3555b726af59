// Reads a matrix stored by columns as if it were stored by rows: must be wrong at any shape with two rows and columns.
// at: --m 3 --n 1003 --order left
#include "backends/host/queue.hpp"
#include "experiments/matrix_layout.hpp"

namespace crosswarp::host {
namespace {

void sum(const Queue&, const MatrixLayout::Args& args) {
  for (std::size_t row = 0; row < args.rows(); ++row) {
    float sum = 0;
    for (std::size_t column = 0; column < args.columns; ++column) sum += args.in[row * args.columns + column];
    args.out[row] = sum;
  }
}

const Register<MatrixLayout> variant{{.idea = "broken: takes columns for rows", .launch = sum}};

}  // namespace
}  // namespace crosswarp::host
