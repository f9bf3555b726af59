// Suggestions for mistyped names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace crosswarp {

/// `unknown; did you mean 'cuda'? (there are: cuda, host, kokkos)`. Of many names it lists the nearest. Without names:
/// `unknown; there are none`. `problem`: in the place of `unknown`.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& names,
                         std::string_view problem = "unknown");

}  // namespace crosswarp
