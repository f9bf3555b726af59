// A switch in a ThreadVectorRange, whose lanes are those of a warp. Bound on a GPU by one pass per path in a warp.
#include <algorithm>

#include "backends/kokkos/queue.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;

/// On a host larger points take seconds per launch.
bool applies(const Point& point) { return is_asynchronous || point.integer("n") * point.integer("work") <= 1 << 24; }

void run(const Queue& queue, const WarpDivergence::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t n = in.extent(0);
  const unsigned factor = args.factor, work = args.work;
  const int threads = is_asynchronous ? 8 : 1, lanes = std::max(queue.device.warp_size, 1);
  const std::size_t share = static_cast<std::size_t>(threads * lanes);
  const Policy policy(queue.exec, static_cast<int>((n + share - 1) / share), threads, lanes);
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        const std::size_t begin =
            (static_cast<std::size_t>(team.league_rank()) * team.team_size() + team.team_rank()) * lanes;
        const std::size_t items = begin >= n ? 0 : n - begin < std::size_t(lanes) ? n - begin : lanes;
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, items), [&](std::size_t lane) {
          const std::size_t i = begin + lane;
          out(i) = divergent::switch_path<4>(static_cast<unsigned>(i % factor), in(i), work);
        });
      });
}

const Register<WarpDivergence> variant{{
    .idea = "a switch on the lanes of a ThreadVectorRange",
    .bound_by = "one pass of the work per path in a warp",
    .counterparts = {"switch_tree"},
    .applies = applies,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
