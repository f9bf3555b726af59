// parallel_reduce over a range with several 16-byte vectors per iteration. They lie a window apart, so that
// neighbouring iterations load neighbouring vectors, and are all in flight. Bound by memory bandwidth as far as the
// grid that Kokkos chooses fills the device, and by the end of parallel_reduce, like team_vector: 5 to 6 µs on an H200
// (24.5 µs at 2^24, where scratch_tree takes 19.5 µs with the same sectors).
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr std::size_t window = is_asynchronous ? 512 : 1;  // vectors that a block, or a core, loads together

template <int loads, class T, class Op>
void reduce_with(const Queue& queue, const ReduceSum::Typed<T>& a, Op op) {
  using A = Accumulator<T>;
  const Vectors vectors(a.in);
  constexpr std::size_t tile = window * loads;
  // Iterations for whole tiles, at least one: of the last tile some may be idle, the first adds the ends.
  const std::size_t tiles = std::max<std::size_t>(1, (vectors.count + tile - 1) / tile);
  Kokkos::parallel_reduce(
      range(queue, tiles * window),
      KOKKOS_LAMBDA(std::size_t i, A & value) {
        value = op(value,
                   vectors.template reduce_strided<loads>(i / window * tile + i % window, window, vectors.count, op));
        if (i == 0) value = op(value, vectors.reduce_ends(op));
      },
      typename Op::template Reducer<A, Memory>(scalar(a.out)));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op op) {
    const int loads = queue.tuning["loads"];
    if (loads == 4) reduce_with<4>(queue, a, op);
    if (loads == 8) reduce_with<8>(queue, a, op);
    if (loads == 16) reduce_with<16>(queue, a, op);
  });
}

const Register<ReduceSum> variant{{
    .idea = "parallel_reduce with several 16-byte loads per iteration, all in flight",
    .bound_by = "memory bandwidth, and the end of parallel_reduce",
    .improves = "range",
    .counterparts = {"last_block"},
    .gaps = {{GapClass::tuning,
              "the end of parallel_reduce: one block adds the partial sums of all others",
              {"duration", "instructions"},
              [](const Point& point) { return point.integer("n") < 1 << 26; }}},
    .tunings = {{{{"loads", 4}}}, {{{"loads", 8}}}, {{{"loads", 16}}}},
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::kokkos
