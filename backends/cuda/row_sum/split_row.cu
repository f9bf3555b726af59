// Several blocks a row, each with a chunk of it; the last one of a row to finish adds the partials, by a ticket. Bound
// by memory for long rows, however few; the chunk trades partials for an even load.
#include "backends/cuda/row_sum/row_chunks.hpp"

namespace crosswarp::gpu {
namespace {

RowChunks chunks(const Queue& queue, const RowSum::Args& args) {
  return {args, static_cast<std::size_t>(queue.tuning["kib"]) * 1024 / sizeof(float)};
}

std::size_t workspace(const Queue& queue, const RowSum::Args& args) { return chunks(queue, args).workspace(args); }

void sum(const Queue& queue, const RowSum::Args& args) { sum_by_chunks(queue, args, chunks(queue, args)); }

bool applies(const Point& point) { return point.integer("m") <= 1 << 24; }  // at least a block for each row

const Register<RowSum> variant{{
    .idea = "several blocks a row, the last one adds their partials: bound by memory for long rows, however few",
    .improves = "float4",
    .tunings = {{{{"kib", 32}}}, {{{"kib", 16}}}, {{{"kib", 64}}}, {{{"kib", 128}}}, {{{"kib", 256}}}},
    .applies = applies,
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
