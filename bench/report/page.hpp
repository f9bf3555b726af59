// The parts of the report's page. The definitions are made by the build (cmake/embed.cmake) of what lies in page/.
#pragma once

#include <string_view>

namespace crosswarp {

extern const std::string_view page_html, page_css, page_js;

}  // namespace crosswarp
