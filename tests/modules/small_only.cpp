// A plain product of up to 64 terms; deeper ones it refuses. For the tour.
#include "backends/host/queue.hpp"
#include "core/error.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

constexpr std::size_t largest = 64;

void multiply(const Queue&, const MatmulF32::Args& args) {
  const auto& [a, b, c, m, n, k] = args;
  if (k > largest) throw Error("too large");
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
}

const Register<MatmulF32> variant{{
    .idea = "small products alone",
    .applies = [](const Point& point) { return shape_of(point).k <= largest; },
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::host
