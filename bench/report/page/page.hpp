// The files of page/ as texts: page.cpp.in defines them.
#pragma once

#include <string_view>

namespace crosswarp {

extern const std::string_view page_html, page_css, page_js;

}  // namespace crosswarp
