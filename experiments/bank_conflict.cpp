// Axes, costs, oracle and findings of bank_conflict. Host code only, so kernels do not include it.
#include "experiments/bank_conflict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/format.hpp"
#include "core/random.hpp"
#include "core/statistics.hpp"

namespace crosswarp {

unsigned tile_columns::wavefronts(std::span<const std::uint32_t> positions, unsigned element_words) {
  const std::size_t lanes_at_a_time = banks / element_words;
  unsigned all = 0;
  for (std::size_t first = 0; first < positions.size(); first += lanes_at_a_time) {
    std::array<std::set<std::uint32_t>, banks> wanted;
    for (const std::uint32_t position : positions.subspan(first, std::min(lanes_at_a_time, positions.size() - first)))
      for (std::uint32_t w = position; w < position + element_words; ++w) wanted[w % banks].insert(w);
    std::size_t busiest = 0;
    for (const auto& bank : wanted) busiest = std::max(busiest, bank.size());
    all += static_cast<unsigned>(busiest);
  }
  return all;
}

unsigned tile_columns::wavefronts(unsigned stride, unsigned width, unsigned lanes) {
  std::vector<std::uint32_t> positions(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) positions[lane] = lane * stride;
  return wavefronts(positions, width / 4);
}

namespace {

using Op = BankConflict::Op;

std::vector<Value> numbers(std::initializer_list<std::int64_t> of) { return {of.begin(), of.end()}; }

Op op_of(const Point& point) {
  const std::string& word = point.word("op");
  return word == "load" ? Op::load : word == "store" ? Op::store : Op::atomic;
}

/// 16 warps keep many loads in flight; they may share columns. Stores do not wait, and need a column for each warp: any
/// stride has 8.
unsigned warps_of(const Point& point) { return op_of(point) == Op::store ? 8 : 16; }

/// Least-squares line y = first + second · x. Empty where all x are equal.
std::optional<std::pair<double, double>> fit(const std::vector<std::pair<double, double>>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(points.size());
  for (const auto& [px, py] : points) x += px / n, y += py / n;
  for (const auto& [px, py] : points) xx += (px - x) * (px - x), xy += (px - x) * (py - y);
  if (!(xx > 1e-9)) return {};
  return std::pair(y - xy / xx * x, xy / xx);
}

}  // namespace

std::vector<Axis> BankConflict::axes() {
  return {
      {.name = "stride",
       .meaning = "words of 4 bytes from lane to lane; 0: all lanes access one element",
       .bench = numbers({0, 1, 2, 4, 8, 16, 32, 33, 64}),
       .most = 64,
       .random = RandomRange{.most = 64}},
      {.name = "width", .meaning = "bytes of an element: 4, 8 or 16", .bench = numbers({4}), .least = 4, .most = 16},
      {.name = "op",
       .meaning = "access",
       .bench = {"load"},
       .allowed = {"load", "store", "atomic"},
       .random = RandomRange()},
      {.name = "n",
       .meaning = "accesses of each lane, a multiple of 4",
       .bench = numbers({4096}),
       .least = 4,
       .most = 1 << 24}};
}

/// Elements are aligned. Lanes that store have elements of their own.
bool BankConflict::exists(const Point& point) {
  const auto stride = static_cast<unsigned>(point.integer("stride"));
  const auto width = static_cast<unsigned>(point.integer("width"));
  if (width != 4 && width != 8 && width != 16) return false;
  if (stride % (width / 4) || point.integer("n") % 4) return false;
  if (op_of(point) == Op::store) return stride > 0;
  return op_of(point) == Op::load || width == 4;
}

std::vector<Point> BankConflict::headline_points() { return {point_with(axes(), {{"stride", std::int64_t{32}}})}; }

std::vector<TestPoint> BankConflict::test_points() {
  std::vector<TestPoint> points;
  for (const std::int64_t width : {4, 8, 16})
    for (const char* op : {"load", "store", "atomic"})
      for (const std::int64_t stride : {0, 1, 3, 8, 20, 32, 33, 36, 64}) {
        const Point point = product(axes(), {{stride}, {width}, {op}, {std::int64_t{12}}}).front();
        if (exists(point)) points.push_back({point});
      }
  return points;
}

Cost BankConflict::cost(const Point& point) {
  const double accesses = static_cast<double>(point.integer("n")) * warps_of(point);
  return {.bytes_read = tile_columns::tile_words * sizeof(std::uint32_t),
          .accesses = accesses,
          .rated = Quantity::accesses,
          .ceiling = ""};
}

std::size_t BankConflict::footprint(const Point&) { return std::size_t{1} << 16; }

/// Hardly any conflicts at strides where no layout can have one.
std::vector<Expectation> BankConflict::expectations(const Point& point) {
  const auto stride = static_cast<unsigned>(point.integer("stride"));
  if (op_of(point) != Op::load || stride > 1 || point.integer("width") != 4) return {};
  return {{.counter = "load_bank_conflicts", .most = 4 * cost(point).accesses}};  // over all blocks
}

BankConflict::BankConflict(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      stride_(static_cast<unsigned>(point.integer("stride"))),
      width_(static_cast<unsigned>(point.integer("width"))),
      n_(static_cast<unsigned>(point.integer("n"))),
      op_(op_of(point)),
      blocks_(static_cast<unsigned>(std::max(device.info().compute_units, 1))),
      warps_(warps_of(point)),
      lanes_(device.info().warp_size == 64 ? 64 : 32),
      seed_(seed) {
  for (std::size_t set = 0; set < sets; ++set) {
    in_.emplace_back(device, tile_columns::tile_words);
    out_.emplace_back(device, std::size_t{blocks_} * threads());
    positions_.emplace_back(device, threads());
    elapsed_.emplace_back(device, blocks_);
  }
  right_.resize(sets);
}

void BankConflict::refill(std::uint64_t generation) {
  for (std::size_t set = 0; set < in_.size(); ++set) {
    const RandomStream random(generation_seed(seed_, generation), set);
    std::vector<std::uint32_t> words(tile_columns::tile_words);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = random(i);
    right_[set] = oracle(words);
    in_[set].write(words);
  }
}

BankConflict::Args BankConflict::args(std::size_t set) const {
  return {in_[set].span(),
          out_[set].span(),
          positions_[set].span(),
          elapsed_[set].span(),
          blocks_,
          warps_,
          lanes_,
          stride_,
          width_,
          op_,
          n_};
}

void BankConflict::poison() {
  for (auto& out : out_) out.poison();
  for (auto& positions : positions_) positions.poison();
  for (auto& elapsed : elapsed_) elapsed.poison();
}

Verdict BankConflict::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(out_, in_, positions_, elapsed_))
    return {.ok = false, .where = "a guard band beside in, out, positions or elapsed was written to"};
  for (std::size_t set = 0; set < out_.size(); ++set) {
    const auto out = out_[set].read(), positions = positions_[set].read();
    const std::vector<std::uint32_t>& right = right_[set];
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] != right[i])
        return {.ok = false,
                .error = std::abs(static_cast<double>(out[i]) - right[i]),
                .where = mismatch("out[" + std::to_string(i) + "] of input " + std::to_string(set), out[i], right[i])};
    for (std::size_t i = 0; i < positions.size(); ++i)
      if (positions[i] % element_words() ||
          positions[i] + element_words() > tile_columns::shared_words(element_words()))
        return {.ok = false,
                .where = "positions[" + std::to_string(i) + "] of input " + std::to_string(set) + " is " +
                         std::to_string(positions[i]) + ": no element of the tile"};
  }
  return {.ok = true, .error = 0, .where = {}};
}

std::vector<Observation> BankConflict::observe() const {
  const std::vector<std::uint32_t> positions = positions_.front().read();
  double wavefronts = 0;
  for (unsigned warp = 0; warp < warps_; ++warp)
    wavefronts +=
        tile_columns::wavefronts(std::span(positions).subspan(std::size_t{warp} * lanes_, lanes_), element_words());
  std::vector<Observation> seen{{"wavefronts_per_access", "wavefront", wavefronts / warps_}};
  std::vector<double> cycles, clocks;
  for (const auto& elapsed : elapsed_)
    for (const Elapsed& of_block : elapsed.read()) {
      if (of_block.cycles == ~std::uint64_t{0}) continue;  // not written
      cycles.push_back(static_cast<double>(of_block.cycles));
      if (of_block.nanoseconds > 0)
        clocks.push_back(1e9 * static_cast<double>(of_block.cycles) / static_cast<double>(of_block.nanoseconds));
    }
  if (cycles.empty()) return seen;
  seen.push_back({"cycles_per_access", "cycle", median(cycles) / (static_cast<double>(n_) * warps_)});
  if (!clocks.empty()) seen.push_back({"clock", "Hz", median(clocks)});
  return seen;
}

std::vector<Finding> BankConflict::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::string, Finding> all;
  std::map<std::string, std::vector<std::pair<double, double>>> costs;  // by wavefronts
  for (const Outcome& o : outcomes) {
    const auto wavefronts = o.observed.find("wavefronts_per_access"), cycles = o.observed.find("cycles_per_access");
    if (wavefronts == o.observed.end()) continue;
    const bool counted = cycles != o.observed.end();
    const double cost = counted ? cycles->second : 1e9 * o.seconds / o.cost.accesses;
    const std::string unit = counted ? "cycles" : "ns", &op = o.point.word("op");
    const std::int64_t width = o.point.integer("width"), n = o.point.integer("n"), stride = o.point.integer("stride");
    const std::string title = o.rung + ": " + op + "s of " + std::to_string(width) + " bytes, n:" + std::to_string(n);
    Finding& found = all[title];
    found.kind = "cost_by_stride";
    found.values = {{"rung", o.rung}, {"op", op}, {"width", width}, {"n", n}, {"unit", unit}};
    found.each = "{stride}: {cost:.2f} ({wavefronts})";
    found.series.push_back({{"stride", stride}, {"cost", cost, unit}, {"wavefronts", wavefronts->second}});
    // The model does not hold where all lanes access one element: atomics serialise, wide loads may merge.
    const bool broadcast = stride == 0 && (op_of(o.point) == Op::atomic || width > 4);
    if (!broadcast) costs[title].emplace_back(wavefronts->second, cost);
  }
  std::vector<Finding> found;
  for (auto& [title, finding] : all) {
    finding.text = "{rung}: {op}s of {width} bytes, n:{n}: ";
    if (const auto line = fit(costs[title])) {
      finding.text += "{slope:.3f} {unit} per wavefront and {intercept:+.2f} per access; ";
      finding.values.emplace_back("slope", line->second);
      finding.values.emplace_back("intercept", line->first);
    }
    finding.text += "{unit} per access (wavefronts) by stride: {series}";
    found.push_back(std::move(finding));
  }
  return found;
}

unsigned BankConflict::first_word(unsigned thread) const {
  return tile_columns::first_word(thread / lanes_ % tile_columns::columns(stride_, element_words()), thread % lanes_,
                                  lanes_, stride_, element_words());
}

/// The right `out`.
std::vector<std::uint32_t> BankConflict::oracle(const std::vector<std::uint32_t>& in) const {
  const unsigned slab = tile_columns::slab_words(lanes_), slabs = tile_columns::slabs(lanes_);
  std::vector<std::uint32_t> right(std::size_t{blocks_} * threads());
  // All folds into a value together are affine in its first value: power · value + sum.
  if (op_ == Op::load) {
    // A thread comes back to its first element after `slabs` accesses: all passes over them are one affine map.
    const auto power_of = [this](unsigned accesses) {
      std::uint32_t power = 1;
      for (unsigned i = 0; i < accesses * element_words(); ++i) power *= tile_columns::multiplier;
      return power;
    };
    const std::uint32_t power = power_of(n_), power_of_pass = power_of(slabs);
    for (unsigned thread = 0; thread < threads(); ++thread) {
      const unsigned first = first_word(thread);
      const auto folded = [&](std::uint32_t sum, unsigned accesses) {
        for (unsigned i = 0; i < accesses; ++i)
          for (unsigned w = 0; w < element_words(); ++w) sum = tile_columns::fold(sum, in[first + i * slab + w]);
        return sum;
      };
      const std::uint32_t of_pass = folded(0, slabs);
      std::uint32_t sum = 0;
      for (unsigned pass = 0; pass < n_ / slabs; ++pass) sum = power_of_pass * sum + of_pass;
      sum = folded(sum, n_ % slabs);
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
      const unsigned first = first_word((thread + 1) % threads());
      for (unsigned s = 0; s < slabs; ++s)
        for (unsigned i = 0; i < element_words(); ++i) w = tile_columns::fold(w, tile[first + s * slab + i]);
      right[block * threads() + thread] = w;
    }
  }
  return right;
}

/// The tile of `block` after all stores.
std::vector<std::uint32_t> BankConflict::stored(std::vector<std::uint32_t> tile, unsigned block) const {
  const unsigned slab = tile_columns::slab_words(lanes_), slabs = tile_columns::slabs(lanes_);
  std::uint32_t power = 1, sum = 0;  // of the value after i accesses
  for (unsigned i = 0; i < n_; ++i) {
    power *= tile_columns::multiplier;
    sum = tile_columns::fold(sum, 1);
    if (i + slabs < n_) continue;  // overwritten later
    for (unsigned thread = 0; thread < threads(); ++thread)
      for (unsigned w = 0; w < element_words(); ++w)
        tile[first_word(thread) + i % slabs * slab + w] = power * (block * threads() + thread) + sum;
  }
  return tile;
}

/// The tile of any block after all atomics.
std::vector<std::uint32_t> BankConflict::added(std::vector<std::uint32_t> tile) const {
  const unsigned slab = tile_columns::slab_words(lanes_), slabs = tile_columns::slabs(lanes_);
  for (unsigned thread = 0; thread < threads(); ++thread)
    for (unsigned s = 0; s < slabs; ++s)
      tile[first_word(thread) + s * slab] += n_ / slabs * tile_columns::addend(thread);
  return tile;
}

template ExperimentEntry describe<BankConflict>();

}  // namespace crosswarp
