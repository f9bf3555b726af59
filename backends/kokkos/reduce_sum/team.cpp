// A league of teams, each with a contiguous share of the array that its threads and vector lanes add together. Meant to
// be bound by memory once the teams fill the device; on an H200 it reaches 44 % of its peak at 2^26: loads of 4 sectors
// a warp, as range's, that wait 69 cycles an instruction.
#include "backends/kokkos/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;

constexpr std::size_t least_share = 4096;  // elements; below that a team costs more than it adds

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto in = array(args.f32().in);
  const std::size_t n = in.extent(0);
  const auto most_teams = static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
  const std::size_t teams = std::clamp<std::size_t>(n / least_share, 1, most_teams);
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
    .idea = "a league of teams with vector lanes, a contiguous share each: short of the memory's rate on a GPU",
    .improves = "range",
    .tunings = {{{{"per_unit", 16}}}, {{{"per_unit", 4}}}, {{{"per_unit", 64}}}},
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
