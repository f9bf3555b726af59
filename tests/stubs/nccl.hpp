// What a stub of NCCL was called for.
#pragma once

#include <string>
#include <vector>

namespace crosswarp {

using NcclCalls = std::vector<std::string>;

}  // namespace crosswarp
