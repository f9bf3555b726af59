// A tree in team scratch memory and one atomic per team, as in handwritten kernels. Bound by memory bandwidth for large
// n: 91 % of the memory's peak at 2^26 (H200), within 2 % of CUDA's float4. For small n by two launches, since the
// result is cleared first: at 2^16 the kernel takes 3.1 of 4.4 µs.
#include "backends/kokkos/reduce_sum/dispatch.hpp"
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "backends/kokkos/team_tiles.hpp"

namespace crosswarp::kokkos {
namespace reduce_sum_scratch_tree {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;

constexpr int loads = 4;

template <class T, class Op>
void reduce_with(const Queue& queue, const ReduceSum::Typed<T>& a, std::size_t max_teams, Op op) {
  using A = Accumulator<T>;
  using Scratch = Kokkos::View<A*, Exec::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Vectors vectors(a.in);
  constexpr int threads = team_threads<256>;  // a power of two
  const std::size_t tile = static_cast<std::size_t>(threads) * loads;
  const std::size_t tiles = std::max<std::size_t>(1, pieces_of(vectors.count, tile));
  const std::size_t teams = std::min(tiles, max_teams);
  const auto out = scalar(a.out);
  Kokkos::deep_copy(queue.exec, out, Op::template identity<A>);
  Policy policy(queue.exec, static_cast<int>(teams), threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Scratch::shmem_size(static_cast<std::size_t>(threads)))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        const int rank = team.team_rank(), all = team.team_size();
        const Scratch values(team.team_scratch(0), static_cast<std::size_t>(all));
        A mine = Op::template identity<A>;
        for (auto t = static_cast<std::size_t>(team.league_rank()); t < tiles; t += teams)
          mine = op(mine, vectors.template reduce_strided<loads>(
                              t * tile + static_cast<std::size_t>(rank), static_cast<std::size_t>(all),
                              (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count, op));
        if (team.league_rank() == 0 && rank == 0) mine = op(mine, vectors.reduce_ends(op));
        values(rank) = mine;
        for (int stride = all / 2; stride > 0; stride /= 2) {
          team.team_barrier();
          if (rank < stride) values(rank) = op(values(rank), values(rank + stride));
        }
        if (rank == 0) op.update(&out(), values(0));
      });
}

void reduce(const Queue& queue, const ReduceSum::Args& args, std::size_t max_teams) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op op) { reduce_with(queue, a, max_teams, op); });
}

void launch_tuned(const Queue& queue, const ReduceSum::Args& args) {
  reduce(queue, args, static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]));
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
    .launch = launch_tuned,
}};

}  // namespace reduce_sum_scratch_tree
}  // namespace crosswarp::kokkos
