#include "experiments/op_latency.hpp"

namespace crosswarp {

template ExperimentEntry describe<OpLatency>();

}  // namespace crosswarp
