// A tree in team scratch memory and one atomic per team, as in handwritten kernels. Bound by memory bandwidth for large
// n: 91 % of the memory's peak at 2^26 (H200), within 2 % of CUDA's float4. For small n by two launches, since the
// result is cleared first: at 2^16 the kernel takes 3.1 of 4.4 µs.
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
  const auto max_teams = static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
  const std::size_t teams = std::min(tiles, max_teams);
  const auto out = scalar(a.out);
  Kokkos::deep_copy(queue.exec, out, 0.0f);
  Policy policy(queue.exec, static_cast<int>(teams), threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(static_cast<std::size_t>(threads))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        const int rank = team.team_rank(), all = team.team_size();
        const Scratch sums(team.team_scratch(0), static_cast<std::size_t>(all));
        float mine = 0;
        for (auto t = static_cast<std::size_t>(team.league_rank()); t < tiles; t += teams)
          mine +=
              vectors.sum_of_strided<loads>(t * tile + static_cast<std::size_t>(rank), static_cast<std::size_t>(all),
                                            (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count);
        if (team.league_rank() == 0 && rank == 0) mine += vectors.sum_of_ends();
        sums(rank) = mine;
        for (int stride = all / 2; stride > 0; stride /= 2) {
          team.team_barrier();
          if (rank < stride) sums(rank) += sums(rank + stride);
        }
        if (rank == 0) Kokkos::atomic_add(&out(), sums(0));
      });
}

const Register<ReduceSum> variant{{
    .idea = "a tree in team scratch memory, one atomic per team",
    .bound_by = "memory bandwidth, or two launches when small",
    .improves = "team_vector",
    .counterparts = {"float4"},
    .gaps = {{GapClass::tuning,
              "more instructions: a tree through scratch memory in place of warp shuffles",
              {"instructions", "duration"},
              [](const Point& point) { return point.integer("n") < 1 << 24; }}},
    .tunings = {{{{"per_unit", 16}}}, {{{"per_unit", 8}}}, {{{"per_unit", 64}}}},
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
