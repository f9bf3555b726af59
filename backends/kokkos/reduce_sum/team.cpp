// A league of teams, each with a contiguous share of the array for its threads and vector lanes. Bound by 4-byte loads,
// like range: 44 % of the memory's peak at 2^26 (H200), 4 sectors per warp load, 69 stall cycles per instruction.
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;

constexpr std::size_t min_share = 4096;  // elements; a smaller share does not pay for its team

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto in = array(args.f32().in);
  const std::size_t n = in.extent(0);
  const auto max_teams = static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
  const std::size_t teams = std::clamp<std::size_t>(n / min_share, 1, max_teams);
  const std::size_t share = (n + teams - 1) / teams;
  const Policy policy(queue.exec, static_cast<int>(teams), Kokkos::AUTO, queue.device.warp_size);
  Kokkos::parallel_reduce(
      policy,
      KOKKOS_LAMBDA(const Policy::member_type& team, float& sum) {
        const std::size_t begin = static_cast<std::size_t>(team.league_rank()) * share;
        const std::size_t end = begin + share < n ? begin + share : n;
        float of_team = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, begin, end), [&](std::size_t i, float& sum_of_lane) { sum_of_lane += in(i); },
            of_team);
        Kokkos::single(Kokkos::PerTeam(team), [&] { sum += of_team; });
      },
      scalar(args.f32().out));
}

const Register<ReduceSum> variant{{
    .idea = "a league of teams with vector lanes, a contiguous share each",
    .bound_by = "4-byte loads in flight",
    .improves = "range",
    .gaps = {{GapClass::tuning, "4-byte loads, few of them in flight", {"sectors_per_load", "stall_long_scoreboard"}}},
    .tunings = {{{{"per_unit", 16}}}, {{{"per_unit", 4}}}, {{{"per_unit", 64}}}},
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
