// CLI11's layout with wrapped descriptions.
#include "bench/help.hpp"

#include <unistd.h>

#include <string>

#include "core/format.hpp"
#include "core/text_table.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t default_width = 100;

class Help : public CLI::Formatter {
 public:
  explicit Help(std::size_t width) : width_(width) { column_width(28); }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), width_) + "\n";
  }
  std::string make_footer(const CLI::App* app) const override { return wrapped(app->get_footer(), width_) + "\n"; }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_display_name(), command->get_description());
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
  }

 private:
  /// A name, and its meaning in the column of meanings.
  std::string entry(const std::string& name, const std::string& meaning) const {
    std::string line = "  " + name;
    if (columns(line) >= get_column_width()) line += "\n";
    line.resize(line.size() + (line.ends_with('\n') ? get_column_width() : get_column_width() - columns(line)), ' ');
    return line + wrapped(meaning, width_, get_column_width()) + "\n";
  }

  std::size_t width_;
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() {
  const std::size_t width = Terminal::of(STDOUT_FILENO).width;
  return std::make_shared<Help>(width ? width : default_width);
}

}  // namespace crosswarp
