// The library-style entry point: dispatches by size. One team while one multiprocessor holds all loads in flight: one
// launch, one barrier and one store. Then flagged_partials; for the largest arrays scratch_tree, whose teams take
// turns. Bound by the launch, by latency, by memory bandwidth.
#include "backends/kokkos/reduce_sum/dispatch.hpp"
#include "backends/kokkos/reduce_sum/team_reduce.hpp"
#include "backends/kokkos/reduce_sum/vectors.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int loads = 4;
constexpr std::size_t flagged_vectors = std::size_t{1} << 22;    // 64 MiB: clearing the result no longer shows
constexpr std::size_t tree_per_unit = 16, flagged_per_unit = 8;  // teams per multiprocessor

/// The share of one of `lanes` lanes. On a GPU all its loads are in flight; a host has one lane.
template <class A, class Vectors, class Op>
KOKKOS_INLINE_FUNCTION A reduce_of_lane(const Vectors& vectors, int lane, int lanes, Op op) {
  if constexpr (is_asynchronous) {
    const auto first = static_cast<std::size_t>(lane);
    const A end = vectors.end_or_identity(first, op);
    return op(vectors.template reduce_partial<loads>(first, lanes, vectors.count, op), end);
  } else {
    A mine = Op::template identity<A>;
    for (std::size_t i = 0; i < vectors.count; i += loads)
      mine = op(mine, vectors.template reduce_strided<loads>(
                          i, 1, i + loads < vectors.count ? i + loads : vectors.count, op));
    return op(mine, vectors.reduce_ends(op));
  }
}

template <int threads, class T, class Op>
void reduce_in_team(const Queue& queue, const ReduceSum::Typed<T>& a, Op op) {
  using A = Accumulator<T>;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, 1>>;
  constexpr int lanes = team_threads<threads>, members = lanes / vector_lanes;
  const Vectors vectors(a.in);
  const auto out = scalar(a.out);
  Policy policy(queue.exec, 1, members, vector_lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team_reduce_bytes<A>(members))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const A value = team_reduce(team, scratch<A>(team, members), op,
                                    [&](int lane) { return reduce_of_lane<A>(vectors, lane, lanes, op); });
        Kokkos::single(Kokkos::PerTeam(team), [&] { out() = value; });
      });
}

std::size_t units(const Queue& queue) { return static_cast<std::size_t>(std::max(queue.device.compute_units, 1)); }

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return reduce_sum_flagged_partials::workspace_bytes(flagged_per_unit * units(queue));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const std::size_t bytes = std::visit([](const auto& a) { return a.in.size_bytes(); }, args.typed);
  const std::size_t vectors = (bytes + 15) / 16;
  if (vectors <= 256 * loads)
    return dispatch(args,
                    [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op op) { reduce_in_team<256>(queue, a, op); });
  if (vectors <= 1024 * loads)
    return dispatch(
        args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op op) { reduce_in_team<1024>(queue, a, op); });
  if (vectors <= flagged_vectors)
    return reduce_sum_flagged_partials::reduce(queue, args, flagged_per_unit * units(queue));
  reduce_sum_scratch_tree::reduce(queue, args, tree_per_unit * units(queue));
}

const Register<ReduceSum> variant{{
    .idea = "dispatch by size: one team, flagged partials, a tree in scratch and atomics",
    .bound_by = "the launch, then latency, then memory bandwidth",
    .improves = "flagged_partials",
    .counterparts = {"adaptive"},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::kokkos
