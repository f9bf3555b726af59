// The accesses of bank_conflict in a team's scratch memory, for any layout of its tile: threads are its warps, vector
// lanes their lanes.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/bank_conflict.hpp"

namespace crosswarp::kokkos {
namespace {

template <unsigned unit>
struct alignas(4 * unit) Element {
  std::uint32_t word[unit];
};

template <class Layout, unsigned unit, BankConflict::Op op>
struct AccessColumns {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Op = BankConflict::Op;

  View<const std::uint32_t*> in;
  View<std::uint32_t*> out, places;
  unsigned warps, lanes, stride, n, zero;

  KOKKOS_FUNCTION unsigned place_of(unsigned thread) const {
    const unsigned column = thread / lanes % tile_columns::count(stride, unit);
    return Layout::at(tile_columns::word(column, thread % lanes, lanes, stride, unit), unit) / unit;
  }

  KOKKOS_FUNCTION static std::uint32_t folded(std::uint32_t value, const Element<unit>& element) {
    for (unsigned i = 0; i < unit; ++i) value = tile_columns::fold(value, element.word[i]);
    return value;
  }

  /// `work(thread)` on each lane of each warp.
  template <class Work>
  KOKKOS_FUNCTION void for_threads(const typename Policy::member_type& team, const Work& work) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, warps), [&](unsigned warp) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](unsigned lane) { work(warp * lanes + lane); });
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const unsigned slabs = tile_columns::slabs(lanes);
    const unsigned slab = Layout::at(tile_columns::slab_words(lanes), unit) / unit;
    const unsigned block = static_cast<unsigned>(team.league_rank()), threads = warps * lanes;
    auto* const tile = static_cast<Element<unit>*>(team.team_scratch(0).get_shmem_aligned(
        tile_columns::room(unit) * sizeof(std::uint32_t), sizeof(Element<unit>)));

    for_threads(team, [&](unsigned thread) {
      for (unsigned i = thread; i < tile_columns::words / unit; i += threads)
        for (unsigned w = 0; w < unit; ++w) tile[Layout::at(i * unit, unit) / unit].word[w] = in(i * unit + w);
    });
    for_threads(team, [&](unsigned thread) {
      unsigned place = place_of(thread);
      std::uint32_t value = block * threads + thread;
      if (block == 0) places(thread) = place * unit;
      for (unsigned done = 0; done < n; done += slabs) {
        for (unsigned i = 0; i < slabs; ++i) {
          Element<unit>& element = tile[place + i * slab];
          if constexpr (op == Op::load) {
            value = folded(value, element);
          } else if constexpr (op == Op::store) {
            value = tile_columns::fold(value, 1);
            Element<unit> stored;
            for (unsigned w = 0; w < unit; ++w) stored.word[w] = value;
            element = stored;
          } else {
            Kokkos::atomic_add(&element.word[0], tile_columns::addend(thread));
          }
        }
        place += zero;
      }
      if constexpr (op == Op::load) out(block * threads + thread) = value;
    });
    if constexpr (op != Op::load)
      for_threads(team, [&](unsigned thread) {
        std::uint32_t value = block;
        const unsigned other = place_of((thread + 1) % threads);
        for (unsigned i = 0; i < slabs; ++i) value = folded(value, tile[other + i * slab]);
        out(block * threads + thread) = value;
      });
  }
};

template <class Layout, unsigned unit, BankConflict::Op op>
void launch_columns(const Queue& queue, const BankConflict::Args& args) {
  using Work = AccessColumns<Layout, unit, op>;
  const auto count = [](unsigned n) { return static_cast<int>(n); };
  typename Work::Policy policy(queue.exec, count(args.blocks), is_asynchronous ? count(args.warps) : 1,
                               is_asynchronous ? count(args.lanes) : 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(count(tile_columns::room(unit) * sizeof(std::uint32_t) + 64)));
  Kokkos::parallel_for(policy, Work{array(args.in), array(args.out), array(args.places), args.warps, args.lanes,
                                    args.stride, args.n, args.zero});
}

/// A host has no banks: there they run for their results alone, and are small.
inline bool applies(const Point& point) { return is_asynchronous || point.integer("n") <= 256; }

template <class Layout>
void access(const Queue& queue, const BankConflict::Args& args) {
  using Op = BankConflict::Op;
  const auto by_op = [&]<unsigned unit>(std::integral_constant<unsigned, unit>) {
    if (args.op == Op::load)
      launch_columns<Layout, unit, Op::load>(queue, args);
    else
      launch_columns<Layout, unit, Op::store>(queue, args);
  };
  if (args.op == Op::atomic)
    launch_columns<Layout, 1, Op::atomic>(queue, args);
  else if (args.width == 4)
    by_op(std::integral_constant<unsigned, 1>{});
  else if (args.width == 8)
    by_op(std::integral_constant<unsigned, 2>{});
  else
    by_op(std::integral_constant<unsigned, 4>{});
}

}  // namespace
}  // namespace crosswarp::kokkos
