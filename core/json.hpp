// JSON from files.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

namespace crosswarp {

/// JSON of at most 64 levels: destroying or printing a deeper one would overflow the stack. Throws nlohmann's exception
/// or Error.
nlohmann::ordered_json parse_json(std::istream& text);
nlohmann::ordered_json parse_json(const std::string& text);

}  // namespace crosswarp
