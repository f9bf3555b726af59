// The sets of a sample, for variants that do at one launch what they were asked for at others.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {

/// In the order in which they were first asked for.
class KnownSets {
 public:
  /// The index of `set`, which `is_new` if it was not known. A placement's sets replace the last one's.
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

}  // namespace crosswarp::host
