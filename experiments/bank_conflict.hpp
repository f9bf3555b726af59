// Shared-memory bank conflicts: the same number of accesses by every warp, its lanes `stride` words apart. Bound by the
// wavefronts of an access: one for each word that the busiest bank delivers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// The tile that warps access, for kernels and oracle alike. Sizes and positions are in words of 4 bytes; an element
/// has `element_words` of them: 1, 2 or 4.
///
/// A tile consists of slabs: row-major matrices with rows of `stride` words and one row per lane. Each warp accesses a
/// column, each lane the element of its row. Columns beyond a row's end continue in further rows. A lane has an element
/// in each slab.
namespace tile_columns {

inline constexpr unsigned banks = 32;             ///< Each delivers one word per wavefront.
inline constexpr unsigned tile_words = 1u << 13;  ///< Words of a tile.

constexpr unsigned slab_words(unsigned lanes) { return 64 * lanes; }
constexpr unsigned slabs(unsigned lanes) { return tile_words / slab_words(lanes); }

/// Columns of a slab, at least one.
constexpr unsigned columns(unsigned stride, unsigned element_words) {
  return stride == 0 ? banks / element_words : 64 / stride * (stride / element_words);
}

/// The first word of the element of `lane` in a column of the first slab.
constexpr unsigned first_word(unsigned column, unsigned lane, unsigned lanes, unsigned stride, unsigned element_words) {
  if (stride == 0) return column * element_words;
  const unsigned in_row = stride / element_words;
  return (column / in_row * lanes + lane) * stride + column % in_row * element_words;
}

// Layouts: the position in shared memory of the element with a given first word. Slabs are alike:
// position(word + slab) = position(word) + position(slab).

struct Plain {
  static constexpr unsigned position(unsigned word, unsigned) { return word; }
};
/// One element of padding behind every row of 32 words spreads a column over the banks.
struct Padded {
  static constexpr unsigned position(unsigned word, unsigned element_words) {
    return word + word / banks * element_words;
  }
};
/// XORs the element's index in its row of 32 words with the row's index. Needs no memory.
struct Swizzled {
  static constexpr unsigned position(unsigned word, unsigned element_words) {
    return word ^ word / banks * element_words % banks;
  }
};

/// Words of shared memory that the largest of these layouts needs.
constexpr unsigned shared_words(unsigned element_words) { return tile_words + tile_words / banks * element_words; }

/// Wavefronts of one access of a warp whose lanes' elements begin at `positions`: for each group of lanes that access
/// 128 bytes together, the max number of distinct words in one bank.
unsigned wavefronts(std::span<const std::uint32_t> positions, unsigned element_words);

/// Wavefronts of one access of `lanes` lanes to elements of `width` bytes, `stride` words apart, in the plain layout.
unsigned wavefronts(unsigned stride, unsigned width, unsigned lanes);

// Each access changes the result, so that a compiler can leave none out.

inline constexpr std::uint32_t multiplier = 0x9e3779b1;
constexpr std::uint32_t fold(std::uint32_t value, std::uint32_t word) { return value * multiplier + word; }
/// The number that a thread of a block adds in each atomic.
constexpr std::uint32_t addend(unsigned thread) { return 2 * thread + 1; }

}  // namespace tile_columns

/// Each block copies `in` to a tile in shared memory, in a layout of the variant's choice. Then each lane makes `n`
/// accesses to its elements, slab after slab and again from the first. v begins as the thread's index in the grid.
///
/// - load: v ← fold(v, word) for the words of the element. out = the last v.
/// - store: v ← fold(v, 1), and each word of the element ← v.
/// - atomic: the element += addend(thread). Width 4 only.
///
/// After stores and atomics and a barrier, w begins as the block's index, and each thread folds into w the elements of
/// the next thread of the block (cyclically), slab after slab. out = the last w.
///
/// There are as many blocks as multiprocessors, so that each has a shared memory to itself. Results are exact integers.
/// Lanes share elements in loads only, so no order matters.
class BankConflict {
 public:
  static constexpr std::string_view name = "bank_conflict";
  static constexpr std::string_view summary = "shared-memory accesses with lanes `stride` words apart";

  enum class Op { load, store, atomic };

  struct Args {
    std::span<const std::uint32_t> in;   ///< Device memory, tile_columns::tile_words words.
    std::span<std::uint32_t> out;        ///< Device memory, one word per thread of the grid, poisoned.
    std::span<std::uint32_t> positions;  ///< One per thread of a block: the position of the first element of block 0's
                                         ///< threads, in words. Poisoned. The wavefronts reported follow from these.
    std::span<Elapsed> elapsed;          ///< One per block: time of its accesses, where a kernel has a clock; poisoned.
    unsigned blocks, warps, lanes;       ///< Blocks; warps of a block; lanes of a warp, warp_size() on a GPU.
    unsigned stride;                     ///< Words.
    unsigned width;                      ///< Bytes of an element: 4, 8, 16.
    Op op;
    unsigned n;         ///< Accesses of each lane, a multiple of 4.
    unsigned zero = 0;  ///< 0. Kernels add it to their position in the loop, so that compilers cannot hoist the loads.
  };

  static std::vector<Axis> axes();
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  /// The accesses of one multiprocessor: the others work on theirs at the same time.
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static std::vector<Expectation> expectations(const Point& point);
  /// Cost per wavefront and per access, by a linear fit.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  BankConflict(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {out_[set].bytes(), positions_[set].bytes(), elapsed_[set].bytes()}; }
  Args args(std::size_t set) const;
  void poison();
  Verdict check(ResultIn) const;
  /// Wavefronts by tile_columns::wavefronts() of the kernel's own positions; cycles by the multiprocessor's counter.
  std::vector<Observation> observe() const;

 private:
  unsigned element_words() const { return width_ / 4; }
  unsigned threads() const { return warps_ * lanes_; }
  unsigned first_word(unsigned thread) const;
  std::vector<std::uint32_t> oracle(const std::vector<std::uint32_t>& in) const;
  std::vector<std::uint32_t> stored(std::vector<std::uint32_t> tile, unsigned block) const;
  std::vector<std::uint32_t> added(std::vector<std::uint32_t> tile) const;

  Device& device_;
  unsigned stride_, width_, n_;
  Op op_;
  unsigned blocks_, warps_, lanes_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint32_t>> right_;  // `out` of each set in this generation
  std::vector<Buffer<std::uint32_t>> in_, out_, positions_;
  std::vector<Buffer<Elapsed>> elapsed_;
};

extern template ExperimentEntry describe<BankConflict>();

}  // namespace crosswarp
