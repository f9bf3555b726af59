// JSON from files, which may be hostile.
#include "core/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr int deepest = 64;

/// `not JSON (line 3, column 7)`
Error syntax_error(const std::string& text, std::size_t first_line, std::size_t byte) {
  const std::string_view before(text.data(), std::min(text.size(), byte == 0 ? 0 : byte - 1));
  const auto line = first_line + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t column = before.size() - (before.rfind('\n') + 1);  // npos + 1 is 0
  return Error(fmt::format("{} (line {}, column {})", byte > text.size() ? "JSON that is cut off" : "not JSON", line,
                           column + 1));
}

}  // namespace

nlohmann::ordered_json parse_json(const std::string& text, std::size_t first_line) {
  using Json = nlohmann::ordered_json;
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw Error("empty");
  try {
    return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      if (depth > deepest) throw Error(fmt::format("nested deeper than {} levels", deepest));
      return true;
    });
  } catch (const Json::parse_error& error) {
    throw syntax_error(text, first_line, error.byte);
  } catch (const Json::exception& error) {
    throw Error(plain(error));
  }
}

std::string plain(const std::exception& error) {
  const std::string text = error.what();
  return text.starts_with("[json.exception.") ? text.substr(text.find(']') + 2) : text;
}

}  // namespace crosswarp
