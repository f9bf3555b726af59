// CLI11's layout with wrapped descriptions.
#include "bench/help.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "core/format.hpp"
#include "core/text_table.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t default_width = 100, name_column = 28;

std::size_t help_width() {
  const std::size_t width = Terminal::of(STDOUT_FILENO).width;
  return width ? width : default_width;
}

/// A name, and its meaning in the column of meanings.
std::string entry(const std::string& name, const std::string& meaning, std::size_t width) {
  std::string line = "  " + name;
  if (columns(line) >= name_column) line += "\n";
  line.resize(line.size() + (line.ends_with('\n') ? name_column : name_column - columns(line)), ' ');
  return line + wrapped(meaning, width, name_column) + "\n";
}

class Help : public CLI::Formatter {
 public:
  explicit Help(std::size_t width) : width_(width) { column_width(name_column); }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), width_) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override { return wrapped(app->get_footer(), width_) + "\n"; }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_display_name(), command->get_description(), width_);
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option), width_);
  }

 private:
  std::size_t width_;
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<Help>(help_width()); }

std::string help_of(const ExperimentEntry& experiment) {
  const std::size_t width = help_width();
  std::string text = wrapped(fmt::format("{}: {}", experiment.name, experiment.summary), width) + "\n\nAxes:\n";
  for (const Axis& axis : experiment.axes) {
    std::vector<std::string> values;
    for (const Value& value : axis.bench) values.push_back(to_string(value));
    std::string meaning = axis.meaning;
    if (!values.empty()) meaning += fmt::format(" (default: {})", fmt::join(values, ", "));
    text += entry(fmt::format("--{} VALUES", axis.name), meaning, width);
  }
  const std::size_t joint = experiment.bench_points().size();
  if (joint > 0)
    text += "\n" +
            wrapped(fmt::format("Default values of some axes belong together: {} points, which bench --dry-run "
                                "--experiment {} lists.",
                                joint, experiment.name),
                    width) +
            "\n";
  return text + "\n" +
         wrapped(fmt::format("Its variants: bench --list --experiment {0}. Their ideas and results: "
                             "docs/experiments/{0}.md.",
                             experiment.name),
                 width) +
         "\n";
}

}  // namespace crosswarp
