// The files of page/ as texts: cmake/embed.cmake generates the definitions.
#pragma once

#include <string_view>

namespace crosswarp {

extern const std::string_view page_html, page_css, page_js;

}  // namespace crosswarp
