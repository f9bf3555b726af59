// Both read CLI11's options.
#include "bench/manual.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace crosswarp {
namespace {

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
}

std::vector<const CLI::App*> commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

/// Escapes `text` for roff and keeps its line breaks.
std::string roff(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (!result.empty()) result += "\n.br\n";
    if (line.starts_with('.') || line.starts_with('\'')) result += "\\&";
    for (const char c : line) result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return result + "\n";
}

/// The options of `app`, by group.
std::string options_of(const CLI::App& app) {
  const CLI::Formatter names;
  std::string text;
  for (const std::string& group : app.get_groups()) {
    std::string of_group;
    for (const CLI::Option* option : shown_options(app))
      if (option->get_group() == group)
        of_group += ".TP\n.B " +
                    roff(names.make_option_name(option, option->get_positional()) + names.make_option_opts(option)) +
                    roff(option->get_description());
    if (!of_group.empty()) text += ".SS " + roff(group) + of_group;
  }
  return text;
}

/// Words of a line. The last one, which may be empty, is being typed.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line)
    if (c != ' ')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  return words;
}

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
  std::string page = fmt::format(".TH BENCH 1 \"\" \"crosswarp {}\"\n", version);
  page += ".SH NAME\nbench \\- " + roff(app.get_description());
  page += ".SH SYNOPSIS\n.B bench\n[OPTIONS]\n";
  for (const CLI::App* command : commands(app)) page += ".br\n.B bench " + roff(command->get_name()) + "[OPTIONS]\n";
  page += ".SH DESCRIPTION\n" + roff(app.get_footer()) + ".SH OPTIONS\n" + options_of(app);
  for (const CLI::App* command : commands(app))
    page += ".SH bench " + roff(command->get_name()) + roff(command->get_description() + ".") + ".PP\n" +
            roff(command->get_footer()) + options_of(*command);
  return page;
}

std::vector<std::string> completions(const CLI::App& app, const std::map<std::string, std::vector<std::string>>& values,
                                     const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  const CLI::App* command = &app;
  for (const CLI::App* sub : commands(app))
    if (std::find(words.begin(), words.end() - 1, sub->get_name()) != words.end() - 1) command = sub;
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  std::string typed = words.back(), kept;
  std::vector<std::string> candidates;
  const CLI::Option* const option = before.starts_with('-') ? command->get_option_no_throw(before) : nullptr;
  if (option && option->get_items_expected_max() > 0) {
    const auto known = values.find(option->get_single_name());
    if (known != values.end()) candidates = known->second;
    kept = typed.substr(0, typed.rfind(',') + 1);
    typed.erase(0, kept.size());
  } else if (typed.starts_with('-')) {
    for (const CLI::Option* each : shown_options(*command))
      for (const std::string& name : each->get_lnames()) candidates.push_back("--" + name);
  } else {
    for (const CLI::App* sub : commands(*command)) candidates.push_back(sub->get_name());
  }
  std::erase_if(candidates, [&](const std::string& candidate) { return !candidate.starts_with(typed); });
  for (std::string& candidate : candidates) candidate.insert(0, kept);
  return candidates;
}

}  // namespace crosswarp
