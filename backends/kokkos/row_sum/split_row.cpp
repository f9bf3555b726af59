// Several teams a row, each of which adds its chunk to the row by an atomic. Bound by memory for long rows, however
// few; rows must be cleared first, which is a launch more. At 1 x 2^28 within 3 % of CUDA's on an H200, with four
// times its instructions (89 against 92 % of the memory's peak); where a row is one chunk, all of team_vector's.
#include "backends/kokkos/row_parts.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const RowSum::Args& args) {
  const Chunks chunks(args, static_cast<std::size_t>(queue.tuning["kib"]) * 1024 / sizeof(float));
  sum_by_chunks(queue, args, chunks, 256);
}

const Register<RowSum> variant{{
    .idea = "several teams a row add their chunks to it by atomics: bound by memory for long rows, however few",
    .improves = "team_vector",
    .tunings = {{{{"kib", 64}}}, {{{"kib", 32}}}, {{{"kib", 128}}}},
    .applies = has_rows_for_teams,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
