// Hash and size of every variant's source.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace crosswarp::build {

struct VariantSource {
  std::string id;         ///< `<backend>/<experiment>/<variant>`
  std::string path;       ///< In the tree: `backends/cuda/reduce_sum/float4.cu`.
  std::string hash;       ///< Of the source, and of the files that it includes or links to; 16 hexadecimal digits.
  std::size_t lines = 0;  ///< Of code, in its own file.
  std::size_t lines_with_headers = 0;  ///< With what it includes of its backend's folder, the backend's API left out.
};

/// Of all variants in the source tree `root`, whether or not this build has them; sorted by id. Throws
/// std::runtime_error for an include that it cannot find.
std::vector<VariantSource> variant_sources(const std::filesystem::path& root);

}  // namespace crosswarp::build
