// Axes, costs and oracle of peer_latency.
#include "experiments/peer_latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/statistics.hpp"
#include "experiments/rank_spans.hpp"

namespace crosswarp {

std::vector<Axis> PeerLatency::axes() {
  return {{.name = "op",
           .meaning = "access: load, store and fence, atomic, or a flag there and back",
           .bench = {"load", "store", "atomic", "flag"},
           .allowed = {"load", "store", "atomic", "flag"}},
          {.name = "bytes",
           .meaning = "bytes of a chase's slots together, in the last rank's memory",
           .bench = {std::int64_t{1} << 20},
           .least = 3 * static_cast<std::int64_t>(stride),
           .most = std::int64_t{1} << 36},
          {.name = "ranks",
           .meaning = "devices; rank 0 accesses the last one's memory",
           .bench = {std::int64_t{2}},
           .least = 2,
           .most = static_cast<std::int64_t>(most_ranks)},
          {.name = "steps",
           .meaning = "accesses in a launch",
           .bench = {std::int64_t{1} << 12},
           .least = 2 * stretch,
           .most = std::int64_t{1} << 24,
           .implied = std::int64_t{1} << 12,
           .random = RandomRange{.least = 2 * stretch, .most = 1 << 14, .multiple = stretch}}};
}

bool PeerLatency::exists(const Point& point) {
  return point.integer("steps") % stretch == 0 && point.integer("bytes") % static_cast<std::int64_t>(stride) == 0 &&
         (is_load(point) || is_atomic(point) || point.integer("bytes") == 1 << 20);
}

/// Few slots and many, less than a lap and many laps.
std::vector<TestPoint> PeerLatency::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](const char* op, std::int64_t bytes, std::int64_t ranks, std::int64_t steps) {
    points.push_back({product(axes(), {{op}, {bytes}, {ranks}, {steps}}).front()});
  };
  for (const std::int64_t ranks : {2, 3, 4, 8}) {
    for (const char* op : {"load", "atomic"})
      for (const std::int64_t bytes : {384, 16'384}) add(op, bytes, ranks, 64);
    for (const char* op : {"store", "flag"})
      for (const std::int64_t steps : {32, 1'040}) add(op, 1 << 20, ranks, steps);
  }
  return points;
}

Cost PeerLatency::cost(const Point& point) {
  const auto steps = point.integer("steps");
  return {.accesses = static_cast<double>(steps),
          .left_out = static_cast<double>(steps - steps / 2 / stretch * stretch),
          .rated = Quantity::accesses,
          .ceiling = {}};
}

std::size_t PeerLatency::footprint(const Point& point) {
  const bool chase = is_load(point) || is_atomic(point);
  return (chase ? static_cast<std::size_t>(point.integer("bytes")) : 0) +
         (is_store(point) ? static_cast<std::size_t>(point.integer("steps")) * 8 : 0) + sizeof(Taken);
}

PeerLatency::PeerLatency(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      op_(is_load(point)     ? Op::load
          : is_store(point)  ? Op::store
          : is_atomic(point) ? Op::atomic
                             : Op::flag),
      slots_(static_cast<std::uint64_t>(point.integer("bytes")) / stride),
      steps_(static_cast<std::uint32_t>(point.integer("steps"))),
      seed_(seed) {
  if (slots_ % 2 == 0) --slots_;  // coprime to `stretch`, so that the positions that are added up are all slots
  const bool chase = op_ == Op::load || op_ == Op::atomic;
  for (std::size_t set = 0; set < sets; ++set) {
    chain_.emplace_back(device_.rank(last()), chase ? slots_ * stride : 0);
    words_.emplace_back(device_.rank(last()), op_ == Op::store ? steps_ : 0);
    out_.emplace_back(device_.rank(0), 1);
  }
}

std::uint64_t PeerLatency::key(std::size_t set) const { return RandomStream(generation_seed_, set).word(0); }

Permutation PeerLatency::order(std::size_t set) const {
  return Permutation(generation_seed_, set, slots_).starting_with(1);
}

void PeerLatency::refill(std::uint64_t generation) {
  generation_seed_ = generation_seed(seed_, generation);
  for (std::size_t set = 0; set < chain_.size(); ++set)
    if (chain_[set].size() > 0) device_.rank(last()).chain(chain_[set].span(), stride, order(set), 0);
}

PeerLatency::Args PeerLatency::args(std::size_t set, std::size_t rank) const {
  return {op_,
          rank,
          device_.ranks(),
          steps(),
          chain_[set].span(),
          stride,
          key(set),
          words_[set].span().first(op_ == Op::store ? steps() : 0),
          out_[set].span()};
}

Memory PeerLatency::outputs(std::size_t set, std::size_t rank) const {
  Memory memory;
  if (rank == 0) memory.push_back(out_[set].bytes());
  if (rank == last() && op_ == Op::store) memory.push_back(std::as_writable_bytes(words_[set].span().first(steps())));
  return memory;
}

void PeerLatency::poison() {
  for (auto& out : out_) out.poison();
  for (auto& words : words_) words.poison();
}

PeerLatency::Expected PeerLatency::expected(std::size_t set) const {
  Expected result;
  if (op_ == Op::store) return result;
  const Permutation slots = order(set);
  const std::uint64_t k = key(set);
  auto token = static_cast<std::uint32_t>(k);
  for (std::uint32_t step = 1; step <= steps(); ++step) {
    if (op_ == Op::flag) token = reply(k, token);
    if (step % stretch != 0) continue;
    result.end = op_ == Op::flag ? token : slots(step % slots_) * stride;
    result.checksum += result.end;
  }
  return result;
}

Verdict PeerLatency::check(ResultIn) const {
  device_.synchronize();
  const auto wrong = [](const std::string& what, std::uint64_t is, std::uint64_t should_be) -> Verdict {
    return {.ok = false,
            .error = is > should_be ? static_cast<double>(is - should_be) : static_cast<double>(should_be - is),
            .bound = 0,
            .where = fmt::format("{} is {}, should be {}", what, is, should_be)};
  };
  for (std::size_t set = 0; set < chain_.size(); ++set) {
    device_.rank(last());
    if (!chain_[set].guards_intact() || !words_[set].guards_intact())
      return {.ok = false, .where = "a guard band beside the last rank's memory was written to"};
    const std::vector<std::uint64_t> words = op_ == Op::store ? words_[set].read() : std::vector<std::uint64_t>();
    for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), steps()); ++i)
      if (words[i] != value(key(set), i))
        return wrong(fmt::format("word {} of set {}", i, set), words[i], value(key(set), i));
    device_.rank(0);
    if (!out_[set].guards_intact()) return {.ok = false, .where = "a guard band beside rank 0's output was written to"};
    const Taken found = out_[set].read(0);
    const Expected should_be = expected(set);
    if (found.end != should_be.end)
      return wrong(fmt::format("what the last step of set {} came to", set), found.end, should_be.end);
    if (found.checksum != should_be.checksum)
      return wrong(fmt::format("sum over every {} steps of set {}", stretch, set), found.checksum, should_be.checksum);
  }
  return {.ok = true, .error = 0, .bound = 0, .where = {}};
}

std::vector<Observation> PeerLatency::observe() const {
  std::vector<double> cycles, nanoseconds;
  device_.rank(0);
  for (const auto& out : out_) {
    const Elapsed elapsed = out.read(0).elapsed;
    if (elapsed.cycles != not_measured) cycles.push_back(static_cast<double>(elapsed.cycles) / steps());
    if (elapsed.nanoseconds != not_measured) nanoseconds.push_back(static_cast<double>(elapsed.nanoseconds) / steps());
  }
  std::vector<Observation> all;
  if (!cycles.empty()) all.push_back({"cycles_per_access", "cycle", median(cycles)});
  if (!nanoseconds.empty()) all.push_back({"ns_per_access", "ns", median(nanoseconds)});
  return all;
}

void relocate(PeerLatency::Args& args, const RelocateSpan& to) {
  relocate(args.chain, args.ranks - 1, to);
  relocate(args.words, args.ranks - 1, to);
  relocate(args.out, 0, to);
}

template ExperimentEntry describe<PeerLatency>();

}  // namespace crosswarp
