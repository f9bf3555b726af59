// Hash and size of the sources of built-in variants, gathered when the program is built (cmake/variant_sources).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace crosswarp {

/// Empty where unknown, as of a module's variant.
struct SourceInfo {
  std::string hash = {};  ///< Of the file, its project headers, and kernels linked from other variants' files.
  std::size_t lines = 0;  ///< Lines of code in the file: neither blank nor comment only.
  std::size_t lines_with_headers = 0;  ///< With the headers of its backend, the backend's API left out.
};

struct BuiltInSource {
  std::string_view id, path, hash;  ///< `cuda/reduce_sum/float4`, `backends/cuda/reduce_sum/float4.cu`
  std::size_t lines, lines_with_headers;
};

/// Of all backends, whether or not this build has them; sorted by id.
std::span<const BuiltInSource> built_in_sources();

/// The one of `id`; null for a variant that is not built in.
const BuiltInSource* built_in_source(std::string_view id);

/// Of the variant `id` that `file` registers.
SourceInfo source_info(std::string_view id, std::string_view file);

}  // namespace crosswarp
