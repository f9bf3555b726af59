// The kernel of bank_conflict in team scratch memory, for any layout of its tile. As in CUDA's, the lanes of a warp are
// a constant, so that the timed loop holds only the accesses, the folds and a counter: each lane's elements have
// constant offsets from one register.
#pragma once

#include <type_traits>

#include "backends/kokkos/queue.hpp"
#include "experiments/bank_conflict.hpp"

namespace crosswarp::kokkos {
namespace {

/// An element of `element_words` words. The alignment lets the compiler access it by one instruction.
template <unsigned element_words>
struct alignas(4 * element_words) Element {
  std::uint32_t word[element_words];
};

template <class Layout, unsigned lanes, unsigned element_words, BankConflict::Op op>
struct AccessColumns {
  using Op = BankConflict::Op;
  using E = Element<element_words>;

  /// Hosts have memory of one kind at all levels, and with Kokkos 5 32 KiB at level 0.
  static constexpr int level = is_asynchronous ? 0 : 1;
  static constexpr unsigned max_warps = 16, unroll = 4, elements = tile_columns::tile_words / element_words;
  static constexpr unsigned slabs = tile_columns::slabs(lanes);
  static constexpr unsigned slab =
      Layout::position(tile_columns::slab_words(lanes), element_words) / element_words;  // elements

  const E* in;
  std::uint32_t *out, *positions;
  unsigned warps, stride, n, zero;

  /// Index of an element in the tile.
  KOKKOS_FUNCTION static unsigned index_of(unsigned first_word) {
    return Layout::position(first_word, element_words) / element_words;
  }
  /// Index of a thread's first element.
  KOKKOS_FUNCTION unsigned first_of(unsigned thread) const {
    const unsigned column = thread / lanes % tile_columns::columns(stride, element_words);
    return index_of(tile_columns::first_word(column, thread % lanes, lanes, stride, element_words));
  }

  KOKKOS_FUNCTION static std::uint32_t fold(std::uint32_t value, E element) {
    for (unsigned w = 0; w < element_words; ++w) value = tile_columns::fold(value, element.word[w]);
    return value;
  }

  KOKKOS_FUNCTION static void access(E& element, std::uint32_t& value, std::uint32_t addend) {
    if constexpr (op == Op::load) {
      value = fold(value, element);
    } else if constexpr (op == Op::store) {
      value = tile_columns::fold(value, 1);
      E stored;
      for (unsigned w = 0; w < element_words; ++w) stored.word[w] = value;
      element = stored;
    } else {
      Kokkos::atomic_add(&element.word[0], addend);
    }
  }

  /// `work(thread)` for each thread of the block, then a barrier. On hosts a team has one thread, which takes them all.
  template <class Team, class Work>
  KOKKOS_FUNCTION void for_threads(const Team& team, const Work& work) const {
    for (auto thread = static_cast<unsigned>(team.team_rank()); thread < warps * lanes;
         thread += static_cast<unsigned>(team.team_size()))
      work(thread);
    team.team_barrier();
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const unsigned block = static_cast<unsigned>(team.league_rank()), threads = warps * lanes;
    auto* const tile = static_cast<E*>(
        team.team_scratch(int{level})
            .get_shmem_aligned(tile_columns::shared_words(element_words) * sizeof(std::uint32_t), sizeof(E)));

    for_threads(team, [&](unsigned thread) {
      constexpr unsigned batch = 8;  // loads in flight
      for (unsigned first = thread; first < elements; first += batch * threads) {
        E loaded[batch] = {};
        for (unsigned u = 0; u < batch; ++u)
          if (first + u * threads < elements) loaded[u] = in[first + u * threads];
        for (unsigned u = 0; u < batch; ++u)
          if (first + u * threads < elements) tile[index_of((first + u * threads) * element_words)] = loaded[u];
      }
    });
    for_threads(team, [&](unsigned thread) {
      unsigned index = first_of(thread);
      std::uint32_t value = block * threads + thread;
      const std::uint32_t addend = tile_columns::addend(thread);
      const auto sweep = [&] {
        for (unsigned i = 0; i < slabs; ++i) access(tile[index + i * slab], value, addend);
        index += zero;
      };
      unsigned done = 0;
      for (; done + unroll * slabs <= n; done += unroll * slabs)
        for (unsigned u = 0; u < unroll; ++u) sweep();
      for (; done < n; done += slabs) sweep();
      if (block == 0) positions[thread] = index * element_words;
      if constexpr (op == Op::load) out[block * threads + thread] = value;
    });
    if constexpr (op != Op::load)
      for_threads(team, [&](unsigned thread) {
        std::uint32_t value = block;
        const unsigned other = first_of((thread + 1) % threads);
        for (unsigned i = 0; i < slabs; ++i) value = fold(value, tile[other + i * slab]);
        out[block * threads + thread] = value;
      });
  }
};

template <class Layout, unsigned lanes, unsigned element_words, BankConflict::Op op>
void launch_columns(const Queue& queue, const BankConflict::Args& args) {
  using Work = AccessColumns<Layout, lanes, element_words, op>;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Work::max_warps * lanes>>;
  const auto count = [](std::size_t n) { return static_cast<int>(n); };
  const std::size_t bytes =
      tile_columns::shared_words(element_words) * sizeof(std::uint32_t) + sizeof(typename Work::E);
  Kokkos::parallel_for(Policy(queue.exec, count(args.blocks), is_asynchronous ? count(args.warps * lanes) : 1)
                           .set_scratch_size(Work::level, Kokkos::PerTeam(count(bytes))),
                       Work{reinterpret_cast<const typename Work::E*>(args.in.data()), args.out.data(),
                            args.positions.data(), args.warps, args.stride, args.n, args.zero});
}

/// A host has no banks, so it runs small sizes only.
inline bool applies(const Point& point) { return is_asynchronous || point.integer("n") <= 256; }

template <class Layout, unsigned lanes>
void launch_by_width(const Queue& queue, const BankConflict::Args& args) {
  using Op = BankConflict::Op;
  if (args.op == Op::atomic) return launch_columns<Layout, lanes, 1, Op::atomic>(queue, args);
  const auto by_op = [&](auto element_words) {
    if (args.op == Op::load)
      launch_columns<Layout, lanes, element_words(), Op::load>(queue, args);
    else
      launch_columns<Layout, lanes, element_words(), Op::store>(queue, args);
  };
  if (args.width == 4) by_op(std::integral_constant<unsigned, 1>{});
  if (args.width == 8) by_op(std::integral_constant<unsigned, 2>{});
  if (args.width == 16) by_op(std::integral_constant<unsigned, 4>{});
}

template <class Layout>
void access(const Queue& queue, const BankConflict::Args& args) {
#ifdef KOKKOS_ENABLE_HIP
  if (args.lanes == 64) return launch_by_width<Layout, 64>(queue, args);
#endif
  launch_by_width<Layout, 32>(queue, args);
}

}  // namespace
}  // namespace crosswarp::kokkos
