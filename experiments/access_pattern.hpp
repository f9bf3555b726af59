// Loads and stores of single floats in an order that is not the memory's. Bound by the 32-byte sectors that a warp
// touches, of which it uses the less the further its lanes are apart.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/buffer.hpp"
#include "core/checksum.hpp"
#include "core/experiment.hpp"
#include "core/format.hpp"
#include "core/random.hpp"

namespace crosswarp {

enum class AccessOp { gather, scatter, copy };

/// Which element the i-th access touches, one of n each: a bijection, so that no two threads meet in one element.
///
/// Strided, the n elements are a matrix of n / stride rows by `stride` columns, and what is left over. Accesses go down
/// its columns: neighbours are `stride` apart, as far as there are rows; then comes the next column. Where the order
/// comes from a table (random), that is not asked here.
struct AccessOrder {
  std::uint32_t n, stride, offset, rows;

  constexpr AccessOrder(std::uint32_t n, std::uint32_t stride, std::uint32_t offset)
      : n(n), stride(stride), offset(n > 0 ? offset % n : 0), rows(n / stride) {}

  /// Of a place in the matrix. `column` is below stride.
  constexpr std::uint32_t in_matrix(std::uint32_t row, std::uint32_t column) const { return row * stride + column; }

  /// The first access behind the matrix; from there on order is order.
  constexpr std::uint32_t rest() const { return rows * stride; }

  /// With one column, `offset` elements further on, around the end. Exact for n up to 2^31.
  constexpr std::uint32_t shifted(std::uint32_t i) const { return i + offset < n ? i + offset : i + offset - n; }

  /// Of the i-th access of all, with a division: for oracles, and where nothing bounds it.
  constexpr std::uint32_t operator()(std::uint32_t i) const {
    if (stride == 1) return shifted(i);
    return i < rest() ? in_matrix(i % rows, i / rows) : i;
  }
};

/// By `op`, for all i < n, where p is the pattern's order:
///
///     gather  out[i] = in[p(i)]      scatter  out[p(i)] = in[i]      copy  out[p(i)] = in[p(i)]
///
/// `coalesced` has p(i) = i; `strided` is AccessOrder's matrix; `offset` has p(i) = i + offset modulo n; `random` reads
/// p from a table of 32-bit indices, whose bytes are counted with the others. Exact: elements are moved as they are.
class AccessPattern {
 public:
  static constexpr std::string_view name = "access_pattern";
  static constexpr std::string_view summary = "what strides, offsets and random orders cost";

  struct Args {
    AccessOp op;
    AccessOrder order;
    std::span<const std::uint32_t> index;  ///< p, for random; else empty.
    std::span<const float> in;             ///< Aligned to 256 bytes, as all are.
    std::span<float> out;                  ///< Poisoned.
  };

  static std::vector<Axis> axes() {
    const std::vector<Value> patterns{"coalesced", "strided", "offset", "random"}, ops{"gather", "scatter", "copy"};
    return {{.name = "pattern", .meaning = "order of the accesses", .bench = patterns, .allowed = patterns},
            {.name = "stride",
             .meaning = "elements between neighbours, for pattern strided",
             .bench = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16},
                       std::int64_t{32}, std::int64_t{64}},
             .least = 1,
             .most = 1 << 15,
             .implied = std::int64_t{1}},
            {.name = "offset",
             .meaning = "elements by which accesses are shifted, for pattern offset",
             .bench = {std::int64_t{0}, std::int64_t{1}},
             .most = 1 << 20,
             .implied = std::int64_t{0}},
            {.name = "op",
             .meaning = "which side has the order: the loads, the stores, or both",
             .bench = ops,
             .allowed = ops},
            {.name = "n",
             .meaning = "elements",
             .bench = {few, many},
             .most = std::int64_t{1} << 31,
             .by_default = belongs},
            {.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32"}}};
  }

  /// A stride of 1 and an offset of 0 are the coalesced pattern.
  static bool exists(const Point& point) {
    const std::string& pattern = point.word("pattern");
    return (point.integer("stride") > 1) == (pattern == "strided") &&
           (point.integer("offset") > 0) == (pattern == "offset");
  }

  static std::vector<TestPoint> test_points() {
    std::vector<TestPoint> points;
    const auto add = [&](const char* pattern, std::int64_t stride, std::int64_t offset, std::int64_t n,
                         bool slow = false) {
      for (const char* op : {"gather", "scatter", "copy"})
        points.push_back({product(axes(), {{pattern}, {stride}, {offset}, {op}, {n}, {"f32"}}).front(), slow});
    };
    for (const std::int64_t n : {0, 1, 33, 1009, 16'384, 20'011}) {
      add("coalesced", 1, 0, n);
      add("random", 1, 0, n);
      for (const std::int64_t stride : {2, 3, 8, 64}) add("strided", stride, 0, n);
      for (const std::int64_t offset : {1, 40}) add("offset", 1, offset, n);
    }
    add("strided", 32, 0, (std::int64_t{1} << 26) + 1031, true);
    add("random", 1, 0, (std::int64_t{1} << 26) + 1031, true);
    return points;
  }

  static Cost cost(const Point& point) {
    const double n = static_cast<double>(point.integer("n"));
    const double indices = point.word("pattern") == "random" ? n : 0;
    return {.bytes_read = (n + indices) * 4, .bytes_written = n * 4, .accesses = 2 * n + indices};
  }

  static std::size_t footprint(const Point& point) {
    const auto n = static_cast<std::size_t>(point.integer("n"));
    return (point.word("pattern") == "random" ? 3 : 2) * (4 * n + 2 * Buffer<float>::guard);
  }

  /// The sectors of a warp's access follow from the pattern where both sides have it. (Gathers and scatters can be done
  /// otherwise: through shared memory both sides are coalesced.)
  static std::vector<Expectation> expectations(const Point& point) {
    const std::string& pattern = point.word("pattern");
    if (point.integer("n") < 1 << 20 || point.word("op") != "copy") return {};
    if (pattern == "random") return {{.counter = "sectors_per_store", .least = 31}};
    const double sectors = 4 * static_cast<double>(std::min<std::int64_t>(point.integer("stride"), 8));
    const double most = sectors + (point.integer("offset") % 8 != 0) + 0.1;
    return {{.counter = "sectors_per_load", .least = sectors - 0.1, .most = most},
            {.counter = "sectors_per_store", .least = sectors - 0.1, .most = most}};
  }

  /// Of each rung, how many times as long as the coalesced pattern it takes, beside what sectors alone would make of
  /// it.
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes) {
    std::vector<std::string> lines;
    for (const Outcome& base : outcomes) {
      if (base.point.word("pattern") != "coalesced") continue;
      for (const Outcome& o : outcomes) {
        const Point& p = o.point;
        if (&o == &base || o.rung != base.rung || p.integer("n") != base.point.integer("n") ||
            p.word("op") != base.point.word("op"))
          continue;
        const double useful = 8 * static_cast<double>(p.integer("n"));
        lines.push_back(o.rung + ": " + p.word("op") + " " + called(p) + " takes " + times(o.seconds / base.seconds) +
                        " times the coalesced time, sectors alone " + times(sector_model(p)) + "; useful " +
                        si(useful / o.seconds, "B/s") +
                        (p.word("pattern") == "random" ? ", with its indices " + si(o.cost.amount() / o.seconds, "B/s")
                                                       : std::string()));
      }
    }
    if (const std::string knee = where_it_bends(outcomes); !knee.empty()) lines.push_back(knee);
    return lines;
  }

  /// Sectors moved over those of the coalesced pattern, where each float that is out of order takes one to itself from
  /// stride 8 on. A random order also reads its indices.
  static double sector_model(const Point& point) {
    const bool random = point.word("pattern") == "random";
    const double apart = random ? 8 : static_cast<double>(std::min<std::int64_t>(point.integer("stride"), 8));
    const double sides = point.word("op") == "copy" ? 2 : 1;  // that are out of order, of two
    return (sides * apart + (2 - sides) + random) / 2;
  }

  AccessPattern(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device),
        n_(static_cast<std::uint64_t>(point.integer("n"))),
        run_seed_(seed),
        seed_(seed),
        is_random_(point.word("pattern") == "random"),
        op_(point.word("op") == "gather"    ? AccessOp::gather
            : point.word("op") == "scatter" ? AccessOp::scatter
                                            : AccessOp::copy),
        order_(static_cast<std::uint32_t>(n_), static_cast<std::uint32_t>(point.integer("stride")),
               static_cast<std::uint32_t>(point.integer("offset"))) {
    for (std::size_t set = 0; set < sets; ++set) {
      in_.emplace_back(device, n_);
      if (is_random_) index_.emplace_back(device, n_);
      out_.emplace_back(device, n_);
    }
  }

  void refill(std::uint64_t generation) {
    seed_ = generation_seed(run_seed_, generation);
    scattered_.assign(in_.size(), {});
    for (std::size_t set = 0; set < in_.size(); ++set) {
      device_.generate(in_[set].span(), elements(set));
      if (is_random_ && n_ > 0) device_.permute(index_[set].span(), permutation(set));
    }
  }

  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }

  Args args(std::size_t set) const {
    return {op_, order_, is_random_ ? index_[set].span() : std::span<std::uint32_t>(), in_[set].span(),
            out_[set].span()};
  }

  void poison() {
    for (auto& out : out_) out.poison();
  }

  Verdict check(ResultIn) const {
    device_.synchronize();
    for (std::size_t set = 0; set < in_.size(); ++set) {
      if (!in_[set].guards_intact() || !out_[set].guards_intact() || (is_random_ && !index_[set].guards_intact()))
        return {.ok = false, .where = "a guard band beside an array was written to"};
      const Verdict verdict = compare_words(device_, out_[set].span(), words(set), cached_checksum(set),
                                            "out of input " + std::to_string(set));
      if (!verdict.ok) return verdict;
    }
    return {.ok = true, .error = 0, .bound = 0, .where = {}};
  }

 private:
  /// The seed's 64 Mi floats. A processor goes over a part of the strides and over fewer elements.
  static constexpr std::int64_t few = std::int64_t{1} << 20, many = std::int64_t{1} << 26;
  static bool belongs(const Point& point, const DeviceInfo& device) {
    if (device.warp_size > 1) return point.integer("n") == many;
    const std::int64_t stride = point.integer("stride");
    return point.integer("n") == few && point.word("op") == "copy" &&
           (stride == 1 || stride == 8 || stride == 16 || stride == 64);
  }

  static std::string called(const Point& point) {
    if (point.word("pattern") == "strided") return "with stride " + std::to_string(point.integer("stride"));
    if (point.word("pattern") == "offset") return "with offset " + std::to_string(point.integer("offset"));
    return "in random order";
  }

  /// From which stride on a further doubling costs less than half as much again, by the first rung that has them all.
  static std::string where_it_bends(const std::vector<Outcome>& outcomes);

  Lattice elements(std::size_t set) const { return {RandomStream(seed_, set), 20}; }
  Permutation permutation(std::size_t set) const { return {seed_, (std::uint64_t{1} << 32) + set, n_}; }

  /// in, for gather at p's places, in the order of the i of the definition.
  Words moved(std::size_t set) const {
    return [this, in = elements(set), order = places(set)](std::uint64_t first, std::span<std::uint32_t> to) {
      if (op_ == AccessOp::gather)
        order(first, to);
      else
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::uint32_t>(first + i);
      for (std::uint32_t& word : to) word = std::bit_cast<std::uint32_t>(in(word));
    };
  }

  /// p.
  Words places(std::size_t set) const {
    return [this, random = is_random_ ? permutation(set) : Permutation(0, 0, 1)](std::uint64_t first,
                                                                                 std::span<std::uint32_t> to) {
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] =
            is_random_ ? static_cast<std::uint32_t>(random(first + i)) : order_(static_cast<std::uint32_t>(first + i));
    };
  }

  /// out, from its first element on. What a scatter brings there is known once the whole order is turned round, which
  /// is left until somebody asks.
  Words words(std::size_t set) const {
    if (op_ != AccessOp::scatter) return moved(set);
    return [this, set](std::uint64_t first, std::span<std::uint32_t> to) {
      std::vector<std::uint32_t>& out = scattered_[set];
      if (out.empty()) {
        std::vector<std::uint32_t> place(n_), word(n_);
        places(set)(0, place);
        moved(set)(0, word);
        out.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) out[place[i]] = word[i];
      }
      std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
    };
  }

  /// A pass over all elements, so one process makes it once for each set of inputs.
  Checksum cached_checksum(std::size_t set) const;

  Device& device_;
  std::uint64_t n_, run_seed_, seed_;  // seed_: of the generation
  bool is_random_;
  AccessOp op_;
  AccessOrder order_;
  std::vector<Buffer<float>> in_, out_;
  std::vector<Buffer<std::uint32_t>> index_;
  mutable std::vector<std::vector<std::uint32_t>> scattered_;  // words of each set, once somebody asked
};

extern template ExperimentEntry describe<AccessPattern>();

}  // namespace crosswarp
