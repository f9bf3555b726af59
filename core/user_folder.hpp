// Folders of the user's, by the XDG base directory specification.
#pragma once

#include <string>

namespace crosswarp {

/// `$VARIABLE/crosswarp`, else `~/FALLBACK/crosswarp`. Relative paths do not count. Empty if there is neither.
std::string user_folder(const char* variable, const char* fallback);

}  // namespace crosswarp
