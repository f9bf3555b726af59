// The environment decides; the user database does not.
#include "core/user_folder.hpp"

#include <cstdlib>
#include <filesystem>

namespace crosswarp {

std::string user_folder(const char* variable, const char* fallback) {
  const auto folder = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  if (folder(variable).is_absolute()) return folder(variable) / "crosswarp";
  if (folder("HOME").is_absolute()) return folder("HOME") / fallback / "crosswarp";
  return {};
}

}  // namespace crosswarp
