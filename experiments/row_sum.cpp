#include "experiments/row_sum.hpp"

namespace crosswarp {

template ExperimentEntry describe<RowSum>();

}  // namespace crosswarp
