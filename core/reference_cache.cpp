// Bound by making references; a comparison reads results and references once.
#include "core/reference_cache.hpp"

#include <algorithm>

#include "core/comparison.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t max_kept = 4;                         // generations; a run alternates between two
constexpr std::size_t max_at_once = std::size_t{64} << 20;  // elements of a reference without a cache

}  // namespace

ReferenceCache::ReferenceCache(Device& device, std::size_t sets, std::size_t rows, std::size_t columns, Make make)
    : device_(device), sets_(sets), rows_(rows), columns_(columns), make_(std::move(make)) {}

void ReferenceCache::keep(std::uint64_t generation) {
  if (const auto known = std::ranges::find(kept_, generation, &Generation::number); known != kept_.end()) {
    kept_.splice(kept_.end(), kept_, known);
    return;
  }
  if (kept_.size() == max_kept) kept_.pop_front();
  // Leaves half of the free memory for workspaces and fragmentation.
  const std::size_t bytes = sets_ * (rows_ * columns_ * sizeof(float) + 2 * Buffer<float>::guard);
  while (bytes > device_.free_memory() / 2) {
    if (kept_.empty()) return;
    kept_.pop_front();
  }
  Generation made{generation, {}};
  for (std::size_t set = 0; set < sets_; ++set) {
    made.of_sets.emplace_back(device_, rows_ * columns_);
    if (rows_ * columns_ > 0) make_(set, 0, made.of_sets.back().span());
  }
  kept_.push_back(std::move(made));
}

bool ReferenceCache::holds(std::uint64_t generation) const {
  return std::ranges::find(kept_, generation, &Generation::number) != kept_.end();
}

Comparison ReferenceCache::compare_in_pieces(std::size_t set, const TypedSpan& result, const ErrorBound& bound) const {
  const std::size_t fits = std::min(device_.free_memory() / 4 / sizeof(float), max_at_once);
  const std::size_t rows_at_once = std::clamp<std::size_t>(fits / std::max<std::size_t>(columns_, 1), 1, rows_);
  const Buffer<float> reference(device_, rows_at_once * columns_);
  Comparison found;
  for (std::size_t row = 0; row < rows_; row += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, rows_ - row) * columns_;
    make_(set, row, reference.span().first(count));
    found.add(device_.compare(part(result, row * columns_, count), reference.span().first(count), bound),
              row * columns_);
  }
  return found;
}

Verdict ReferenceCache::check(std::uint64_t generation, const std::vector<TypedSpan>& results, const ErrorBound& bound,
                              const Name& name) const {
  const std::size_t elements = rows_ * columns_;
  if (elements == 0) return {.ok = true, .error = 0, .bound = bound.at(0), .where = {}};
  const auto known = std::ranges::find(kept_, generation, &Generation::number);
  Comparison found;
  if (known != kept_.end()) {
    std::vector<std::pair<TypedSpan, TypedSpan>> pairs;
    for (std::size_t set = 0; set < sets_; ++set) pairs.emplace_back(results[set], known->of_sets[set].span());
    found = device_.compare(pairs, bound);
  } else {
    for (std::size_t set = 0; set < sets_; ++set)
      found.add(compare_in_pieces(set, results[set], bound), set * elements);
  }
  return verdict_on(found, bound, sets_, elements, name);
}

}  // namespace crosswarp
