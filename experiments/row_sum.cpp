// What is for the host alone; apart from the header, which kernels include.
#include "experiments/row_sum.hpp"

#include <iterator>
#include <map>
#include <tuple>

namespace crosswarp {

RowSum::RowSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      rows_(static_cast<std::size_t>(point.integer("m"))),
      columns_(static_cast<std::size_t>(point.integer("n"))),
      offset_(static_cast<std::size_t>(point.integer("offset"))),
      seed_(seed),
      in_(sets),
      out_(sets),
      references_(device, sets, rows_, 1, [this](std::size_t set, std::size_t first_row, std::span<float> to) {
        device_.reference_row_sums(elements(set), first_row * columns_, columns_, to);
      }) {
  allocate();
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
  std::vector<TypedSpan> results;
  for (std::size_t set = 0; set < in_.size(); ++set) {
    if (!out_[set].guards_intact() || !in_[set].guards_intact())
      return {.ok = false, .where = "a guard band beside in or out was written to"};
    results.push_back(out_[set].span());
  }
  return references_.check(generation_, results, {},
                           [](std::size_t row) { return "sum of row " + std::to_string(row); });
}

bool RowSum::refill_general(Distribution distribution, std::uint64_t draw) {
  constexpr std::size_t most_summed = std::size_t{1} << 28;  // elements, which the host sums up
  const GeneralNumbers numbers(distribution, generation_seed(seed_, draw), columns_);
  device_.generate_general(in_[0].span(), numbers);
  general_ = {choose_rows(rows_, std::min(most_errors, most_summed / std::max<std::size_t>(columns_, 1)))};
  for (const Band& band : general_.bands)
    std::ranges::copy(reference_sums<float>(numbers, band.first, band.count, columns_),
                      std::back_inserter(general_.should_be));
  return true;
}

std::vector<std::string> RowSum::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const Outcome*>> shapes;
  for (const Outcome& o : outcomes) shapes[{o.point.integer("m"), o.point.integer("n")}].push_back(&o);
  std::vector<std::string> lines;
  const auto say = [&]<class... T>(const char* format, T... values) {
    char line[256];
    std::snprintf(line, sizeof line, format, values...);
    lines.emplace_back(line);
  };
  std::map<std::string, SharedUse> used;
  for (const auto& [shape, rows] : shapes) {
    const std::string at = std::to_string(shape.first) + " x " + std::to_string(shape.second);
    const Outcome& best = **std::ranges::min_element(rows, {}, &Outcome::seconds);
    say("%s: best is %s, %.4g us, %.4g GB/s", at.c_str(), best.rung.c_str(), best.seconds * 1e6,
        best.cost.amount() / best.seconds * 1e-9);
    std::map<std::string, std::map<int, double>> accumulators;  // by backend
    for (const Outcome* o : rows) {
      const auto [backend, variant, tuning] = parts(o->rung);
      if (variant == "ilp")
        accumulators[backend][tuning.empty() ? ilp_default : std::atoi(tuning.c_str() + 1)] = o->seconds;
      if (const SharedUse* use = shared_use(variant)) used.try_emplace(variant, *use);
      if (variant == "over_launched")
        if (const Outcome* fitting = find(rows, backend + "/row_sum/block_tree"))
          say("%s: %s with its empty blocks takes %.3g times block_tree's time", at.c_str(), o->rung.c_str(),
              o->seconds / fitting->seconds);
    }
    for (const auto& [backend, times] : accumulators) {
      if (times.size() < 2) continue;
      std::string line = at + ": " + backend + "/row_sum/ilp by accumulators:";
      for (const auto& [k, seconds] : times) {
        char entry[64];
        std::snprintf(entry, sizeof entry, " %d: %.4g us", k, seconds * 1e6);
        line += (k == times.begin()->first ? "" : ",") + std::string(entry);
      }
      lines.push_back(line);
    }
  }
  if (!used.empty()) {
    lines.push_back(
        "a row of n takes 4n bytes from memory, 4 to it, n - 1 additions; in shared memory, words read / written:");
    for (const auto& [rung, use] : used) say("  %s: %.0f / %.0f", rung.c_str(), use.reads, use.writes);
  }
  return lines;
}

template ExperimentEntry describe<RowSum>();

}  // namespace crosswarp
