#include "experiments/reduce_sum.hpp"

namespace crosswarp {

template ExperimentEntry describe<ReduceSum>();

}  // namespace crosswarp
