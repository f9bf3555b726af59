// Oracle of bank_conflict: wavefronts by hand, the tile's columns, accesses to them.
#include "experiments/bank_conflict.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/host_device.hpp"
#include "tests/core/sentences.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<BankConflict>);

Point point(std::int64_t stride, std::int64_t width, const std::string& op, std::int64_t n) {
  return product(BankConflict::axes(), {{stride}, {width}, {op}, {n}}).front();
}

TEST(Wavefronts, AreTheWordsOfTheBusiestBank) {
  using tile_columns::wavefronts;
  const std::vector<std::pair<unsigned, unsigned>> known{
      {0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {6, 2}, {8, 8}, {12, 4}, {16, 16}, {32, 32}, {33, 1}, {48, 16}, {64, 32}};
  for (const auto& [stride, ways] : known) {
    EXPECT_EQ(wavefronts(stride, 4, 32), ways) << stride;
    EXPECT_EQ(wavefronts(stride, 4, 64), 2 * ways) << stride;  // two groups of 32 lanes
  }
  // Groups of half and a quarter of a warp.
  EXPECT_EQ(wavefronts(2, 8, 32), 2u);
  EXPECT_EQ(wavefronts(4, 8, 32), 4u);
  EXPECT_EQ(wavefronts(32, 8, 32), 32u);
  EXPECT_EQ(wavefronts(34, 8, 32), 2u);
  EXPECT_EQ(wavefronts(4, 16, 32), 4u);
  EXPECT_EQ(wavefronts(8, 16, 32), 8u);
  EXPECT_EQ(wavefronts(32, 16, 32), 32u);
  EXPECT_EQ(wavefronts(36, 16, 32), 4u);
}

/// Wavefronts of the first column in a layout.
template <class Layout>
unsigned wavefronts_in(unsigned stride, unsigned element_words) {
  std::vector<std::uint32_t> positions;
  for (unsigned lane = 0; lane < 32; ++lane)
    positions.push_back(Layout::position(tile_columns::first_word(0, lane, 32, stride, element_words), element_words));
  return tile_columns::wavefronts(positions, element_words);
}

TEST(Wavefronts, AreFewestInPaddedAndSwizzledColumns) {
  for (const unsigned element_words : {1, 2, 4})
    for (unsigned stride = element_words; stride <= 32; stride *= 2) {
      EXPECT_EQ(wavefronts_in<tile_columns::Padded>(stride, element_words), element_words)
          << stride << " " << element_words;
      EXPECT_EQ(wavefronts_in<tile_columns::Swizzled>(stride, element_words), element_words)
          << stride << " " << element_words;
    }
  EXPECT_EQ(wavefronts_in<tile_columns::Padded>(33, 1), 2u);
  EXPECT_EQ(wavefronts_in<tile_columns::Swizzled>(33, 1), 32u);
}

template <class Layout>
void expect_distinct_positions() {
  for (const unsigned element_words : {1, 2, 4}) {
    std::set<unsigned> positions;
    for (unsigned word = 0; word < tile_columns::tile_words; word += element_words) {
      const unsigned position = Layout::position(word, element_words);
      EXPECT_EQ(position % element_words, 0u);
      EXPECT_LE(position + element_words, tile_columns::shared_words(element_words));
      EXPECT_TRUE(positions.insert(position).second) << word;
    }
    for (const unsigned lanes : {32, 64})
      for (unsigned word = 0; word < tile_columns::tile_words - tile_columns::slab_words(lanes); word += element_words)
        ASSERT_EQ(
            Layout::position(word + tile_columns::slab_words(lanes), element_words),
            Layout::position(word, element_words) + Layout::position(tile_columns::slab_words(lanes), element_words));
  }
}

TEST(TileColumns, HaveDistinctPositionsInEveryLayout) {
  expect_distinct_positions<tile_columns::Plain>();
  expect_distinct_positions<tile_columns::Padded>();
  expect_distinct_positions<tile_columns::Swizzled>();
}

TEST(TileColumns, AreDisjointAndWithinASlab) {
  for (const unsigned lanes : {32, 64})
    for (const unsigned element_words : {1, 2, 4})
      for (unsigned stride = element_words; stride <= 64; stride += element_words) {
        ASSERT_GE(tile_columns::columns(stride, element_words), 8u)
            << stride << " " << element_words;  // warps that store
        ASSERT_TRUE(element_words > 1 || tile_columns::columns(stride, element_words) >= 16)
            << stride;  // warps with atomics
        std::set<unsigned> words;
        for (unsigned column = 0; column < tile_columns::columns(stride, element_words); ++column)
          for (unsigned lane = 0; lane < lanes; ++lane) {
            const unsigned word = tile_columns::first_word(column, lane, lanes, stride, element_words);
            ASSERT_LE(word + element_words, tile_columns::slab_words(lanes));
            for (unsigned w = 0; w < element_words; ++w)
              ASSERT_TRUE(words.insert(word + w).second) << stride << " " << element_words;
          }
      }
}

/// Serial reference with `n` accesses.
void solve(const BankConflict& problem, std::size_t set, unsigned n) {
  using Op = BankConflict::Op;
  const auto args = problem.args(set);
  const unsigned element_words = args.width / 4, threads = args.warps * args.lanes;
  const unsigned slab = tile_columns::slab_words(args.lanes), slabs = tile_columns::slabs(args.lanes);
  const auto word = [&](unsigned thread) {
    const unsigned column = thread / args.lanes % tile_columns::columns(args.stride, element_words);
    return tile_columns::first_word(column, thread % args.lanes, args.lanes, args.stride, element_words);
  };
  for (unsigned block = 0; block < args.blocks; ++block) {
    std::vector<std::uint32_t> tile(args.in.begin(), args.in.end());
    for (unsigned thread = 0; thread < threads; ++thread) {
      std::uint32_t v = block * threads + thread;
      args.positions[thread] = word(thread);
      for (unsigned i = 0; i < n; ++i) {
        if (args.op == Op::store) v = tile_columns::fold(v, 1);
        for (unsigned w = 0; w < element_words; ++w) {
          std::uint32_t& at = tile[word(thread) + i % slabs * slab + w];
          if (args.op == Op::load) v = tile_columns::fold(v, at);
          if (args.op == Op::store) at = v;
          if (args.op == Op::atomic) at += tile_columns::addend(thread);
        }
      }
      args.out[block * threads + thread] = v;
    }
    if (args.op == Op::load) continue;
    for (unsigned thread = 0; thread < threads; ++thread) {
      std::uint32_t v = block;
      for (unsigned s = 0; s < slabs; ++s)
        for (unsigned w = 0; w < element_words; ++w)
          v = tile_columns::fold(v, tile[word((thread + 1) % threads) + s * slab + w]);
      args.out[block * threads + thread] = v;
    }
  }
}

TEST(BankConflict, IsOkForAllAccessesAndWrongForFourLess) {
  for (const TestPoint& test : BankConflict::test_points()) {
    BankConflict problem(*open_host_device(), test.point, 3, 2);
    problem.refill(0);
    problem.poison();
    EXPECT_FALSE(problem.check(ResultIn::device).ok);
    for (const std::size_t set : {0, 1}) solve(problem, set, 12);
    EXPECT_TRUE(problem.check(ResultIn::device).ok) << test.point.name() << problem.check(ResultIn::device).where;
    solve(problem, 1, 8);
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << test.point.name();
  }
}

TEST(BankConflict, ChecksPositions) {
  BankConflict problem(*open_host_device(), point(4, 16, "load", 8), 3, 1);
  problem.refill(0);
  problem.poison();
  solve(problem, 0, 8);
  ASSERT_TRUE(problem.check(ResultIn::device).ok);
  ASSERT_EQ(problem.observe().size(), 1u);  // no cycles written
  EXPECT_EQ(problem.observe()[0].name, "wavefronts_per_access");
  EXPECT_EQ(problem.observe()[0].value, 4);
  for (Elapsed& elapsed : problem.args(0).elapsed) elapsed = {8 * 16 * 5, 8 * 16 * 10};
  ASSERT_EQ(problem.observe().size(), 3u);
  EXPECT_EQ(problem.observe()[1].value, 5);
  EXPECT_EQ(problem.observe()[2].value, 5e8);
  for (const std::uint32_t wrong : {2u, tile_columns::shared_words(4)}) {  // misaligned; behind the tile
    problem.args(0).positions[3] = wrong;
    EXPECT_FALSE(problem.check(ResultIn::device).ok);
  }
}

TEST(BankConflict, ExistsWhereElementsAreAlignedAndLanesDoNotRace) {
  EXPECT_TRUE(BankConflict::exists(point(33, 4, "load", 8)));
  EXPECT_FALSE(BankConflict::exists(point(33, 8, "load", 8)));
  EXPECT_TRUE(BankConflict::exists(point(36, 16, "store", 8)));
  EXPECT_FALSE(BankConflict::exists(point(4, 12, "load", 8)));
  EXPECT_FALSE(BankConflict::exists(point(0, 4, "store", 8)));
  EXPECT_TRUE(BankConflict::exists(point(0, 4, "atomic", 8)));
  EXPECT_FALSE(BankConflict::exists(point(2, 8, "atomic", 8)));
  EXPECT_FALSE(BankConflict::exists(point(1, 4, "load", 6)));
}

TEST(BankConflict, FitsCyclesPerWavefrontAndPerAccess) {
  std::vector<Outcome> outcomes;
  for (const unsigned stride : {1u, 2u, 32u}) {
    const double ways = tile_columns::wavefronts(stride, 4, 32);
    outcomes.push_back({"cuda/bank_conflict/plain",
                        point(stride, 4, "load", 8),
                        1,
                        {},
                        {{"wavefronts_per_access", ways}, {"cycles_per_access", 1.5 + 1.01 * ways}}});
  }
  const auto lines = sentences(BankConflict::findings(outcomes));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("1.010 cycles per wavefront and +1.50 per access"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("32: 33.82 (32)"), std::string::npos) << lines[0];
}

}  // namespace
}  // namespace crosswarp
