// As handwritten kernels do it: each thread of a team leaves its sum in the team's scratch memory, a tree with barriers
// adds these, and one atomic for each team adds the rest. Bound by memory when large: 91 % of its peak on an H200 at
// 2^26, within 2 % of CUDA's float4. By two launches when small, for the result has to be cleared first: at 2^16 the
// kernel takes 3.1 of 4.4 µs.
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Scratch = Kokkos::View<float*, Exec::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

constexpr int loads = 4;

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const ReduceSum::Typed<float>& a = args.f32();
  const Vectors vectors(a.in);
  const int threads = is_asynchronous ? 256 : 1;  // a power of two
  const std::size_t tile = static_cast<std::size_t>(threads) * loads;
  const std::size_t tiles = std::max<std::size_t>(1, (vectors.count + tile - 1) / tile);
  const auto most_teams = static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
  const std::size_t teams = std::min(tiles, most_teams);
  const auto out = scalar(a.out);
  Kokkos::deep_copy(queue.exec, out, 0.0f);
  Policy policy(queue.exec, static_cast<int>(teams), threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(static_cast<std::size_t>(threads))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        const int me = team.team_rank(), all = team.team_size();
        const Scratch sums(team.team_scratch(0), static_cast<std::size_t>(all));
        float mine = 0;
        for (auto t = static_cast<std::size_t>(team.league_rank()); t < tiles; t += teams)
          mine += vectors.sum_of_some<loads>(t * tile + static_cast<std::size_t>(me), static_cast<std::size_t>(all),
                                             (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count);
        if (team.league_rank() == 0 && me == 0) mine += vectors.sum_of_ends();
        sums(me) = mine;
        for (int stride = all / 2; stride > 0; stride /= 2) {
          team.team_barrier();
          if (me < stride) sums(me) += sums(me + stride);
        }
        if (me == 0) Kokkos::atomic_add(&out(), sums(0));
      });
}

const Register<ReduceSum> variant{{
    .idea =
        "a tree in team scratch memory and one atomic per team: bound by memory, by clearing and two kernels if small",
    .improves = "team_vector",
    .tunings = {{{{"per_unit", 16}}}, {{{"per_unit", 8}}}, {{{"per_unit", 64}}}},
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
