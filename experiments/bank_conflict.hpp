// The same number of accesses to shared memory by every warp, whose lanes lie `stride` words apart. Bound by the passes
// ("wavefronts") that an access takes: one for each word that the busiest bank has to give.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"
#include "core/format.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"

namespace crosswarp {

/// The tile that BankConflict's warps read and write, for kernels and oracle alike. Sizes and places are in words of 4
/// bytes; an element has `unit` of them: 1, 2 or 4.
///
/// A slab is a row-major matrix whose rows are `stride` words long, as many rows at a time as a warp has lanes, and a
/// lane's place in it is row = lane, column = the warp's own: a warp reads a column. Where a column more no longer fits
/// in the rows, it lies in the next rows. A tile has `slabs` slabs, so that a lane has a place in each.
namespace tile_columns {

inline constexpr unsigned banks = 32;        ///< Each gives one word in a pass.
inline constexpr unsigned words = 1u << 13;  ///< Of a tile.

constexpr unsigned slab_words(unsigned lanes) { return 64 * lanes; }
constexpr unsigned slabs(unsigned lanes) { return words / slab_words(lanes); }

/// Columns that a slab has. At least one.
constexpr unsigned count(unsigned stride, unsigned unit) {
  return stride == 0 ? banks / unit : 64 / stride * (stride / unit);
}

/// The first word of the element of `lane` in a column of the first slab.
constexpr unsigned word(unsigned column, unsigned lane, unsigned lanes, unsigned stride, unsigned unit) {
  if (stride == 0) return column * unit;
  const unsigned in_row = stride / unit;
  return (column / in_row * lanes + lane) * stride + column % in_row * unit;
}

/// Where a layout puts the element whose first word is `word`. Slabs are alike: at(word + slab) = at(word) + at(slab).
struct Plain {
  static constexpr unsigned at(unsigned word, unsigned) { return word; }
};
/// An element of padding behind every row of the banks, so that a column is spread over them.
struct Padded {
  static constexpr unsigned at(unsigned word, unsigned unit) { return word + word / banks * unit; }
};
/// Elements change places within their row of the banks, in each row in another way. Takes no memory.
struct Swizzled {
  static constexpr unsigned at(unsigned word, unsigned unit) { return word ^ word / banks * unit % banks; }
};

/// Words that any of these layouts takes.
constexpr unsigned room(unsigned unit) { return words + words / banks * unit; }

/// Passes that one access of a warp takes, whose lanes' elements begin at `places`: 128 bytes' worth of lanes at a
/// time, a pass for each different word in the busiest bank.
inline unsigned wavefronts(std::span<const std::uint32_t> places, unsigned unit) {
  const std::size_t at_a_time = banks / unit;
  unsigned all = 0;
  for (std::size_t first = 0; first < places.size(); first += at_a_time) {
    std::array<std::set<std::uint32_t>, banks> wanted;
    for (const std::uint32_t place : places.subspan(first, std::min(at_a_time, places.size() - first)))
      for (std::uint32_t w = place; w < place + unit; ++w) wanted[w % banks].insert(w);
    std::size_t busiest = 0;
    for (const auto& bank : wanted) busiest = std::max(busiest, bank.size());
    all += static_cast<unsigned>(busiest);
  }
  return all;
}

/// Those of a warp of `lanes` that reads elements of `width` bytes, `stride` words apart, in their plain order.
inline unsigned wavefronts(unsigned stride, unsigned width, unsigned lanes) {
  std::vector<std::uint32_t> places(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) places[lane] = lane * stride;
  return wavefronts(places, width / 4);
}

// Values that every access changes, so that none can be left out.

inline constexpr std::uint32_t multiplier = 0x9e3779b1;
constexpr std::uint32_t fold(std::uint32_t value, std::uint32_t word) { return value * multiplier + word; }
/// What a thread of a block adds, in an atomic.
constexpr std::uint32_t addend(unsigned thread) { return 2 * thread + 1; }

}  // namespace tile_columns

/// Each block copies `in` to a tile in shared memory, in a layout of its own choice. Then, in each of its warps, each
/// lane makes `n` accesses to its elements, slab after slab and again from the first, beginning with v = its number
/// among all threads (block · threads of a block + thread):
///
/// - load: v ← fold(v, word) for the words of the element. out = v in the end.
/// - store: v ← fold(v, 1), and each word of the element ← v.
/// - atomic: the element += addend(thread). Width 4 only.
///
/// After stores and atomics, and a barrier, a thread begins with w = its block and folds into it the words of the
/// elements of the next thread of the block (the first one's at the end), slab after slab. out = w.
///
/// As many blocks as the device has multiprocessors, so that each has its shared memory to itself. Exact: integers.
/// A lane's elements are its own but in loads, so that no order is left open.
class BankConflict {
 public:
  static constexpr std::string_view name = "bank_conflict";
  static constexpr std::string_view summary = "shared memory, lanes some words apart";

  enum class Op { load, store, atomic };

  struct Args {
    std::span<const std::uint32_t> in;  ///< Device memory, tile_columns::words of them.
    std::span<std::uint32_t> out;       ///< Device memory, one for each thread, poisoned.
    std::span<std::uint32_t> places;    ///< Where the threads of block 0 have their first element: the word, by the
                                        ///< layout. For each thread of a block; poisoned. What it says is reported.
    std::span<Elapsed> elapsed;         ///< For each block what its accesses took, where a kernel can tell; poisoned.
    unsigned blocks, warps, lanes;      ///< Blocks; warps of a block; lanes of a warp, warp_size() on a GPU.
    unsigned stride;                    ///< Words.
    unsigned width;                     ///< Bytes of an element: 4, 8, 16.
    Op op;
    unsigned n;         ///< Accesses of each lane, a multiple of 4.
    unsigned zero = 0;  ///< 0. A kernel adds it to its places as it goes: a compiler that knew would
                        ///< load once.
  };

  static std::vector<Axis> axes() {
    return {
        {.name = "stride",
         .meaning = "words of 4 bytes from lane to lane; 0: all lanes at one element",
         .bench = numbers({0, 1, 2, 4, 8, 16, 32, 33, 64}),
         .most = 64},
        {.name = "width", .meaning = "bytes of an element: 4, 8 or 16", .bench = numbers({4}), .least = 4, .most = 16},
        {.name = "op", .meaning = "access", .bench = {"load"}, .allowed = {"load", "store", "atomic"}},
        {.name = "n",
         .meaning = "accesses of each lane, a multiple of 4",
         .bench = numbers({4096}),
         .least = 4,
         .most = 1 << 24}};
  }

  /// Elements are aligned; lanes that store have places of their own.
  static bool exists(const Point& point) {
    const auto stride = static_cast<unsigned>(point.integer("stride"));
    const auto width = static_cast<unsigned>(point.integer("width"));
    if (width != 4 && width != 8 && width != 16) return false;
    if (stride % (width / 4) || point.integer("n") % 4) return false;
    if (op(point) == Op::store) return stride > 0;
    return op(point) == Op::load || width == 4;
  }

  static std::vector<TestPoint> test_points() {
    std::vector<TestPoint> points;
    for (const std::int64_t width : {4, 8, 16})
      for (const char* op : {"load", "store", "atomic"})
        for (const std::int64_t stride : {0, 1, 3, 8, 20, 32, 33, 36, 64}) {
          const Point point = product(axes(), {{stride}, {width}, {op}, {std::int64_t{12}}}).front();
          if (exists(point)) points.push_back({point});
        }
    return points;
  }

  /// What a warp's accesses take of one multiprocessor's shared memory, one after the other: on a larger device more of
  /// them work side by side.
  static Cost cost(const Point& point) {
    const double accesses = static_cast<double>(point.integer("n")) * warps(point);
    return {.bytes_read = tile_columns::words * sizeof(std::uint32_t),
            .accesses = accesses,
            .rated = Quantity::accesses,
            .ceiling = ""};
  }

  static std::size_t footprint(const Point&) { return std::size_t{1} << 16; }

  /// Where no layout can have conflicts, there are hardly any.
  static std::vector<Expectation> expectations(const Point& point) {
    const auto stride = static_cast<unsigned>(point.integer("stride"));
    if (op(point) != Op::load || stride > 1 || point.integer("width") != 4) return {};
    return {{.counter = "load_bank_conflicts", .most = 4 * cost(point).accesses}};  // of all that the blocks make
  }

  BankConflict(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device),
        stride_(static_cast<unsigned>(point.integer("stride"))),
        width_(static_cast<unsigned>(point.integer("width"))),
        n_(static_cast<unsigned>(point.integer("n"))),
        op_(op(point)),
        blocks_(static_cast<unsigned>(std::max(device.info().compute_units, 1))),
        warps_(warps(point)),
        lanes_(device.info().warp_size == 64 ? 64 : 32),
        seed_(seed) {
    for (std::size_t set = 0; set < sets; ++set) {
      in_.emplace_back(device, tile_columns::words);
      out_.emplace_back(device, std::size_t{blocks_} * threads());
      places_.emplace_back(device, threads());
      elapsed_.emplace_back(device, blocks_);
    }
    right_.resize(sets);
  }

  void refill(std::uint64_t generation) {
    for (std::size_t set = 0; set < in_.size(); ++set) {
      const RandomStream random(generation_seed(seed_, generation), set);
      std::vector<std::uint32_t> words(tile_columns::words);
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = random(i);
      right_[set] = oracle(words);
      in_[set].write(words);
    }
  }

  Memory outputs(std::size_t set) const { return {out_[set].bytes(), places_[set].bytes(), elapsed_[set].bytes()}; }

  Args args(std::size_t set) const {
    return {in_[set].span(),
            out_[set].span(),
            places_[set].span(),
            elapsed_[set].span(),
            blocks_,
            warps_,
            lanes_,
            stride_,
            width_,
            op_,
            n_};
  }

  void poison() {
    for (auto& out : out_) out.poison();
    for (auto& places : places_) places.poison();
    for (auto& elapsed : elapsed_) elapsed.poison();
  }

  Verdict check(ResultIn) const {
    device_.synchronize();
    for (std::size_t set = 0; set < out_.size(); ++set) {
      if (!out_[set].guards_intact() || !in_[set].guards_intact() || !places_[set].guards_intact() ||
          !elapsed_[set].guards_intact())
        return {.ok = false, .where = "a guard band beside in, out, places or elapsed was written to"};
      const auto& right = right_[set];
      const auto out = out_[set].read(), places = places_[set].read();
      for (std::size_t i = 0; i < out.size(); ++i)
        if (out[i] != right[i])
          return {
              .ok = false,
              .error = std::abs(static_cast<double>(out[i]) - right[i]),
              .where = mismatch("out[" + std::to_string(i) + "] of input " + std::to_string(set), out[i], right[i])};
      for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] % unit() || places[i] + unit() > tile_columns::room(unit()))
          return {.ok = false,
                  .where = "places[" + std::to_string(i) + "] of input " + std::to_string(set) + " is " +
                           std::to_string(places[i]) + ": no element of the tile"};
    }
    return {.ok = true, .error = 0, .where = {}};
  }

  /// Wavefronts by the model above, of where the kernel says that its elements are; cycles of a multiprocessor by its
  /// own counter.
  std::vector<Observation> observe() const {
    const std::vector<std::uint32_t> places = places_.front().read();
    double passes = 0;
    for (unsigned warp = 0; warp < warps_; ++warp)
      passes += tile_columns::wavefronts(std::span(places).subspan(std::size_t{warp} * lanes_, lanes_), unit());
    std::vector<Observation> seen{{"wavefronts_per_access", "wavefront", passes / warps_}};
    std::vector<double> cycles, clocks;
    for (const auto& elapsed : elapsed_)
      for (const Elapsed& of_block : elapsed.read()) {
        if (of_block.cycles == ~std::uint64_t{0}) continue;  // nobody wrote it
        cycles.push_back(static_cast<double>(of_block.cycles));
        if (of_block.nanoseconds > 0)
          clocks.push_back(1e9 * static_cast<double>(of_block.cycles) / static_cast<double>(of_block.nanoseconds));
      }
    if (cycles.empty()) return seen;
    seen.push_back({"cycles_per_access", "cycle", median(cycles) / (static_cast<double>(n_) * warps_)});
    if (!clocks.empty()) seen.push_back({"clock", "Hz", median(clocks)});
    return seen;
  }

  /// What a wavefront more costs, and what an access costs beside them.
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes) {
    struct Series {
      std::vector<std::pair<double, double>> cost;  // by wavefronts
      std::string by_stride;
      std::string unit;
    };
    std::map<std::string, Series> all;
    for (const Outcome& o : outcomes) {
      const auto passes = o.observed.find("wavefronts_per_access"), cycles = o.observed.find("cycles_per_access");
      if (passes == o.observed.end()) continue;
      const bool counted = cycles != o.observed.end();
      const double cost = counted ? cycles->second : 1e9 * o.seconds / o.cost.accesses;
      Series& series = all[o.rung + ": " + o.point.word("op") + "s of " + std::to_string(o.point.integer("width")) +
                           " bytes, n:" + std::to_string(o.point.integer("n"))];
      series.unit = counted ? "cycles" : "ns";
      series.by_stride += (series.by_stride.empty() ? "" : ", ") + std::to_string(o.point.integer("stride")) + ": " +
                          fixed(cost, 2) + " (" +
                          fixed(passes->second, passes->second == std::round(passes->second) ? 0 : 2) + ")";
      // Where all lanes meet at one element the model does not hold: atomics take turns, wide loads may be merged.
      const bool meet = o.point.integer("stride") == 0 && (op(o.point) == Op::atomic || o.point.integer("width") > 4);
      if (!meet) series.cost.emplace_back(passes->second, cost);
    }
    std::vector<std::string> lines;
    for (const auto& [of, series] : all) {
      const auto line = fit(series.cost);
      lines.push_back(of + ": " +
                      (line ? fixed(line->second, 3) + " " + series.unit + " for each wavefront and " +
                                  fixed(line->first, 2, true) + " beside them; "
                            : std::string()) +
                      series.unit + " of an access (wavefronts) by stride: " + series.by_stride);
    }
    return lines;
  }

  /// Intercept and slope of the line with the least squares; nothing where all x are the same.
  static std::optional<std::pair<double, double>> fit(const std::vector<std::pair<double, double>>& points) {
    double x = 0, y = 0, xx = 0, xy = 0;
    const auto n = static_cast<double>(points.size());
    for (const auto& [px, py] : points) x += px / n, y += py / n;
    for (const auto& [px, py] : points) xx += (px - x) * (px - x), xy += (px - x) * (py - y);
    if (!(xx > 1e-9)) return {};
    return std::pair(y - xy / xx * x, xy / xx);
  }

 private:
  static std::vector<Value> numbers(std::initializer_list<std::int64_t> of) { return {of.begin(), of.end()}; }

  static Op op(const Point& point) {
    const std::string& word = point.word("op");
    return word == "load" ? Op::load : word == "store" ? Op::store : Op::atomic;
  }

  /// Loads need many under way, and may share places. Stores wait for nothing, and any stride has columns for 8 warps.
  static unsigned warps(const Point& point) { return op(point) == Op::store ? 8 : 16; }

  unsigned unit() const { return width_ / 4; }
  unsigned threads() const { return warps_ * lanes_; }

  /// The first word of a thread's element, plain.
  unsigned word(unsigned thread) const {
    return tile_columns::word(thread / lanes_ % tile_columns::count(stride_, unit()), thread % lanes_, lanes_, stride_,
                              unit());
  }

  /// `out`, as it should be.
  std::vector<std::uint32_t> oracle(const std::vector<std::uint32_t>& in) const {
    const unsigned slab = tile_columns::slab_words(lanes_), slabs = tile_columns::slabs(lanes_);
    std::vector<std::uint32_t> right(std::size_t{blocks_} * threads());
    // All that is done to a value is affine: power · value + sum, whatever it begins with.
    if (op_ == Op::load) {
      std::uint32_t power = 1;
      for (unsigned i = 0; i < n_ * unit(); ++i) power *= tile_columns::multiplier;
      for (unsigned thread = 0; thread < threads(); ++thread) {
        const unsigned first = word(thread);
        std::uint32_t sum = 0;
        for (unsigned i = 0; i < n_; ++i)
          for (unsigned w = 0; w < unit(); ++w) sum = tile_columns::fold(sum, in[first + i % slabs * slab + w]);
        for (unsigned block = 0; block < blocks_; ++block) {
          const unsigned i = block * threads() + thread;
          right[i] = power * i + sum;
        }
      }
      return right;
    }
    for (unsigned block = 0; block < blocks_; ++block) {
      const auto tile = op_ == Op::store ? stored(in, block) : added(in);
      for (unsigned thread = 0; thread < threads(); ++thread) {
        std::uint32_t w = block;
        const unsigned first = word((thread + 1) % threads());
        for (unsigned s = 0; s < slabs; ++s)
          for (unsigned i = 0; i < unit(); ++i) w = tile_columns::fold(w, tile[first + s * slab + i]);
        right[block * threads() + thread] = w;
      }
    }
    return right;
  }

  std::vector<std::uint32_t> stored(std::vector<std::uint32_t> tile, unsigned block) const {
    const unsigned slab = tile_columns::slab_words(lanes_), slabs = tile_columns::slabs(lanes_);
    std::uint32_t power = 1, sum = 0;  // of the value after i accesses
    for (unsigned i = 0; i < n_; ++i) {
      power *= tile_columns::multiplier;
      sum = tile_columns::fold(sum, 1);
      if (i + slabs < n_) continue;  // another value comes in this place
      for (unsigned thread = 0; thread < threads(); ++thread)
        for (unsigned w = 0; w < unit(); ++w)
          tile[word(thread) + i % slabs * slab + w] = power * (block * threads() + thread) + sum;
    }
    return tile;
  }

  std::vector<std::uint32_t> added(std::vector<std::uint32_t> tile) const {
    const unsigned slab = tile_columns::slab_words(lanes_), slabs = tile_columns::slabs(lanes_);
    for (unsigned thread = 0; thread < threads(); ++thread)
      for (unsigned s = 0; s < slabs; ++s) tile[word(thread) + s * slab] += n_ / slabs * tile_columns::addend(thread);
    return tile;
  }

  Device& device_;
  unsigned stride_, width_, n_;
  Op op_;
  unsigned blocks_, warps_, lanes_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint32_t>> right_;  ///< `out` of each set, by the generation.
  std::vector<Buffer<std::uint32_t>> in_, out_, places_;
  std::vector<Buffer<Elapsed>> elapsed_;
};

extern template ExperimentEntry describe<BankConflict>();

}  // namespace crosswarp
