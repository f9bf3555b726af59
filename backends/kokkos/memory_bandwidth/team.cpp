// Repeated reads of one small array by teams: from their L1, or from a copy in scratch memory, which is shared memory
// on a GPU. Bound by the load port of that memory, if the compiler emits wide loads.
#include "backends/kokkos/four.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Team = Policy::member_type;

using Scratch = Kokkos::View<Four*, Exec::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The sum of `sweeps` passes of a team over `array`. Each pass shifts the threads, so that no compiler can hoist a
/// load out of the loop.
template <class Array>
KOKKOS_INLINE_FUNCTION std::uint32_t sweep(const Team& team, const Array& array, std::size_t sweeps) {
  const auto threads = static_cast<std::size_t>(team.team_size()), n = array.extent(0);
  std::size_t start = static_cast<std::size_t>(team.team_rank());
  const std::size_t step = threads > 32 ? 32 : 1;
  std::uint32_t sum = 0;
  for (std::size_t s = 0; s < sweeps; ++s) {
    for (std::size_t i = start; i < n; i += threads) sum += bits_of(array(i));
    start += step;
    if (start >= threads) start -= threads;
  }
  return sum;
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const View<const Four*> array(reinterpret_cast<const Four*>(args.a.data()), args.a.size() / 4);
  const std::size_t n = array.extent(0), sweeps = args.sweeps;
  const bool in_scratch = args.in_shared;
  const int on_device = queue.device.warp_size > 1 ? 512 : 1;
  const auto most =
      static_cast<std::size_t>(queue.device.compute_units * std::max(1, queue.device.threads_per_unit / on_device));
  const std::size_t teams = std::min(most, sweeps);
  const auto body = KOKKOS_LAMBDA(const Team& team, std::uint32_t& sum) {
    const auto rank = static_cast<std::size_t>(team.league_rank());
    const std::size_t own = sweeps / teams + (rank < sweeps % teams);
    if (in_scratch) {
      const Scratch copy(team.team_scratch(0), n);
      for (auto i = static_cast<std::size_t>(team.team_rank()); i < n; i += static_cast<std::size_t>(team.team_size()))
        copy(i) = array(i);
      team.team_barrier();
      sum += sweep(team, copy, own);
    } else {
      sum += sweep(team, array, own);
    }
  };
  const Policy policy = Policy(queue.exec, static_cast<int>(teams), on_device)
                            .set_scratch_size(0, Kokkos::PerTeam(in_scratch ? Scratch::shmem_size(n) : 0));
  Kokkos::parallel_reduce(policy, body, scalar(args.sum));
}

const Register<MemoryBandwidth> variant{{
    .idea = "teams that read a small array repeatedly, from L1 or scratch memory",
    .bound_by = "load port of L1 or shared memory",
    .counterparts = {"read_l1", "read_shared"},
    .gaps = {{GapClass::tuning,
              "teams of 512 threads reach less of the rate of L1",
              {"threads_per_block", "l1_throughput"}}},
    .applies =
        [](const Point& point) {
          const std::string& level = point.word("level");
          return level == "l1" || (level == "shared" && point.integer("bytes") <= 40 * 1024);
        },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
