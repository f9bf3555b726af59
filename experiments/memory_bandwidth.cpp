// Axes, costs, oracle and findings of memory_bandwidth. Host code only, so kernels do not include it.
#include "experiments/memory_bandwidth.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>

#include "core/format.hpp"

namespace crosswarp {
namespace {

constexpr std::int64_t small = std::int64_t{1} << 15, cached = std::int64_t{24} << 20,
                       over_link = std::int64_t{1} << 28, large = std::int64_t{1} << 30,
                       most_on_chip = std::int64_t{1} << 17;

StreamOp op_of(std::string_view word) {
  constexpr std::array words{"read", "write", "copy", "scale", "add", "triad", "dot"};
  for (std::size_t i = 0; i < words.size(); ++i)
    if (word == words[i]) return static_cast<StreamOp>(i);
  return StreamOp::copy;  // h2d, d2h
}

int arrays_read(StreamOp op) {
  return op == StreamOp::write ? 0 : op == StreamOp::add || op == StreamOp::triad || op == StreamOp::dot ? 2 : 1;
}

bool writes(StreamOp op) { return op != StreamOp::read && op != StreamOp::dot; }

/// Whether the point is benched by default: each level at the size that measures it best. The smaller size in memory
/// shows the cost of a launch on a GPU, and is large enough on a processor.
bool is_default(const Point& point, const DeviceInfo& device) {
  const std::string &level = point.word("level"), &op = point.word("op");
  const std::int64_t bytes = point.integer("bytes");
  const bool is_gpu = device.warp_size > 1;
  if (level == "hbm")
    return (bytes == large && is_gpu) || (bytes == std::int64_t{1} << 26 && (op == "read" || op == "copy"));
  if (level == "link") return bytes == over_link;
  return bytes == (level == "l2" ? cached : small) && (is_gpu || (level != "shared" && op == "read"));
}

/// Default: 16 GiB in total, half a millisecond at 33 TB/s. That is long beside a launch and the first sweep, which
/// fills the cache.
std::uint64_t sweeps_at(const Point& point) {
  if (const std::string& level = point.word("level"); level == "hbm" || level == "link") return 1;
  if (const std::int64_t given = point.integer("sweeps"); given > 0) return static_cast<std::uint64_t>(given);
  const std::int64_t bytes = std::max<std::int64_t>(point.integer("bytes"), 1);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, (std::int64_t{16} << 30) / bytes));
}

/// Max bits of two lattice numbers for which sums of n products stay below 2^24 steps with a margin of eight standard
/// deviations (a product has 4^bits / 3): 64/9 · 16^bits · n ≤ 2^48.
int dot_bits(std::uint64_t n) {
  int bits = 1;
  while (bits < 7 && n <= (std::uint64_t{9} << 42) >> (4 * (bits + 1))) ++bits;
  return bits;
}

Verdict exactly(double is, double should_be, const std::string& what) {
  const double error = std::abs(is - should_be);
  if (error == 0) return {.ok = true, .error = 0, .bound = 0, .where = {}};
  return {.ok = false, .error = error, .bound = 0, .where = mismatch(what, is, should_be)};
}

double rate(const Outcome& o) { return o.cost.amount() / o.seconds; }

bool is_library(const std::string& rung) {
  return rung.ends_with("/memcpy") || rung.ends_with("/memset") || rung.ends_with("/cub");
}

}  // namespace

std::vector<Axis> MemoryBandwidth::axes() {
  const std::vector<Value> levels{"hbm", "l2", "l1", "shared", "dsmem", "link"};
  const std::vector<Value> ops{"read", "write", "copy", "scale", "add", "triad", "dot", "h2d", "d2h"};
  return {
      {.name = "level",
       .meaning = "memory: hbm (the device's own), l2, l1, shared, dsmem (another block's shared), link (the host's)",
       .bench = levels,
       .allowed = levels},
      {.name = "op", .meaning = "operation on the arrays", .bench = ops, .allowed = ops, .random = RandomRange()},
      {.name = "bytes",
       .meaning = "size of one array; of each multiprocessor's copy where the level is on the chip",
       .bench = {small, cached, std::int64_t{1} << 26, over_link, large},
       .least = 0,
       .most = std::int64_t{1} << 40,
       .by_default = is_default,
       .random = RandomRange{.least = 1 << 12, .most = std::int64_t{1} << 32, .multiple = 16}},
      {.name = "sweeps",
       .meaning = "passes over an array in a cache or on the chip; 0: enough for a fraction of a millisecond",
       .bench = {std::int64_t{0}},
       .most = std::int64_t{1} << 30,
       .implied = std::int64_t{0}},
      {.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32"}}};
}

/// Levels below memory: reads of whole vectors of 16 bytes, since cache policies bend most else; and writes to L2,
/// which L1 passes on. The link: its two directions.
bool MemoryBandwidth::exists(const Point& point) {
  const std::string &level = point.word("level"), &op = point.word("op");
  const std::int64_t bytes = point.integer("bytes"), sweeps = point.integer("sweeps");
  const bool over = op == "h2d" || op == "d2h";
  if (bytes % 4 != 0) return false;
  if (level == "link") return over && sweeps == 0;
  if (level == "hbm") return !over && sweeps == 0;
  if (bytes % 16 != 0 || bytes == 0) return false;
  if (op == "write") return level == "l2";
  if (op != "read") return false;
  return level == "l2" || bytes <= most_on_chip;
}

std::vector<Point> MemoryBandwidth::headline_points() {
  std::vector<Point> points;
  for (const int log_bytes : {26, 30}) points.push_back(point_with(axes(), {{"bytes", std::int64_t{1} << log_bytes}}));
  return points;
}

/// Ragged sizes around vectors, blocks and tiles.
std::vector<TestPoint> MemoryBandwidth::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](const char* level, const char* op, std::int64_t bytes, std::int64_t sweeps, bool slow = false) {
    points.push_back({product(axes(), {{level}, {op}, {bytes}, {sweeps}, {"f32"}}).front(), slow});
  };
  for (const char* op : {"read", "write", "copy", "scale", "add", "triad", "dot"}) {
    for (const std::int64_t n : {0, 1, 3, 33, 1009, 4096, 8192, 16'387, 20'011}) add("hbm", op, 4 * n, 0);
    add("hbm", op, 4 * ((std::int64_t{1} << 28) + 1031), 0, true);
  }
  for (const char* op : {"h2d", "d2h"})
    for (const std::int64_t n : {0, 1, 1009, 20'011}) add("link", op, 4 * n, 0);
  for (const char* level : {"l2", "l1", "shared", "dsmem"}) {
    for (const std::int64_t bytes : {16, 1008, 16'384, 20'016})
      for (const std::int64_t sweeps : {1, 5}) add(level, "read", bytes, sweeps);
    add(level, "read", small, 0, true);
  }
  add("l2", "read", 32'768, 3);
  for (const std::int64_t bytes : {16, 1008, 20'016, 300'000}) add("l2", "write", bytes, 3);
  add("l2", "read", 48 * 1024, 7);
  return points;
}

/// Bytes over the link count once: the host's memory is not measured.
Cost MemoryBandwidth::cost(const Point& point) {
  const auto bytes = static_cast<double>(point.integer("bytes"));
  const std::string& level = point.word("level");
  const StreamOp op = op_of(point.word("op"));
  const double n = bytes / sizeof(float), sweeps = static_cast<double>(sweeps_at(point));
  Cost cost{.bytes_read = arrays_read(op) * bytes * sweeps,
            .bytes_written = level != "link" && writes(op) ? bytes * sweeps : 0,
            .accesses = n * sweeps,
            .ceiling = level == "hbm"                        ? "memory"
                       : level == "shared"                   ? "shared"
                       : level == "link" || level == "dsmem" ? ""
                       : level == "l1"                       ? "l1"
                                                             : "l2"};
  if (op == StreamOp::scale || op == StreamOp::add) cost.flops = n;
  if (op == StreamOp::triad || op == StreamOp::dot) cost.flops = 2 * n;
  return cost;
}

std::size_t MemoryBandwidth::footprint(const Point& point) {
  const auto bytes = static_cast<std::size_t>(point.integer("bytes"));
  const StreamOp op = op_of(point.word("op"));
  const std::size_t arrays = point.word("level") == "link" ? 1 : static_cast<std::size_t>(arrays_read(op)) + writes(op);
  return arrays * (bytes + 2 * Buffer<float>::guard) + 4 * Buffer<float>::guard;
}

/// L2 is judged by the absence of memory traffic: on some devices its hit rate counts lines of the other partition
/// twice.
std::vector<Expectation> MemoryBandwidth::expectations(const Point& point) {
  const Cost of = cost(point);
  const std::string& level = point.word("level");
  const auto bytes = static_cast<double>(point.integer("bytes"));
  // Every store of every sweep: the last sweep alone would leave the same array.
  if (level == "l2" && of.bytes_written > 0)
    return {{.counter = "l2_sectors_written", .least = 0.98 * of.bytes_written / 32}};
  if (level == "hbm" && of.bytes_read > 0 && bytes >= static_cast<double>(large))
    return {{.counter = "dram_bytes_read", .least = 0.9 * of.bytes_read}};
  if (of.bytes_read < 64 * bytes) return {};  // the first sweep fills the cache
  if (level == "l1") return {{.counter = "l1_hit_rate", .least = 95}};
  if (level == "l2")
    return {{.counter = "dram_bytes_read", .most = 0.05 * of.bytes_read}, {.counter = "l1_hit_rate", .most = 5}};
  if (level == "shared")  // 128 bytes per wavefront
    return {{.counter = "shared_load_wavefronts", .least = of.bytes_read / 128, .most = 1.1 * of.bytes_read / 128}};
  return {};
}

std::vector<CeilingPoint> MemoryBandwidth::ceilings() {
  // As many sweeps as default points have. With a quarter of them peaks were 1 to 4 % below what rows reach (H100,
  // H200), most likely by launch and first sweep.
  const auto at = [](const char* level, std::int64_t bytes) {
    return product(axes(), {{level}, {"read"}, {bytes}, {0}, {"f32"}}).front();
  };
  return {{"l2", at("l2", cached)}, {"l1", at("l1", small)}, {"shared", at("shared", small)}};
}

std::vector<Finding> MemoryBandwidth::findings(const std::vector<Outcome>& outcomes) {
  std::map<Point, std::pair<const Outcome*, const Outcome*>> best;  // handwritten, library
  for (const Outcome& o : outcomes) {
    auto& [own, library] = best[o.point];
    const Outcome*& fastest = is_library(o.rung) ? library : own;
    if (!fastest || rate(o) > rate(*fastest)) fastest = &o;
  }
  std::vector<Finding> all;
  for (const auto& [point, both] : best) {
    const auto& [own, library] = both;
    if (!own) continue;
    Finding& found = all.emplace_back(Finding{"best_rate",
                                              "{level} {op} of {bytes}: {rate} by {rung}",
                                              {{"level", point.word("level")},
                                               {"op", point.word("op")},
                                               {"bytes", point.integer("bytes"), "B"},
                                               {"rate", rate(*own), "B/s"},
                                               {"rung", own->rung}}});
    if (!library) continue;
    found.text += ", {share} of {library}'s {library_rate}";
    found.values.emplace_back("share", rate(*own) / rate(*library), "%");
    found.values.emplace_back("library", library->rung);
    found.values.emplace_back("library_rate", rate(*library), "B/s");
  }
  for (const auto& [point, both] : best) {
    std::map<int, double> best_rate;  // by bytes in flight
    for (const Outcome& o : outcomes)
      if (const auto bytes = bytes_in_flight(o.rung); bytes && o.point == point)
        best_rate[*bytes] = std::max(best_rate[*bytes], rate(o));
    if (best_rate.size() < 3) continue;
    Finding& curve = all.emplace_back(Finding{"rate_by_bytes_in_flight",
                                              "{level} {op}, by bytes in flight on each multiprocessor: {series}",
                                              {{"level", point.word("level")}, {"op", point.word("op")}},
                                              "{bytes} {rate}"});
    for (const auto& [bytes, of] : best_rate) curve.series.push_back({{"bytes", bytes, "B"}, {"rate", of, "B/s"}});
  }
  return all;
}

std::optional<int> MemoryBandwidth::bytes_in_flight(const std::string& rung) {
  const auto number = [&](const std::string& before) -> int {
    const auto at = rung.find(before);
    return at == std::string::npos ? 0 : std::atoi(rung.c_str() + at + before.size());
  };
  if (rung.find("/vector16@") == std::string::npos) return {};
  const int unroll = number("unroll"), per_unit = number("per_unit");
  if (unroll == 0 || per_unit == 0) return {};
  return unroll * 16 * std::min(512 * per_unit, 2048);
}

MemoryBandwidth::MemoryBandwidth(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      word_(point.word("op")),
      op_(op_of(word_)),
      n_(static_cast<std::uint64_t>(point.integer("bytes")) / sizeof(float)),
      sweeps_(sweeps_at(point)),
      in_shared_(point.word("level") == "shared" || point.word("level") == "dsmem"),
      run_seed_(seed),
      seed_(seed),
      bits_(op_ == StreamOp::dot ? dot_bits(n_) : 16) {
  for (std::size_t set = 0; set < sets; ++set) {
    if (word_ == "h2d" || word_ == "d2h") host_.emplace_back(device, n_);
    if (arrays_read(op_) > 0 && word_ != "h2d") a_.emplace_back(device, n_);
    if (arrays_read(op_) > 1) b_.emplace_back(device, n_);
    if (writes(op_) && word_ != "d2h") out_.emplace_back(device, n_);
    sum_.emplace_back(device, 1);
    dot_.emplace_back(device, 1);
  }
}

void MemoryBandwidth::refill(std::uint64_t generation) {
  seed_ = generation_seed(run_seed_, generation);
  for (std::size_t set = 0; set < sum_.size(); ++set) {
    if (set < a_.size()) device_.generate(a_[set].span(), element_of_a(set));
    if (set < b_.size()) device_.generate(b_[set].span(), element_of_b(set));
    if (word_ != "h2d") continue;
    device_.synchronize();  // writes to host memory are not ordered with the device's work
    fill_elements(host_[set].span(), {element_of_a(set)});
  }
}

Memory MemoryBandwidth::outputs(std::size_t set) const {
  const auto out = word_ == "d2h" ? std::as_writable_bytes(host_[set].span())
                   : writes(op_)  ? out_[set].bytes()
                                  : std::span<std::byte>();
  return {out, sum_[set].bytes(), dot_[set].bytes()};
}

MemoryBandwidth::Args MemoryBandwidth::args(std::size_t set) const {
  const auto part = [&](const auto& of) { return set < of.size() ? of[set].span() : std::span<float>(); };
  return {.op = op_,
          .scalar = scalar(),
          .sweeps = sweeps_,
          .in_shared = in_shared_,
          .a_on_host = word_ == "h2d",
          .out_on_host = word_ == "d2h",
          .a = word_ == "h2d" ? part(host_) : part(a_),
          .b = part(b_),
          .out = word_ == "d2h" ? part(host_) : part(out_),
          .sum = sum_[set].span(),
          .dot = dot_[set].span()};
}

void MemoryBandwidth::poison() {
  for (auto& out : out_) out.poison();
  for (auto& sum : sum_) sum.poison();
  for (auto& dot : dot_) dot.poison();
  if (word_ == "d2h")
    for (auto& host : host_) std::memset(host.span().data(), 0xff, host.span().size_bytes());
}

Verdict MemoryBandwidth::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(a_, b_, out_, sum_, dot_))
    return {.ok = false, .where = "a guard band beside an array was written to"};
  for (std::size_t set = 0; set < sum_.size(); ++set) {
    if (const Verdict verdict = check(set); !verdict.ok) return verdict;
  }
  return {.ok = true, .error = 0, .bound = 0, .where = {}};
}

/// Both values keep results exact: the first has four equal bytes, the second two significant bits.
float MemoryBandwidth::scalar() const { return op_ == StreamOp::write ? std::bit_cast<float>(0x3f3f3f3fu) : 1.5f; }

/// Word i of the oracle: of a for read; of the products in steps, raised above zero, for dot; else of `out`.
std::uint32_t MemoryBandwidth::word(std::uint64_t i, const Lattice& a, const Lattice& b) const {
  const auto bits_of = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  switch (op_) {
    case StreamOp::write:
      return bits_of(scalar());
    case StreamOp::scale:
      return bits_of(scalar() * a(i));
    case StreamOp::add:
      return bits_of(a(i) + b(i));
    case StreamOp::triad:
      return bits_of(a(i) + scalar() * b(i));
    case StreamOp::dot:
      return static_cast<std::uint32_t>(a.steps(i) * b.steps(i) + (1 << (2 * bits_)));
    default:
      return bits_of(a(i));
  }
}

Words MemoryBandwidth::words(std::size_t set) const {
  return [this, a = element_of_a(set), b = element_of_b(set)](std::uint64_t first, std::span<std::uint32_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = word(first + i, a, b);
  };
}

/// Cached for the process, since it is a pass over all elements.
Checksum MemoryBandwidth::cached_checksum(std::size_t set) const {
  static std::map<std::tuple<StreamOp, std::uint64_t, std::size_t, std::uint64_t>, Checksum> known;
  const auto [entry, is_new] = known.try_emplace({op_, seed_, set, n_});
  if (is_new) entry->second = checksum(n_, words(set));
  return entry->second;
}

Verdict MemoryBandwidth::check(std::size_t set) const {
  const std::string of = " of input " + std::to_string(set);
  const Checksum expected = cached_checksum(set);
  if (op_ == StreamOp::read)
    return exactly(sum_[set].read(0), static_cast<std::uint32_t>(expected.sum * sweeps_), "sum" + of);
  if (op_ == StreamOp::dot) {
    const auto steps = static_cast<double>(static_cast<std::int64_t>(expected.sum - (n_ << (2 * bits_))));
    return exactly(dot_[set].read(0), std::ldexp(steps, -2 * bits_), "dot" + of);
  }
  if (word_ != "d2h") return compare_words(device_, out_[set].span(), words(set), expected, "out" + of);
  const std::span<const float> is = host_[set].span();
  const Words right = words(set);
  const Checksum sum = checksum(n_, [&](std::uint64_t first, std::span<std::uint32_t> to) {
    std::memcpy(to.data(), is.data() + first, to.size_bytes());
  });
  if (sum.weighted == expected.weighted) return {.ok = true, .error = 0, .bound = 0, .where = {}};
  const auto behind = std::ranges::mismatch(sum.before, expected.before).in1 - sum.before.begin();
  for (std::uint64_t i = static_cast<std::uint64_t>(behind - 1) * Checksum::block; i < n_; ++i) {
    std::uint32_t should_be;
    right(i, {&should_be, 1});
    if (const auto wrong = exactly(is[i], std::bit_cast<float>(should_be), "out[" + std::to_string(i) + "]" + of);
        !wrong.ok)
      return wrong;
  }
  return {.ok = false, .where = "the checksum of the host's array is wrong, but no element is"};
}

template ExperimentEntry describe<MemoryBandwidth>();

}  // namespace crosswarp
