// Several teams a row, each with a chunk of it, and a second launch that adds the partials. Bound by memory for long
// rows, however few; the second launch is what portable code pays for not counting who is last.
#include "backends/kokkos/row_parts.hpp"

namespace crosswarp::kokkos {
namespace {

Chunks chunks(const Queue& queue, const RowSum::Args& args) {
  return {args, static_cast<std::size_t>(queue.tuning["kib"]) * 1024 / sizeof(float)};
}

std::size_t workspace(const Queue& queue, const RowSum::Args& args) { return chunks(queue, args).workspace(args); }

void sum(const Queue& queue, const RowSum::Args& args) { sum_by_chunks(queue, args, chunks(queue, args), 256); }

const Register<RowSum> variant{{
    .idea = "several teams a row, a second launch adds the partials: bound by memory for long rows, however few",
    .improves = "team_vector",
    .tunings = {{{{"kib", 64}}}, {{{"kib", 32}}}, {{{"kib", 128}}}},
    .applies = has_rows_for_teams,
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
