// Teams that stride over tiles of 16-byte vectors, each lane's loads of a tile in flight at once, and one atomic per
// team for sums. Bound by memory or link bandwidth.
//
// A team is a block, of threads with a warp of vector lanes each where it has a sum, so that shuffles add it up:
// Kokkos's own team reduction has a barrier for each of its steps. With 256 lanes half as many blocks start as
// parallel_for over a range has, whose blocks have 128. As in CUDA's vector16, writes are a vector per thread in as
// many teams as it takes, and reads four per lane in a league that strides over the array, which leaves few sums.
#include "backends/kokkos/memory_bandwidth/stream.hpp"
#include "backends/kokkos/team_sum.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Team = Policy::member_type;

/// Tiles of one team: every league_size-th on a GPU, so that the league passes over one contiguous window at a time; a
/// contiguous share on a host, for its prefetchers.
struct Tiles {
  std::size_t first, last, step;

  KOKKOS_INLINE_FUNCTION Tiles(const Team& team, std::size_t count) {
    const auto rank = static_cast<std::size_t>(team.league_rank()),
               teams = static_cast<std::size_t>(team.league_size());
    const std::size_t share = (count + teams - 1) / teams;
    first = is_asynchronous ? rank : rank * share;
    last = is_asynchronous || first + share > count ? count : first + share;
    step = is_asynchronous ? teams : 1;
  }
};

/// A team's part of one pass over all arrays. Pointers, so that constant distances become part of the load instruction.
template <StreamOp op, int threads, int loads>
struct Pass {
  using Sum = std::conditional_t<op == StreamOp::dot, float, std::uint32_t>;
  static constexpr std::size_t tile = std::size_t{threads} * loads;

  const float *a, *b;
  float* out;
  float s;
  std::size_t n, tiles;
  View<Sum> total;

  template <class T>
  KOKKOS_INLINE_FUNCTION void use(T* to, const T& of_a, const T& of_b, Sum& sum) const {
    if constexpr (writes(op)) *to = apply<op>(of_a, of_b, s);
    if constexpr (op == StreamOp::read) sum += bits_of(of_a);
    if constexpr (op == StreamOp::dot) sum += dot_product(of_a, of_b);
  }

  /// Elements or vectors first, first + threads … below `end`.
  template <class T>
  KOKKOS_INLINE_FUNCTION void use_each(std::size_t first, std::size_t end, Sum& sum) const {
    for (std::size_t i = first; i < end; i += threads) {
      T of_a = {}, of_b = {};
      if constexpr (reads_a(op)) of_a = reinterpret_cast<const T*>(a)[i];
      if constexpr (reads_b(op)) of_b = reinterpret_cast<const T*>(b)[i];
      use(reinterpret_cast<T*>(out) + i, of_a, of_b, sum);
    }
  }

  /// Vectors first, first + threads … of a whole tile, their loads all in flight.
  KOKKOS_INLINE_FUNCTION void use_tile(std::size_t first, Sum& sum) const {
    const Four* const from_a = reinterpret_cast<const Four*>(a) + first;
    const Four* const from_b = reinterpret_cast<const Four*>(b) + first;
    Four* const to = reinterpret_cast<Four*>(out) + first;
    Four of_a[loads] = {}, of_b[loads] = {};
    for (int u = 0; u < loads; ++u) {
      if constexpr (reads_a(op)) of_a[u] = from_a[u * threads];
      if constexpr (reads_b(op)) of_b[u] = from_b[u * threads];
    }
    for (int u = 0; u < loads; ++u) use(to + u * threads, of_a[u], of_b[u], sum);
  }

  /// What lane `rank` of the team's `threads` has to do. Returns its sum.
  KOKKOS_INLINE_FUNCTION Sum work(const Team& team, std::size_t rank) const {
    const std::size_t vectors = n / 4;
    Sum sum = 0;
    const Tiles mine(team, tiles);
    for (std::size_t t = mine.first; t < mine.last; t += mine.step) {
      if ((t + 1) * tile <= vectors)
        use_tile(t * tile + rank, sum);
      else
        use_each<Four>(t * tile + rank, vectors, sum);
    }
    if (team.league_rank() == 0) use_each<float>(4 * vectors + rank, n, sum);
    return sum;
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    if constexpr (writes(op))
      work(team, static_cast<std::size_t>(team.team_rank()));
    else
      add_team_sum_to(total.data(), team, [&](int lane) { return work(team, static_cast<std::size_t>(lane)); });
  }
};

template <StreamOp op, int threads, int loads>
void pass(const Queue& queue, const MemoryBandwidth::Args& args, std::size_t max_teams) {
  using ThisPass = Pass<op, threads, loads>;
  const std::size_t n = std::max(args.a.size(), args.out.size());
  const std::size_t tiles = std::max<std::size_t>(1, (n / 4 + ThisPass::tile - 1) / ThisPass::tile);
  ThisPass body{args.a.data(), args.b.data(), args.out.data(), args.scalar, n, tiles, {}};
  if constexpr (op == StreamOp::read) body.total = scalar(args.sum);
  if constexpr (op == StreamOp::dot) body.total = scalar(args.dot);
  const int teams = static_cast<int>(std::min(tiles, max_teams));
  if constexpr (writes(op)) {
    Kokkos::parallel_for(Policy(queue.exec, teams, threads), body);
  } else {
    Kokkos::deep_copy(queue.exec, body.total, 0);
    Kokkos::parallel_for(
        Policy(queue.exec, teams, threads / team_sum_lanes, team_sum_lanes)
            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team_sum_bytes<typename ThisPass::Sum>))),
        body);
  }
}

template <int threads, int loads>
void pass_of(const Queue& queue, const MemoryBandwidth::Args& args, int per_unit) {
  const auto max_teams = static_cast<std::size_t>(queue.device.compute_units) * static_cast<std::size_t>(per_unit);
  switch (args.op) {
    case StreamOp::read:
      return pass<StreamOp::read, threads, loads>(queue, args, max_teams);
    case StreamOp::write:
      return pass<StreamOp::write, threads, loads>(queue, args, max_teams);
    case StreamOp::copy:
      return pass<StreamOp::copy, threads, loads>(queue, args, max_teams);
    case StreamOp::scale:
      return pass<StreamOp::scale, threads, loads>(queue, args, max_teams);
    case StreamOp::add:
      return pass<StreamOp::add, threads, loads>(queue, args, max_teams);
    case StreamOp::triad:
      return pass<StreamOp::triad, threads, loads>(queue, args, max_teams);
    case StreamOp::dot:
      return pass<StreamOp::dot, threads, loads>(queue, args, max_teams);
  }
}

Tuning tuning(int threads, int loads, int per_unit) {
  return {{{"threads", threads}, {"loads", loads}, {"per_unit", per_unit}}};
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  if constexpr (is_asynchronous) {
    const Tuning with = queue.tuning["threads"] > 0 ? queue.tuning
                        : writes(args.op)           ? tuning(256, 1, 1 << 20)
                                                    : tuning(512, 4, 64);
    const int threads = with["threads"], loads = with["loads"], per_unit = with["per_unit"];
    if (threads == 256 && loads == 1) return pass_of<256, 1>(queue, args, per_unit);
    if (threads == 512 && loads == 1) return pass_of<512, 1>(queue, args, per_unit);
    if (threads == 512 && loads == 4) return pass_of<512, 4>(queue, args, per_unit);
    if (threads == 512 && loads == 8) return pass_of<512, 8>(queue, args, per_unit);
  } else {
    pass_of<1, 8>(queue, args, 1);  // a team per core
  }
}

/// threads, loads, per_unit 0: the best for the operation. A host has one way.
const Register<MemoryBandwidth> variant{{
    .idea = "teams over tiles of 16-byte vectors: reads four in flight per thread, writes one per thread in many teams",
    .bound_by = "memory or link bandwidth",
    .improves = "vector16",
    .counterparts = {"vector16"},
    .gaps = {{GapClass::tuning,
              "a team's sum takes more instructions, and registers that leave room for two teams in place of three",
              {"instructions", "branches", "achieved_occupancy", "dram_throughput"},
              [](const Point& point) { return point.word("op") == "read" && point.integer("bytes") < 1 << 30; }}},
    .tunings = {tuning(0, 0, 0), tuning(512, 4, 64), tuning(512, 4, 4), tuning(512, 8, 64), tuning(512, 1, 1 << 20),
                tuning(256, 1, 1 << 20)},
    .applies =
        [](const Point& point) {
          const std::string& level = point.word("level");
          return level == "hbm" || level == "link";
        },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
