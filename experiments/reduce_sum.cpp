#include "experiments/reduce_sum.hpp"

namespace crosswarp {

// Apart from the header, whose visits clang 15 leaves undefined in a HIP compilation.
ReduceSum::Args ReduceSum::args(std::size_t set) const {
  return std::visit([&](const auto& s) { return args_of(s, set); }, sets_);
}

template ExperimentEntry describe<ReduceSum>();

}  // namespace crosswarp
