// Arrays as 16-byte vectors, the operation on a vector, and one sum per team. Bound by nothing of its own.
#pragma once

#include "backends/kokkos/four.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr bool reads_a(StreamOp op) { return op != StreamOp::write; }
constexpr bool reads_b(StreamOp op) { return op == StreamOp::add || op == StreamOp::triad || op == StreamOp::dot; }
constexpr bool writes(StreamOp op) { return op != StreamOp::read && op != StreamOp::dot; }

/// The array's whole vectors, without up to three elements behind them.
template <class T>
auto vectors(std::span<T> memory) {
  using V = std::conditional_t<std::is_const_v<T>, const Four, Four>;
  return View<V*>(reinterpret_cast<V*>(memory.data()), memory.size() / 4);
}

/// An element of `out`.
template <StreamOp op>
KOKKOS_INLINE_FUNCTION float apply([[maybe_unused]] float a, [[maybe_unused]] float b, [[maybe_unused]] float scalar) {
  if constexpr (op == StreamOp::write)
    return scalar;
  else if constexpr (op == StreamOp::scale)
    return scalar * a;
  else if constexpr (op == StreamOp::add)
    return a + b;
  else if constexpr (op == StreamOp::triad)
    return a + scalar * b;
  else
    return a;
}
template <StreamOp op>
KOKKOS_INLINE_FUNCTION Four apply(const Four& a, const Four& b, float scalar) {
  return {apply<op>(a.x, b.x, scalar), apply<op>(a.y, b.y, scalar), apply<op>(a.z, b.z, scalar),
          apply<op>(a.w, b.w, scalar)};
}

KOKKOS_INLINE_FUNCTION float dot_product(float a, float b) { return a * b; }
KOKKOS_INLINE_FUNCTION float dot_product(const Four& a, const Four& b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

/// Adds the sum of the values of a team's threads to `to`, by one atomic. parallel_reduce over the league would have
/// one last team add the values of all others.
template <class Team, class T>
KOKKOS_INLINE_FUNCTION void add_team_sum(const Team& team, T value, const View<T>& to) {
  team.team_reduce(Kokkos::Sum<T>(value));  // in place, for all threads
  Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_add(&to(), value); });
}

}  // namespace
}  // namespace crosswarp::kokkos
