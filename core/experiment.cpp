// Words for verdicts; apart from the header, so that kernels compile without a formatting library.
#include "core/experiment.hpp"

#include <fmt/format.h>

namespace crosswarp {

std::string mismatch(std::string_view what, double is, double should_be) {
  return fmt::format("{} is {}, should be {}", what, is, should_be);
}

}  // namespace crosswarp
