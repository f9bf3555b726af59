// Lines of code of variants, read from the source tree of this build.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace crosswarp {

struct SourceLines {
  std::size_t own;           ///< Of the file.
  std::size_t with_headers;  ///< With the headers of its backend that it includes; queue.hpp and platform/ left out.
};

/// Lines that are neither blank nor comments alone, of the variant in `source`, a path below backends/. Nothing where the
/// tree is not there any more.
std::optional<SourceLines> source_lines(const std::string& source);

}  // namespace crosswarp
