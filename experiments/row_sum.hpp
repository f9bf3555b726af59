// The sum of each row of a matrix. Bound by reading it once: 4 bytes an element from memory, one addition each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"
#include "core/reference_cache.hpp"

namespace crosswarp {

/// out[r] = in[r·n] + … + in[r·n + n-1] for each of m rows, in any order; 0 for n = 0.
///
/// Inputs are lattice numbers (core/random.hpp), whose sums over a row are exact in float in any order. So the oracle,
/// which the device itself makes from the generator (Device::reference_row_sums), is exact, the bound is 0, and every
/// row is looked at: one element dropped, repeated or put into the neighbouring row is wrong.
class RowSum {
 public:
  static constexpr std::string_view name = "row_sum";
  static constexpr std::string_view summary = "the sum of each row of an m x n matrix";

  struct Args {
    std::span<const float> in;  ///< Device memory: m·n elements, row-major, no gaps. Aligned to a float only.
    std::size_t columns;        ///< n.
    std::span<float> out;       ///< Device memory: m elements, poisoned. Aligned to 16 bytes.

    std::size_t rows() const { return out.size(); }
  };

  /// Threads of a block in the rungs that the bookkeeping below is about.
  static constexpr unsigned block = 256;

  /// Accumulators of the rung `ilp` where no tuning is named.
  static constexpr int ilp_default = 5;

  static std::vector<Axis> axes() {
    constexpr std::int64_t most = std::int64_t{1} << 38;
    return {{.name = "m", .meaning = "rows", .bench = {std::int64_t{3000}}, .most = most},
            {.name = "n", .meaning = "elements", .bench = {std::int64_t{2048}}, .most = most},
            {.name = "offset",
             .meaning = "elements by which the first one is put past an aligned address",
             .bench = {std::int64_t{0}},
             .most = 1023,
             .implied = std::int64_t{0}},
            {.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32"}}};
  }

  static std::vector<Point> bench_points() {
    std::vector<Point> points;
    for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{3000, 2048},
                                                                                 {3000, 2047},
                                                                                 {3000, 20'480},
                                                                                 {3000, 40'960},
                                                                                 {24'000, 2048},
                                                                                 {1 << 20, 32},
                                                                                 {32, 1 << 20},
                                                                                 {8192, 8192},
                                                                                 {1, 1 << 28},
                                                                                 {1 << 28, 1}})
      points.push_back(Point().set("m", m).set("n", n));
    return points;
  }

  static Point point(std::int64_t m, std::int64_t n, std::int64_t offset = 0) {
    return product(axes(), {{m}, {n}, {offset}, {"f32"}}).front();
  }

  /// Around every length of a row and every number of rows at which a kernel changes its way.
  static std::vector<TestPoint> test_points() {
    using Shape = std::pair<std::int64_t, std::int64_t>;
    std::vector<TestPoint> points;
    // Few rows, so that they suit an emulation.
    for (const auto& [m, n] : std::vector<Shape>{
             {0, 0},    {0, 5},    {5, 0},    {1, 1},      {1, 31},     {3, 32},     {7, 127},  {5, 128},
             {3, 129},  {2, 255},  {2, 256},  {2, 257},    {9, 512},    {3, 1023},   {3, 1024}, {3, 1025},
             {2, 2047}, {2, 2048}, {3, 2049}, {1, 10'007}, {2, 40'960}, {1, 65'537}, {261, 1},  {133, 2},
             {131, 3},  {133, 4},  {67, 5},   {69, 7},     {66, 8},     {35, 16},    {35, 31},  {35, 32},
             {129, 33}, {20, 63},  {21, 64},  {39, 100},   {17, 200},   {16, 256},   {7, 1000}})
      points.push_back({point(m, n)});
    for (const std::int64_t offset : {1, 2, 3})
      for (const auto& [m, n] : std::vector<Shape>{{5, 0},
                                                   {1, 1},
                                                   {1, 2},
                                                   {3, 33},
                                                   {33, 32},
                                                   {67, 1},
                                                   {34, 4},
                                                   {9, 512},
                                                   {3, 2047},
                                                   {2, 2048},
                                                   {1, 40'961}})
        points.push_back({point(m, n, offset)});
    // More than an emulation is asked for.
    for (const auto& [m, n] : std::vector<Shape>{{3000, 2047},
                                                 {3000, 2048},
                                                 {600, 40'960},
                                                 {1 << 20, 1},
                                                 {300'007, 2},
                                                 {400'001, 3},
                                                 {300'001, 4},
                                                 {100'003, 33},
                                                 {100'001, 32},
                                                 {3, 5'000'001}})
      points.push_back({point(m, n)});
    points.push_back({point(131'074, 16'385), true});
    points.push_back({point((1 << 26) + 5, 32), true});
    points.push_back({point(1, (std::int64_t{1} << 31) + 1031, 1), true});
    return points;
  }

  static Cost cost(const Point& point) {
    const auto m = static_cast<double>(point.integer("m")), n = static_cast<double>(point.integer("n"));
    return {.bytes_read = m * n * sizeof(float),
            .bytes_written = m * sizeof(float),
            .flops = m * std::max(n - 1, 0.0),
            .accesses = m * n};
  }

  /// Of the generator and an addition, for each element.
  static double check_cost(const Point& point) { return 2 * cost(point).accesses; }

  static std::size_t footprint(const Point& point) {
    const double elements = static_cast<double>(point.integer("m")) * (static_cast<double>(point.integer("n")) + 1) +
                            static_cast<double>(point.integer("offset"));
    constexpr auto most = static_cast<double>(std::numeric_limits<std::size_t>::max() / 8);
    return static_cast<std::size_t>(std::min(elements * sizeof(float), most)) + 4 * Buffer<float>::guard;
  }

  RowSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  RowSum(const RowSum&) = delete;
  RowSum& operator=(const RowSum&) = delete;

  Args args(std::size_t set) const { return {in_[set].span(), columns_, out_[set].span()}; }

  void release();
  void allocate();
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  bool refill_general(Distribution distribution, std::uint64_t draw);
  Errors errors(ResultIn) const { return general_.errors(device_, out_[0].span()); }

  /// What a block does in shared memory for one row: words.
  struct SharedUse {
    double reads = 0, writes = 0;
  };

  /// Of a tree over `block` partial sums down to `left` of them, all of which are read again at its end. Writes: one by
  /// each thread, and one for each addition; reads: two for each addition, and what is left.
  static constexpr SharedUse tree(double block, double left) {
    return {.reads = 2 * (block - left) + left, .writes = block + (block - left)};
  }

  /// Of the ladder's rungs, on warps of 32; none (nullptr) of a rung that it does not know. A row of n elements costs
  /// each of them 4n bytes from memory, 4 to it, and n - 1 additions.
  static const SharedUse* shared_use(std::string_view rung) {
    static const std::map<std::string_view, SharedUse> known{
        {"block_tree", tree(block, 1)},
        {"over_launched", tree(block, 1)},
        {"fixed_shape", tree(block, 1)},
        {"block_tree_shuffle", tree(block, 32)},
        {"ilp", tree(block, 32)},
        {"float4", {block / 32, block / 32}},
        {"warp_per_row", {}},
        {"rows_per_warp", {}},
    };
    const auto found = known.find(rung);
    return found == known.end() ? nullptr : &found->second;
  }

  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes);

 private:
  /// Backend, variant and tuning of `cuda/row_sum/ilp@k2`.
  static std::tuple<std::string, std::string, std::string> parts(const std::string& rung) {
    const auto slash = rung.rfind('/'), at = rung.find('@');
    return {rung.substr(0, rung.find('/')), rung.substr(slash + 1, at == rung.npos ? at : at - slash - 1),
            at == rung.npos ? "" : rung.substr(at + 1)};
  }

  static const Outcome* find(const std::vector<const Outcome*>& among, const std::string& rung) {
    const auto found = std::ranges::find(among, rung, &Outcome::rung);
    return found == among.end() ? nullptr : *found;
  }

  Lattice elements(std::size_t set) const {
    return {RandomStream(generation_seed(seed_, generation_), set), exact_bits(columns_)};
  }

  Device& device_;
  std::size_t rows_, columns_, offset_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<float>> in_;
  std::vector<Buffer<float>> out_;
  ReferenceCache references_;
  RowReferences general_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<RowSum>();

}  // namespace crosswarp
