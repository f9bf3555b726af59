#include "experiments/bank_conflict.hpp"

namespace crosswarp {

template ExperimentEntry describe<BankConflict>();

}  // namespace crosswarp
