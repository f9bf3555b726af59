// `bench report --check`: whether a folder of results is fit to be checked in.
#pragma once

#include <string>
#include <string_view>

namespace crosswarp {

/// The files that `scripts/measure … folder` makes, a line each: name without extension, options of its run. A later
/// line of a name adds cells.
extern const std::string_view measured_files;

/// Prints a line per finding, then a summary: whether files are missing or made by other options, of one commit and one
/// device, complete in their context, and hold rows that are wrong, failed, implausible or contradict themselves. Every
/// JSON file in `folder` is read. Returns whether there was no finding. Throws Error if `folder` is none.
bool check_folder(const std::string& folder);

}  // namespace crosswarp
