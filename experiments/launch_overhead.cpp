#include "experiments/launch_overhead.hpp"

namespace crosswarp {

template ExperimentEntry describe<LaunchOverhead>();

}  // namespace crosswarp
