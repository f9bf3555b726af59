// The sums of several sets by one launch, for variants that do at one launch what they were asked for at others.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

/// The sets of a sample, in the order in which they were first asked for.
class KnownSets {
 public:
  /// The index of `set`; sets_.size() - 1 and `is_new` where it was not known. A placement's sets replace the last
  /// one's.
  std::size_t index_of(const ReduceSum::Typed<float>& set, bool& is_new) {
    const auto same = [&](const auto& s) { return s.in.data() == set.in.data() && s.out.data() == set.out.data(); };
    const auto found = std::find_if(sets_.begin(), sets_.end(), same);
    is_new = found == sets_.end();
    if (!is_new) {
      complete_ = true;
      return static_cast<std::size_t>(found - sets_.begin());
    }
    if (complete_) sets_.clear();
    complete_ = false;
    sets_.push_back(set);
    return sets_.size() - 1;
  }
  const std::vector<ReduceSum::Typed<float>>& sets() const { return sets_; }

 private:
  std::vector<ReduceSum::Typed<float>> sets_;
  bool complete_ = false;
};

/// As many sets as a sample has at most.
struct SetTable {
  const float* in[20];
  float* out[20];
};

__global__ void add_each(SetTable sets, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += sets.in[blockIdx.x][i];
  *sets.out[blockIdx.x] = sum;
}

/// Enqueues the sums of all sets as one launch.
inline void add_all(const Queue& queue, const std::vector<ReduceSum::Typed<float>>& sets) {
  SetTable table{};
  for (std::size_t i = 0; i < sets.size(); ++i) {
    table.in[i] = sets[i].in.data();
    table.out[i] = sets[i].out.data();
  }
  launch(add_each, static_cast<unsigned>(sets.size()), 1, 0, queue, table, sets.front().in.size());
}

}  // namespace
}  // namespace crosswarp::gpu
