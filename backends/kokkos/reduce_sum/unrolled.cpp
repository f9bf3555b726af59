// parallel_reduce over a range in which an iteration adds several 16-byte vectors that lie a window apart, so that
// neighbouring iterations read neighbouring vectors and all loads of an iteration are in flight. Bound by memory, as
// far as parallel_reduce's grid, which Kokkos chooses, fills the device; and by more than the loads, as team_vector is:
// 5 to 6 µs on an H200 (24.5 at 2^24, where scratch_tree takes 19.5 with the same sectors).
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr std::size_t window = is_asynchronous ? 512 : 1;  // vectors of one load of neighbours: a block's, or a core's

template <int loads>
void sum_with(const Queue& queue, const ReduceSum::Typed<float>& a) {
  const Vectors vectors(a.in);
  constexpr std::size_t tile = window * loads;
  // Iterations for whole tiles: of the last, partial one some add nothing. One at least, which adds the ends.
  const std::size_t tiles = std::max<std::size_t>(1, (vectors.count + tile - 1) / tile);
  Kokkos::parallel_reduce(
      range(queue, tiles * window),
      KOKKOS_LAMBDA(std::size_t i, float& sum) {
        sum += vectors.sum_of_some<loads>(i / window * tile + i % window, window, vectors.count);
        if (i == 0) sum += vectors.sum_of_ends();
      },
      scalar(a.out));
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const int loads = queue.tuning["loads"];
  if (loads == 4) sum_with<4>(queue, args.f32());
  if (loads == 8) sum_with<8>(queue, args.f32());
  if (loads == 16) sum_with<16>(queue, args.f32());
}

const Register<ReduceSum> variant{{
    .idea = "parallel_reduce with several 16-byte loads an iteration, all in flight: bound by memory",
    .improves = "range",
    .tunings = {{{{"loads", 4}}}, {{{"loads", 8}}}, {{{"loads", 16}}}},
    .applies = ReduceSum::is_f32_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
