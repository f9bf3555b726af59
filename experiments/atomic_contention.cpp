#include "experiments/atomic_contention.hpp"

namespace crosswarp {

template ExperimentEntry describe<AtomicContention>();

}  // namespace crosswarp
