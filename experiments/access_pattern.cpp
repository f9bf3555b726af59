// The access patterns' points, oracle and findings.
#include "experiments/access_pattern.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>

namespace crosswarp {
namespace {

// A host gets fewer elements, and part of the strides.
constexpr std::int64_t host_elements = std::int64_t{1} << 20, gpu_elements = std::int64_t{1} << 26;

bool is_default(const Point& point, const DeviceInfo& device) {
  if (device.warp_size > 1) return point.integer("n") == gpu_elements;
  const std::int64_t stride = point.integer("stride");
  return point.integer("n") == host_elements && point.word("op") == "copy" &&
         (stride == 1 || stride == 8 || stride == 16 || stride == 64);
}

std::string pattern_phrase(const Point& point) {
  if (point.word("pattern") == "strided") return "with stride " + std::to_string(point.integer("stride"));
  if (point.word("pattern") == "offset") return "with offset " + std::to_string(point.integer("offset"));
  return "in random order";
}

Finding slowdown(const Outcome& outcome, const Outcome& coalesced) {
  const Point& p = outcome.point;
  Finding finding{.kind = "access_slowdown",
                  .text =
                      "{rung}: {op} {pattern} takes {slowdown:.2f} times the coalesced time, sectors alone "
                      "{sectors:.2f}; useful {useful}",
                  .values = {{"rung", outcome.rung},
                             {"op", p.word("op")},
                             {"pattern", pattern_phrase(p)},
                             {"slowdown", outcome.seconds / coalesced.seconds},
                             {"sectors", AccessPattern::sector_model(p)},
                             {"useful", 8 * static_cast<double>(p.integer("n")) / outcome.seconds, "B/s"}}};
  if (p.word("pattern") == "random") {
    finding.text += ", with its indices {with_indices}";
    finding.values.push_back({"with_indices", outcome.cost.amount() / outcome.seconds, "B/s"});
  }
  return finding;
}

/// The stride from which doubling it costs less than a factor of 1.5, for the first variant with all strides.
std::vector<Finding> knee(const std::vector<Outcome>& outcomes) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::map<std::int64_t, double>> by_stride;
  for (const Outcome& o : outcomes)
    if (const std::string& pattern = o.point.word("pattern"); pattern == "coalesced" || pattern == "strided")
      by_stride[{o.rung, o.point.word("op"), o.point.integer("n")}][o.point.integer("stride")] = o.seconds;
  for (const auto& [curve, seconds] : by_stride) {
    const auto& [rung, op, n] = curve;
    if (op != "copy" || seconds.size() < 4) continue;
    for (const auto& [stride, time] : seconds) {
      const auto next = seconds.find(2 * stride);
      if (next != seconds.end() && next->second < 1.5 * time)
        return {{.kind = "access_knee",
                 .text = "{rung}: the knee is at stride {stride:.0f}, {distance:.0f} bytes apart; sectors of 32 bytes "
                         "would have it at 8",
                 .values = {{"rung", rung}, {"stride", stride}, {"distance", 4 * stride, "bytes"}}}};
    }
  }
  return {};
}

}  // namespace

std::vector<Axis> AccessPattern::axes() {
  const std::vector<Value> patterns{"coalesced", "strided", "offset", "random"}, ops{"gather", "scatter", "copy"};
  return {{.name = "pattern",
           .meaning = "order of the accesses",
           .bench = patterns,
           .allowed = patterns,
           .random = RandomRange()},
          {.name = "stride",
           .meaning = "elements between neighbours, for pattern strided",
           .bench = {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}, std::int64_t{16},
                     std::int64_t{32}, std::int64_t{64}},
           .least = 1,
           .most = 1 << 15,
           .implied = std::int64_t{1},
           .random = RandomRange{.most = 64}},
          {.name = "offset",
           .meaning = "shift in elements, for pattern offset",
           .bench = {std::int64_t{0}, std::int64_t{1}},
           .most = 1 << 20,
           .implied = std::int64_t{0}},
          {.name = "op",
           .meaning = "the side in pattern order: loads (gather), stores (scatter), or both (copy)",
           .bench = ops,
           .allowed = ops,
           .random = RandomRange()},
          {.name = "n",
           .meaning = "elements",
           .bench = {host_elements, gpu_elements},
           .most = std::int64_t{1} << 31,
           .by_default = is_default,
           .random = RandomRange{.least = 1 << 10, .most = 1 << 26}},
          {.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32"}}};
}

/// Stride 1 and offset 0 are the coalesced pattern.
bool AccessPattern::exists(const Point& point) {
  const std::string& pattern = point.word("pattern");
  return (point.integer("stride") > 1) == (pattern == "strided") &&
         (point.integer("offset") > 0) == (pattern == "offset");
}

std::vector<Point> AccessPattern::headline_points() {
  std::vector<Point> points;
  for (const std::int64_t n : {host_elements, gpu_elements})
    points.push_back(
        point_with(axes(), {{"pattern", "strided"}, {"op", "gather"}, {"stride", std::int64_t{32}}, {"n", n}}));
  return points;
}

std::vector<TestPoint> AccessPattern::test_points() {
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

Cost AccessPattern::cost(const Point& point) {
  const double n = static_cast<double>(point.integer("n"));
  const double indices = point.word("pattern") == "random" ? n : 0;
  return {.bytes_read = (n + indices) * 4, .bytes_written = n * 4, .accesses = 2 * n + indices};
}

std::size_t AccessPattern::footprint(const Point& point) {
  const auto n = static_cast<std::size_t>(point.integer("n"));
  return (point.word("pattern") == "random" ? 3 : 2) * (4 * n + 2 * Buffer<float>::guard);
}

/// Only for copies: a gather or scatter through shared memory is coalesced on both sides.
std::vector<Expectation> AccessPattern::expectations(const Point& point) {
  const std::string& pattern = point.word("pattern");
  if (point.integer("n") < 1 << 20 || point.word("op") != "copy") return {};
  if (pattern == "random") return {{.counter = "sectors_per_store", .least = 31}};
  const double sectors = 4 * static_cast<double>(std::min<std::int64_t>(point.integer("stride"), 8));
  const double most = sectors + (point.integer("offset") % 8 != 0) + 0.1;
  return {{.counter = "sectors_per_load", .least = sectors - 0.1, .most = most},
          {.counter = "sectors_per_store", .least = sectors - 0.1, .most = most}};
}

std::vector<Finding> AccessPattern::findings(const std::vector<Outcome>& outcomes) {
  std::vector<Finding> findings;
  for (const Outcome& base : outcomes) {
    if (base.point.word("pattern") != "coalesced") continue;
    for (const Outcome& o : outcomes)
      if (&o != &base && o.rung == base.rung && o.point.integer("n") == base.point.integer("n") &&
          o.point.word("op") == base.point.word("op"))
        findings.push_back(slowdown(o, base));
  }
  for (Finding& finding : knee(outcomes)) findings.push_back(std::move(finding));
  return findings;
}

double AccessPattern::sector_model(const Point& point) {
  const bool random = point.word("pattern") == "random";
  const double per_float = random ? 8 : static_cast<double>(std::min<std::int64_t>(point.integer("stride"), 8));
  const double sides = point.word("op") == "copy" ? 2 : 1;  // in pattern order, of loads and stores
  return (sides * per_float + (2 - sides) + random) / 2;
}

AccessPattern::AccessPattern(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
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

void AccessPattern::refill(std::uint64_t generation) {
  seed_ = generation_seed(run_seed_, generation);
  scattered_.assign(in_.size(), {});
  for (std::size_t set = 0; set < in_.size(); ++set) {
    device_.generate(in_[set].span(), elements(set));
    if (is_random_ && n_ > 0) device_.permute(index_[set].span(), permutation(set));
  }
}

AccessPattern::Args AccessPattern::args(std::size_t set) const {
  return {op_, order_, is_random_ ? index_[set].span() : std::span<std::uint32_t>(), in_[set].span(), out_[set].span()};
}

void AccessPattern::poison() {
  for (auto& out : out_) out.poison();
}

Verdict AccessPattern::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(in_, out_, index_)) return {.ok = false, .where = "a guard band beside an array was written to"};
  for (std::size_t set = 0; set < in_.size(); ++set) {
    const Verdict verdict = compare_words(device_, out_[set].span(), expected(set), cached_checksum(set),
                                          "out of input " + std::to_string(set));
    if (!verdict.ok) return verdict;
  }
  return {.ok = true, .error = 0, .bound = 0, .where = {}};
}

/// p(i), in order of i.
Words AccessPattern::order(std::size_t set) const {
  return [this, random = is_random_ ? permutation(set) : Permutation(0, 0, 1)](std::uint64_t first,
                                                                               std::span<std::uint32_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] =
          is_random_ ? static_cast<std::uint32_t>(random(first + i)) : order_(static_cast<std::uint32_t>(first + i));
  };
}

/// The moved elements, in order of i: in[p(i)] for a gather, in[i] otherwise.
Words AccessPattern::moved(std::size_t set) const {
  return [this, in = elements(set), order = order(set)](std::uint64_t first, std::span<std::uint32_t> to) {
    if (op_ == AccessOp::gather)
      order(first, to);
    else
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::uint32_t>(first + i);
    for (std::uint32_t& word : to) word = std::bit_cast<std::uint32_t>(in(word));
  };
}

/// out, in order of its elements. A scatter takes the inverse of the whole order, computed on first use.
Words AccessPattern::expected(std::size_t set) const {
  if (op_ != AccessOp::scatter) return moved(set);
  return [this, set](std::uint64_t first, std::span<std::uint32_t> to) {
    std::vector<std::uint32_t>& out = scattered_[set];
    if (out.empty()) {
      std::vector<std::uint32_t> index(n_), word(n_);
      order(set)(0, index);
      moved(set)(0, word);
      out.resize(n_);
      for (std::size_t i = 0; i < n_; ++i) out[index[i]] = word[i];
    }
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
  };
}

/// Cached per process and inputs: it takes a pass over all elements.
Checksum AccessPattern::cached_checksum(std::size_t set) const {
  static std::map<std::tuple<AccessOp, bool, std::uint32_t, std::uint32_t, std::uint64_t, std::size_t, std::uint64_t>,
                  Checksum>
      known;
  const auto [entry, is_new] = known.try_emplace({op_, is_random_, order_.stride, order_.offset, seed_, set, n_});
  if (is_new)
    entry->second = op_ == AccessOp::scatter ? checksum(n_, moved(set), order(set)) : checksum(n_, moved(set));
  return entry->second;
}

template ExperimentEntry describe<AccessPattern>();

}  // namespace crosswarp
