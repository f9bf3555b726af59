// What the stub of ROCTx's library was told.
#pragma once

#include <string>
#include <vector>

namespace crosswarp {

struct RoctxCalls {
  std::vector<std::string> open;  ///< Ranges that have begun and not ended.
  std::vector<std::string> ended;
};

}  // namespace crosswarp
