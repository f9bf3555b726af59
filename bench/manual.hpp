// What is made of the definition of the command line beside its --help: the man page, and what shells complete.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace crosswarp {

/// In the language of man pages.
std::string man_page(const CLI::App& app, const std::string& version);

/// What the last word of `line`, a command line up to the cursor, can become. `values`: what options take, by their
/// names without dashes; of an option that is not there shells complete files.
std::vector<std::string> completions(const CLI::App& app, const std::map<std::string, std::vector<std::string>>& values,
                                     const std::string& line);

}  // namespace crosswarp
