// Man page and shell completions, derived from the definition of the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace crosswarp {

/// The man page in roff.
std::string man_page(const CLI::App& app, const std::string& version);

/// Completions of the last word of `line`, a command line up to the cursor. `values`: possible values by option name,
/// without dashes; for other options shells complete files.
std::vector<std::string> completions(const CLI::App& app, const std::map<std::string, std::vector<std::string>>& values,
                                     const std::string& line);

}  // namespace crosswarp
