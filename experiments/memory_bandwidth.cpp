#include "experiments/memory_bandwidth.hpp"

namespace crosswarp {

template ExperimentEntry describe<MemoryBandwidth>();

}  // namespace crosswarp
