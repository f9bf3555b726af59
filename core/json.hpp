// JSON from files.
#pragma once

#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

namespace crosswarp {

/// JSON of at most 64 levels: destroying or printing a deeper one would overflow the stack. Throws Error with the
/// place: `not JSON (line 3, column 7)`. `first_line`: the number of the text's first line in its file.
nlohmann::ordered_json parse_json(const std::string& text, std::size_t first_line = 1);

/// The message of an error, without the prefix of nlohmann's exceptions.
std::string plain(const std::exception& error);

}  // namespace crosswarp
