// An OpenMP loop over all cores. Bound by the cache lines that it touches: from stride 16 on it uses one float of each.
#include "backends/host/queue.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::host {
namespace {

/// Runs `move(i, p(i))` for all i, without a division per access.
template <class Move>
void for_all(const AccessPattern::Args& args, const Move& move) {
  const AccessOrder order = args.order;
  const std::uint32_t* const index = args.index.data();
  if (!args.index.empty()) {
#pragma omp parallel for schedule(static)
    for (std::uint32_t i = 0; i < order.n; ++i) move(i, index[i]);
  } else if (order.stride == 1) {
#pragma omp parallel for simd schedule(static)
    for (std::uint32_t i = 0; i < order.n; ++i) move(i, order.shifted(i));
  } else {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::uint32_t column = 0; column < order.stride; ++column)
      for (std::uint32_t row = 0; row < order.rows; ++row)
        move(column * order.rows + row, order.in_matrix(row, column));
    for (std::uint32_t i = order.tail(); i < order.n; ++i) move(i, i);
  }
}

void run(const Queue&, const AccessPattern::Args& args) {
  const float* const in = args.in.data();
  float* const out = args.out.data();
  switch (args.op) {
    case AccessOp::gather:
      return for_all(args, [=](std::uint32_t i, std::uint32_t p) { out[i] = in[p]; });
    case AccessOp::scatter:
      return for_all(args, [=](std::uint32_t i, std::uint32_t p) { out[p] = in[i]; });
    case AccessOp::copy:
      return for_all(args, [=](std::uint32_t, std::uint32_t p) { out[p] = in[p]; });
  }
}

const Register<AccessPattern> variant{{
    .idea = "an OpenMP loop over all cores",
    .bound_by = "cache lines touched",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::host
