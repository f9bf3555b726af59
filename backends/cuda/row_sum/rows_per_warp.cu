// Several rows a warp: a group of lanes for each, several rows at once in each group, one butterfly for all of them.
// Bound by memory for short rows that begin at multiples of 16 bytes; for others by loads of single elements.
#include "backends/cuda/row_sum/row_groups.hpp"

namespace crosswarp::gpu {
namespace {

bool applies(const Point& point) { return point.integer("n") <= 1024; }

void sum(const Queue& queue, const RowSum::Args& args) {
  if (rows_are_aligned(args, sizeof(float4))) return sum_by_groups_of_vectors(queue, args);
  const auto single = args.columns <= 1    ? sum_by_groups<float, 1, 1, 8>
                      : args.columns <= 8  ? sum_by_groups<float, 8, 1, 8>
                      : args.columns <= 32 ? sum_by_groups<float, 32, 1, 8>
                                           : sum_by_groups<float, 32, 4, 4>;
  single(queue, args);
}

const Register<RowSum> variant{{
    .idea = "several short rows a warp and at once, added by one butterfly: bound by memory if rows are aligned",
    .improves = "warp_per_row",
    .applies = applies,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
