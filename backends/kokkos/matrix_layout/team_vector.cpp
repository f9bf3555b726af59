// Rows over the threads of teams, columns over vector lanes. On a GPU the lanes read neighbours with LayoutRight, the
// layout that the loop of `range` has to avoid there.
#include "backends/kokkos/matrix_layout/views.hpp"

namespace crosswarp::kokkos {
namespace {

using Teams = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Team = Teams::member_type;

constexpr int team_size = is_asynchronous ? 4 : 1;

template <class View>
void add_rows(const Queue& queue, const View& in, const MatrixLayout::Args& args) {
  const auto out = array(args.out);
  const std::size_t rows = out.extent(0);
  const int lanes = is_asynchronous ? queue.device.warp_size : 1;
  const auto league = static_cast<int>((rows + team_size - 1) / team_size);
  Kokkos::parallel_for(
      Teams(queue.exec, league, team_size, lanes), KOKKOS_LAMBDA(const Team& team) {
        const std::size_t row = team.league_rank() * std::size_t{team_size} + team.team_rank();
        if (row >= rows) return;
        float sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, in.extent(1)),
            [&](std::size_t column, float& part) { part += in(row, column); }, sum);
        Kokkos::single(Kokkos::PerThread(team), [&] { out(row) = sum; });
      });
}

void run(const Queue& queue, const MatrixLayout::Args& args) {
  with_view(args, [&](const auto& in) { add_rows(queue, in, args); });
}

const Register<MatrixLayout> variant{{
    .idea = "rows over the threads of teams, columns over their vector lanes",
    .bound_by = "memory with LayoutRight, else the parts of sectors and cache lines that it uses",
    .counterparts = {"warp_per_row"},
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
