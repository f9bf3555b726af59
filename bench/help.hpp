// --help as lines that fit the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "core/experiment.hpp"

namespace crosswarp {

/// Formats the help of all commands for the terminal on standard output, elsewhere for 100 columns.
std::shared_ptr<CLI::Formatter> help_formatter();

/// For `--help NAME`, likewise: an experiment's axes with their default values.
std::string help_of(const ExperimentEntry& experiment);

}  // namespace crosswarp
