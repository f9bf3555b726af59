// Repeated reads of one small array by teams, eight 16-byte loads at a time: team size and trip count are constants, so
// that the loads have neither a test nor address arithmetic between them. From L1, or from a copy in scratch memory.
// Bound by the load port of that memory: 128 bytes per cycle.
#include "backends/kokkos/memory_bandwidth/stream.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Team = Policy::member_type;
using Scratch = Kokkos::View<Four*, Exec::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

constexpr int loads = 8, threads = is_asynchronous ? 256 : 1;
constexpr std::size_t tile = std::size_t{threads} * loads;

/// The calling thread's part of the sum of `sweeps` passes of its team over `n` vectors. Each pass shifts the threads
/// by `shift`, so that no compiler can hoist a load out of the loop; the team's size is not a constant to it there.
KOKKOS_INLINE_FUNCTION std::uint32_t sweep(const Team& team, const Four* array, std::size_t n, std::size_t sweeps) {
  constexpr std::size_t shift = threads > 32 ? 32 : 1;
  const std::size_t tiled = n / tile * tile;
  std::size_t start = static_cast<std::size_t>(team.team_rank());
  std::uint32_t sum = 0;
  for (std::size_t s = 0; s < sweeps; ++s) {
    for (std::size_t first = start; first < tiled; first += tile) {
      Four v[loads];
      for (int u = 0; u < loads; ++u) v[u] = (array + first)[u * threads];
      for (int u = 0; u < loads; ++u) sum += bits_of(v[u]);
    }
    for (std::size_t i = tiled + start; i < n; i += threads) sum += bits_of(array[i]);
    start += shift;
    if (start >= static_cast<std::size_t>(team.team_size())) start -= static_cast<std::size_t>(team.team_size());
  }
  return sum;
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const Four* const array = vectors(args.a).data();
  const std::size_t n = args.a.size() / 4, sweeps = args.sweeps;
  const bool in_scratch = args.in_shared;
  const auto resident =
      static_cast<std::size_t>(queue.device.compute_units * std::max(1, queue.device.threads_per_unit / threads));
  const std::size_t teams = std::min(resident, sweeps);
  const auto sum = scalar(args.sum);
  Kokkos::deep_copy(queue.exec, sum, 0u);
  const Policy policy = Policy(queue.exec, static_cast<int>(teams), threads)
                            .set_scratch_size(0, Kokkos::PerTeam(in_scratch ? Scratch::shmem_size(n) : 0));
  const auto body = KOKKOS_LAMBDA(const Team& team) {
    const auto rank = static_cast<std::size_t>(team.league_rank());
    const std::size_t own = sweeps / teams + (rank < sweeps % teams);
    std::uint32_t mine = 0;
    if (in_scratch) {
      const Scratch copy(team.team_scratch(0), n);
      for (auto i = static_cast<std::size_t>(team.team_rank()); i < n; i += threads) copy(i) = array[i];
      team.team_barrier();
      mine = sweep(team, copy.data(), n, own);
    } else {
      mine = sweep(team, array, n, own);
    }
    add_team_sum(team, mine, sum);
  };
  Kokkos::parallel_for(policy, body);
}

const Register<MemoryBandwidth> variant{{
    .idea = "teams that read a small array repeatedly, eight 16-byte loads at a time, from L1 or scratch memory",
    .bound_by = "load port of L1 or shared memory",
    .improves = "team",
    .counterparts = {"read_l1", "read_shared"},
    .applies =
        [](const Point& point) {
          const std::string& level = point.word("level");
          return level == "l1" || (level == "shared" && point.integer("bytes") <= 40 * 1024);
        },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
