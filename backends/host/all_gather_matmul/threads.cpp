// Each rank's thread multiplies all ranks' rows of A where they lie, between two barriers of ranks. Bound by one core's
// multiply-adds on widened elements.
#include <numeric>

#include "backends/host/ranks.hpp"
#include "experiments/all_gather_matmul.hpp"

namespace crosswarp::host {
namespace {

/// By as many partial sums as a vector register has floats.
float dot(const Bfloat16* a, const Bfloat16* b, std::size_t k) {
  constexpr std::size_t width = 8;
  float sums[width] = {};
  std::size_t l = 0;
  for (; l + width <= k; l += width)
    for (std::size_t i = 0; i < width; ++i) sums[i] += widen(a[l + i]) * widen(b[l + i]);
  for (; l < k; ++l) sums[0] += widen(a[l]) * widen(b[l]);
  return std::accumulate(sums, sums + width, 0.0f);
}

void multiply(const AllGatherMatmul::Args& args) {
  for (std::size_t peer = 0; peer < args.ranks; ++peer)
    for (std::size_t row = 0; row < args.rows; ++row)
      for (std::size_t column = 0; column < args.columns; ++column)
        args.c_of(peer)[row * args.columns + column] =
            to_bfloat16(dot(args.a[peer].data() + row * args.k, args.b.data() + column * args.k, args.k));
}

void gather_and_multiply(const Queue& queue, const AllGatherMatmul::Args& args) {
  enqueue_between_barriers(queue, args.rank, [args] { multiply(args); });
}

const Register<AllGatherMatmul> variant{{
    .idea = "a thread per rank multiplies all ranks' rows where they lie, between two barriers",
    .bound_by = "one core's multiply-adds per rank",
    .workspace = [](const Queue&, const AllGatherMatmul::Args&) { return sizeof(Flags); },
    .launch = gather_and_multiply,
}};

}  // namespace
}  // namespace crosswarp::host
