// The kernel of bank_conflict in team scratch memory, for any layout of its tile. Team threads are warps, vector lanes
// are lanes.
#pragma once

#include "backends/kokkos/queue.hpp"
#include "experiments/bank_conflict.hpp"

namespace crosswarp::kokkos {
namespace {

template <unsigned element_words>
struct alignas(4 * element_words) Element {
  std::uint32_t word[element_words];
};

template <class Layout, unsigned element_words, BankConflict::Op op>
struct AccessColumns {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Op = BankConflict::Op;

  View<const std::uint32_t*> in;
  View<std::uint32_t*> out, positions;
  unsigned warps, lanes, stride, n, zero;

  KOKKOS_FUNCTION unsigned index_of(unsigned thread) const {
    const unsigned column = thread / lanes % tile_columns::columns(stride, element_words);
    return Layout::position(tile_columns::first_word(column, thread % lanes, lanes, stride, element_words),
                            element_words) /
           element_words;
  }

  KOKKOS_FUNCTION static std::uint32_t fold(std::uint32_t value, const Element<element_words>& element) {
    for (unsigned i = 0; i < element_words; ++i) value = tile_columns::fold(value, element.word[i]);
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
    const unsigned slab = Layout::position(tile_columns::slab_words(lanes), element_words) / element_words;
    const unsigned block = static_cast<unsigned>(team.league_rank()), threads = warps * lanes;
    auto* const tile = static_cast<Element<element_words>*>(team.team_scratch(0).get_shmem_aligned(
        tile_columns::shared_words(element_words) * sizeof(std::uint32_t), sizeof(Element<element_words>)));

    for_threads(team, [&](unsigned thread) {
      for (unsigned i = thread; i < tile_columns::tile_words / element_words; i += threads)
        for (unsigned w = 0; w < element_words; ++w)
          tile[Layout::position(i * element_words, element_words) / element_words].word[w] = in(i * element_words + w);
    });
    for_threads(team, [&](unsigned thread) {
      unsigned index = index_of(thread);
      std::uint32_t value = block * threads + thread;
      if (block == 0) positions(thread) = index * element_words;
      for (unsigned done = 0; done < n; done += slabs) {
        for (unsigned i = 0; i < slabs; ++i) {
          Element<element_words>& element = tile[index + i * slab];
          if constexpr (op == Op::load) {
            value = fold(value, element);
          } else if constexpr (op == Op::store) {
            value = tile_columns::fold(value, 1);
            Element<element_words> stored;
            for (unsigned w = 0; w < element_words; ++w) stored.word[w] = value;
            element = stored;
          } else {
            Kokkos::atomic_add(&element.word[0], tile_columns::addend(thread));
          }
        }
        index += zero;
      }
      if constexpr (op == Op::load) out(block * threads + thread) = value;
    });
    if constexpr (op != Op::load)
      for_threads(team, [&](unsigned thread) {
        std::uint32_t value = block;
        const unsigned other = index_of((thread + 1) % threads);
        for (unsigned i = 0; i < slabs; ++i) value = fold(value, tile[other + i * slab]);
        out(block * threads + thread) = value;
      });
  }
};

template <class Layout, unsigned element_words, BankConflict::Op op>
void launch_columns(const Queue& queue, const BankConflict::Args& args) {
  using Work = AccessColumns<Layout, element_words, op>;
  const auto count = [](unsigned n) { return static_cast<int>(n); };
  typename Work::Policy policy(queue.exec, count(args.blocks), is_asynchronous ? count(args.warps) : 1,
                               is_asynchronous ? count(args.lanes) : 1);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(count(tile_columns::shared_words(element_words) * sizeof(std::uint32_t) + 64)));
  Kokkos::parallel_for(policy, Work{array(args.in), array(args.out), array(args.positions), args.warps, args.lanes,
                                    args.stride, args.n, args.zero});
}

/// A host has no banks, so it runs small sizes only.
inline bool applies(const Point& point) { return is_asynchronous || point.integer("n") <= 256; }

template <class Layout>
void access(const Queue& queue, const BankConflict::Args& args) {
  using Op = BankConflict::Op;
  const auto by_op = [&]<unsigned element_words>(std::integral_constant<unsigned, element_words>) {
    if (args.op == Op::load)
      launch_columns<Layout, element_words, Op::load>(queue, args);
    else
      launch_columns<Layout, element_words, Op::store>(queue, args);
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
