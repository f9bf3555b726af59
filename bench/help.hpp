// --help as lines that fit the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace crosswarp {

/// Formats the help of all commands for the terminal on standard output, elsewhere for 100 columns.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace crosswarp
