// JSON from files, which may be hostile.
#include "core/json.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr int deepest = 64;

template <class Text>
nlohmann::ordered_json parse_shallow(Text& text) {
  using Json = nlohmann::ordered_json;
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw Error(fmt::format("nested deeper than {} levels", deepest));
    return true;
  });
}

}  // namespace

nlohmann::ordered_json parse_json(std::istream& text) { return parse_shallow(text); }
nlohmann::ordered_json parse_json(const std::string& text) { return parse_shallow(text); }

}  // namespace crosswarp
