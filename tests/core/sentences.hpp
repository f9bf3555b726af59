// Findings as they are printed.
#pragma once

#include <string>
#include <vector>

#include "core/finding.hpp"

namespace crosswarp {

inline std::vector<std::string> sentences(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) all.push_back(to_string(finding));
  return all;
}

}  // namespace crosswarp
