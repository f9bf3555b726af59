// Looks up what the build knows of a variant's source.
#include "core/variant_sources.hpp"

#include <algorithm>

namespace crosswarp {

SourceInfo source_info(std::string_view id, std::string_view file) {
  const auto all = built_in_sources();
  const auto found = std::ranges::lower_bound(all, id, {}, &BuiltInSource::id);
  if (found == all.end() || found->id != id || !file.ends_with(found->path)) return {};
  return {std::string(found->hash), found->lines, found->lines_with_headers};
}

}  // namespace crosswarp
