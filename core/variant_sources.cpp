// Looks up what the build knows of a variant's source.
#include "core/variant_sources.hpp"

#include <algorithm>

namespace crosswarp {

const BuiltInSource* built_in_source(std::string_view id) {
  const auto all = built_in_sources();
  const auto found = std::ranges::lower_bound(all, id, {}, &BuiltInSource::id);
  return found != all.end() && found->id == id ? &*found : nullptr;
}

SourceInfo source_info(std::string_view id, std::string_view file) {
  const BuiltInSource* const source = built_in_source(id);
  if (!source || !file.ends_with(source->path)) return {};
  return {std::string(source->hash), source->lines, source->lines_with_headers};
}

}  // namespace crosswarp
