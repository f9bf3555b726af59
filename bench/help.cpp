// CLI11's layout with wrapped descriptions.
#include "bench/help.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/format.hpp"
#include "core/registry.hpp"
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

/// Whether it is not a module's: those have no page.
bool is_built_in(const ExperimentEntry& experiment) {
  return std::ranges::any_of(Registry::instance().variants(), [&](const auto& entry) {
    return entry.second.experiment == experiment.name && entry.second.module.empty();
  });
}

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<Help>(help_width()); }

std::string help_of(const ExperimentEntry& experiment) {
  const std::size_t width = help_width();
  std::string text = wrapped(fmt::format("{}: {}", experiment.name, experiment.summary), width) + "\n\nAxes:\n";
  const std::vector<Point> points = experiment.bench_points();
  std::vector<std::string> together;  // axes whose default values are those of points
  if (!points.empty())
    for (const Point::Coordinate& c : points.front().coordinates()) together.push_back("--" + c.axis);
  for (const Axis& axis : experiment.axes) {
    const std::string option = "--" + axis.name;
    const auto texts = [](const std::vector<Value>& values) {
      std::vector<std::string> of;
      for (const Value& value : values) of.push_back(to_string(value));
      return of;
    };
    const bool is_joint = std::ranges::find(together, option) != together.end();
    std::string meaning = axis.meaning;
    if (axis.is_word()) meaning += fmt::format("; one of {}", fmt::join(texts(axis.allowed), ", "));
    if (!axis.bench.empty())
      meaning +=
          fmt::format(" ({}: {})", is_joint ? "where another is given" : "default", fmt::join(texts(axis.bench), ", "));
    text += entry(option + " VALUES", meaning, width);
  }
  if (!points.empty())
    text += "\n" +
            wrapped(fmt::format("Without {}: {} points, which bench --dry-run --experiment {} lists.",
                                fmt::join(together, ", "), points.size(), experiment.name),
                    width) +
            "\n";
  std::string more = fmt::format("Variants: bench --list --experiment {}.", experiment.name);
  if (is_built_in(experiment)) more += fmt::format(" Ideas and results: docs/experiments/{}.md.", experiment.name);
  return text + "\n" + wrapped(more, width) + "\n";
}

}  // namespace crosswarp
