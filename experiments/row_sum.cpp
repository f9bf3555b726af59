// Points, costs, inputs, oracle and findings of row_sum.
#include "experiments/row_sum.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace crosswarp {
namespace {

/// The parts of `cuda/row_sum/ilp@k2`.
struct Rung {
  std::string backend, variant, tuning;

  explicit Rung(const std::string& rung)
      : backend(rung.substr(0, rung.find('/'))), variant(rung.substr(rung.rfind('/') + 1)) {
    if (const auto at = variant.find('@'); at != variant.npos) {
      tuning = variant.substr(at + 1);
      variant.resize(at);
    }
  }
};

/// A tree over `block` values down to `left`, which are read again at its end. Each thread writes its value and each
/// addition its result; each addition reads two.
constexpr RowSum::SharedUse tree(double block, double left) {
  return {.reads = 2 * (block - left) + left, .writes = block + (block - left)};
}

Finding best(const std::string& shape, const std::vector<const Outcome*>& outcomes) {
  const Outcome& best = **std::ranges::min_element(outcomes, {}, &Outcome::seconds);
  return {"best_rung",
          "{shape}: best is {rung}, {time}, {rate}",
          {{"shape", shape},
           {"rung", best.rung},
           {"time", best.seconds, "s"},
           {"rate", best.cost.amount() / best.seconds, "B/s"}}};
}

/// Time of over_launched relative to block_tree, backend by backend.
void add_empty_blocks(std::vector<Finding>& findings, const std::string& shape,
                      const std::vector<const Outcome*>& outcomes) {
  for (const Outcome* o : outcomes) {
    const Rung rung(o->rung);
    if (rung.variant != "over_launched") continue;
    const auto fitting = std::ranges::find(outcomes, rung.backend + "/row_sum/block_tree", &Outcome::rung);
    if (fitting == outcomes.end()) continue;
    findings.push_back({"empty_blocks",
                        "{shape}: {rung} takes {ratio} block_tree's time",
                        {{"shape", shape}, {"rung", o->rung}, {"ratio", o->seconds / (*fitting)->seconds, "×"}}});
  }
}

/// Time of `ilp` by accumulators, backend by backend.
void add_accumulators(std::vector<Finding>& findings, const std::string& shape,
                      const std::vector<const Outcome*>& outcomes) {
  std::map<std::string, std::map<int, double>> seconds;
  for (const Outcome* o : outcomes)
    if (const Rung rung(o->rung); rung.variant == "ilp")
      seconds[rung.backend][rung.tuning.empty() ? RowSum::ilp_default : std::atoi(rung.tuning.c_str() + 1)] =
          o->seconds;
  for (const auto& [backend, by_accumulators] : seconds) {
    if (by_accumulators.size() < 2) continue;
    Finding finding{.kind = "time_by_accumulators",
                    .text = "{shape}: {backend}/row_sum/ilp by accumulators: {series}",
                    .values = {{"shape", shape}, {"backend", backend}},
                    .each = "{k}: {time}"};
    for (const auto& [k, time] : by_accumulators) finding.series.push_back({{"k", k}, {"time", time, "s"}});
    findings.push_back(std::move(finding));
  }
}

void add_shared_use(std::vector<Finding>& findings, const std::vector<Outcome>& outcomes) {
  Finding finding{.kind = "shared_memory_use",
                  .text =
                      "words of shared memory read / written per row of n elements, beside 4n bytes read from memory, "
                      "4 written and n - 1 additions: {series}",
                  .each = "{rung}: {reads} / {writes}"};
  std::map<std::string, RowSum::SharedUse> known;
  for (const Outcome& o : outcomes)
    if (const std::string variant = Rung(o.rung).variant; const auto* use = RowSum::shared_use(variant))
      known.try_emplace(variant, *use);
  for (const auto& [rung, use] : known)
    finding.series.push_back({{"rung", rung}, {"reads", use.reads}, {"writes", use.writes}});
  if (!known.empty()) findings.push_back(std::move(finding));
}

}  // namespace

std::vector<Axis> RowSum::axes() {
  constexpr std::int64_t most = std::int64_t{1} << 38;
  const RandomRange random{.most = 1 << 24, .suits = [](const Point& point) {
                             return point.integer("m") <= (std::int64_t{1} << 30) / point.integer("n");
                           }};
  return {{.name = "m", .meaning = "rows", .bench = {std::int64_t{3000}}, .most = most, .random = random},
          {.name = "n", .meaning = "elements", .bench = {std::int64_t{2048}}, .most = most, .random = random},
          {.name = "offset",
           .meaning = "elements by which the first one is put past an aligned address",
           .bench = {std::int64_t{0}},
           .most = 1023,
           .implied = std::int64_t{0}},
          {.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32"}}};
}

std::vector<Point> RowSum::bench_points() {
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

Point RowSum::point(std::int64_t m, std::int64_t n, std::int64_t offset) {
  return product(axes(), {{m}, {n}, {offset}, {"f32"}}).front();
}

std::vector<Point> RowSum::headline_points() {
  std::vector<Point> points;
  for (const std::int64_t m : {1000, 24'000}) points.push_back(point_with(axes(), {{"m", m}}));
  return points;
}

/// Around every row length and every number of rows at which a kernel changes its path.
std::vector<TestPoint> RowSum::test_points() {
  using Shape = std::pair<std::int64_t, std::int64_t>;
  std::vector<TestPoint> points;
  // Small enough for the emulation.
  for (const auto& [m, n] :
       std::vector<Shape>{{0, 0},    {0, 5},    {5, 0},    {1, 1},      {1, 31},     {3, 32},     {7, 127},  {5, 128},
                          {3, 129},  {2, 255},  {2, 256},  {2, 257},    {9, 512},    {3, 1023},   {3, 1024}, {3, 1025},
                          {2, 2047}, {2, 2048}, {3, 2049}, {1, 10'007}, {2, 40'960}, {1, 65'537}, {261, 1},  {133, 2},
                          {131, 3},  {133, 4},  {67, 5},   {69, 7},     {66, 8},     {35, 16},    {35, 31},  {35, 32},
                          {129, 33}, {20, 63},  {21, 64},  {39, 100},   {17, 200},   {16, 256},   {7, 1000}})
    points.push_back({point(m, n)});
  for (const std::int64_t offset : {1, 2, 3})
    for (const auto& [m, n] : std::vector<Shape>{
             {5, 0}, {1, 1}, {1, 2}, {3, 33}, {33, 32}, {67, 1}, {34, 4}, {9, 512}, {3, 2047}, {2, 2048}, {1, 40'961}})
      points.push_back({point(m, n, offset)});
  // Too large for the emulation.
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

Cost RowSum::cost(const Point& point) {
  const auto m = static_cast<double>(point.integer("m")), n = static_cast<double>(point.integer("n"));
  return {.bytes_read = m * n * sizeof(float),
          .bytes_written = m * sizeof(float),
          .flops = m * std::max(n - 1, 0.0),
          .accesses = m * n};
}

std::size_t RowSum::footprint(const Point& point) {
  const double elements = static_cast<double>(point.integer("m")) * (static_cast<double>(point.integer("n")) + 1) +
                          static_cast<double>(point.integer("offset"));
  constexpr auto most = static_cast<double>(std::numeric_limits<std::size_t>::max() / 8);
  return static_cast<std::size_t>(std::min(elements * sizeof(float), most)) + 4 * Buffer<float>::guard;
}

const RowSum::SharedUse* RowSum::shared_use(std::string_view rung) {
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

std::vector<Finding> RowSum::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Outcome*>> shapes;
  for (const Outcome& o : outcomes) shapes[{o.point.integer("m"), o.point.integer("n")}].push_back(&o);
  std::vector<Finding> findings;
  for (const auto& [shape, of_shape] : shapes) {
    const std::string name = std::to_string(shape.first) + " x " + std::to_string(shape.second);
    findings.push_back(best(name, of_shape));
    add_empty_blocks(findings, name, of_shape);
    add_accumulators(findings, name, of_shape);
  }
  add_shared_use(findings, outcomes);
  return findings;
}

RowSum::RowSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      rows_(static_cast<std::size_t>(point.integer("m"))),
      columns_(static_cast<std::size_t>(point.integer("n"))),
      offset_(static_cast<std::size_t>(point.integer("offset"))),
      seed_(seed),
      in_(sets),
      out_(sets),
      references_(device, sets, rows_, 1, [this](std::size_t set, std::size_t first_row, std::span<float> to) {
        device_.reference_row_sums(elements(set), LatticeRows::contiguous(first_row * columns_, columns_), to);
      }) {
  allocate();
}

Lattice RowSum::elements(std::size_t set) const {
  return {RandomStream(generation_seed(seed_, generation_), set), exact_bits(columns_)};
}

void RowSum::release() {
  for (auto* const buffers : {&in_, &out_})
    for (auto& buffer : *buffers) buffer = {};
}

void RowSum::allocate() {
  for (std::size_t set = 0; set < in_.size(); ++set) {
    in_[set] = Buffer<float>(device_, rows_ * columns_, offset_);
    out_[set] = Buffer<float>(device_, rows_);
  }
}

void RowSum::refill(std::uint64_t generation) {
  generation_ = generation;
  for (std::size_t set = 0; set < in_.size(); ++set) device_.generate(in_[set].span(), elements(set));
  references_.keep(generation);
}

void RowSum::poison() {
  for (auto& out : out_) out.poison();
}

Verdict RowSum::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(in_, out_)) return {.ok = false, .where = "a guard band beside in or out was written to"};
  std::vector<TypedSpan> results;
  for (const auto& out : out_) results.push_back(out.span());
  return references_.check(generation_, results, {},
                           [](std::size_t row) { return "sum of row " + std::to_string(row); });
}

bool RowSum::refill_general(Distribution distribution, std::uint64_t draw) {
  constexpr std::size_t most_summed = std::size_t{1} << 28;  // elements that the host adds up
  const GeneralNumbers numbers(distribution, generation_seed(seed_, draw), columns_);
  device_.generate_general(in_[0].span(), numbers);
  general_ = {choose_rows(rows_, std::min(most_errors, most_summed / std::max<std::size_t>(columns_, 1)))};
  for (const Band& band : general_.bands)
    std::ranges::copy(reference_sums<float>(numbers, band.first, band.count, columns_),
                      std::back_inserter(general_.should_be));
  return true;
}

template ExperimentEntry describe<RowSum>();

}  // namespace crosswarp
