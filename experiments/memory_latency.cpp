#include "experiments/memory_latency.hpp"

namespace crosswarp {

template ExperimentEntry describe<MemoryLatency>();

}  // namespace crosswarp
