// A league of teams that strides over tiles of 16-byte vectors: the threads of a team load neighbouring vectors,
// several each, so that the league reads one contiguous window at a time. Bound by memory bandwidth once the league
// fills the device, and by the end of parallel_reduce: on an H200 1056 teams take 8 µs longer than scratch_tree's at
// 2^24 and 2^26, with the same sectors and 32 registers instead of 31. There a last block adds the partials of all
// others, where scratch_tree has one atomic per team. More teams are slower still.
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;

constexpr int loads = 4;

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const ReduceSum::Typed<float>& a = args.f32();
  const Vectors vectors(a.in);
  const int threads = is_asynchronous ? 256 : 1;  // of a team
  const std::size_t tile = static_cast<std::size_t>(threads) * loads;
  const std::size_t tiles = std::max<std::size_t>(1, (vectors.count + tile - 1) / tile);
  const auto max_teams = static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
  const std::size_t teams = std::min(tiles, max_teams);
  Kokkos::parallel_reduce(
      Policy(queue.exec, static_cast<int>(teams), threads),
      KOKKOS_LAMBDA(const Policy::member_type& team, float& sum) {
        const auto rank = static_cast<std::size_t>(team.team_rank()), all = static_cast<std::size_t>(team.team_size());
        const auto league_rank = static_cast<std::size_t>(team.league_rank());
        float mine = 0;
        for (std::size_t t = league_rank; t < tiles; t += teams)
          mine += vectors.reduce_strided<loads>(t * tile + rank, all,
                                                (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count, Sum());
        if (league_rank == 0 && rank == 0) mine += vectors.reduce_ends(Sum());
        sum += mine;  // of every thread: parallel_reduce joins them
      },
      scalar(a.out));
}

const Register<ReduceSum> variant{{
    .idea = "teams stride over tiles of 16-byte vectors, four loads in flight per thread",
    .bound_by = "memory bandwidth, and the end of parallel_reduce",
    .improves = "team",
    .counterparts = {"last_block"},
    .gaps = {{GapClass::tuning,
              "the end of parallel_reduce: one block adds the partial sums of all others",
              {"duration", "instructions"},
              [](const Point& point) { return point.integer("n") < 1 << 26; }}},
    .tunings = {{{{"per_unit", 8}}}, {{{"per_unit", 16}}}, {{{"per_unit", 64}}}},
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
