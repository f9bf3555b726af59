// The command line. Axis flags come from the experiments that are linked in.
#include "bench/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/listing.hpp"
#include "bench/load.hpp"
#include "bench/manual.hpp"
#include "bench/profiler.hpp"
#include "bench/resume.hpp"
#include "bench/version.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace crosswarp {
namespace {

/// CLI11's own words, with the nearest flag where one was mistyped.
std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const CLI::App* command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
    std::vector<std::string> known;
    for (const CLI::Option* option : command->get_options()) {
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
      for (const auto& name : option->get_snames()) known.push_back("-" + name);
    }
    for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(sub->get_name());
    for (const std::string& argument : arguments) {
      const std::string name = argument.substr(0, argument.find('='));
      if (name.starts_with("-") && std::find(known.begin(), known.end(), name) == known.end())
        return fmt::format("{}: {}", name, did_you_mean(name, known));
    }
  }
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The number that is all of `text`, from `least` to `most`: no NaN, no infinity, no sign where there is none to have.
template <class T>
T number(const std::string& name, std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return value;
  throw CLI::ValidationError(name, fmt::format("'{}' is not a number from {} to {}", text, least, most));
}

/// Every option that takes a number.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value, T least, T most, const std::string& help) {
  const auto set = [&value, name, least, most](const std::string& text) { value = number(name, text, least, most); };
  return app.add_option_function<std::string>(name, set, help)->default_str(fmt::format("{}", value));
}

/// A share in per cent, with or without the sign, as a fraction.
void add_percent(CLI::App& app, const std::string& name, double& fraction, const std::string& help) {
  const auto set = [&fraction, name](std::string_view text) {
    if (text.ends_with('%')) text.remove_suffix(1);
    fraction = number(name, text, 0.0, 1000.0) / 100;
  };
  app.add_option_function<std::string>(name, set, help)
      ->default_str(fmt::format("{:g}", 100 * fraction))
      ->type_name("PERCENT");
}

/// Every option that takes a comma-separated list of names.
CLI::Option* add_names(CLI::App& app, const std::string& name, std::vector<std::string>& names,
                       const std::string& help) {
  const auto set = [&names, name](const std::vector<std::string>& lists) {
    for (const std::string& list : lists)
      for (std::size_t from = 0, to = 0; to != list.npos; from = to + 1) {
        to = list.find(',', from);
        names.push_back(list.substr(from, to == list.npos ? to : to - from));
        if (names.back().empty()) throw CLI::ValidationError(name, fmt::format("'{}' lacks a name", list));
      }
  };
  return app.add_option_function<std::vector<std::string>>(name, set, help)
      ->allow_extra_args(false)
      ->type_name("NAMES");
}

/// An option without its value is a mistake, often a variable of a script that is not set.
void require_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw Error(fmt::format("{}: a value is missing", option->get_name()));
  for (const CLI::App* command : app.get_subcommands()) require_values(*command);
}

/// What stays of a command line for a run that goes on: which cells, and how they are measured.
constexpr std::array request_groups{"Selection", "Axes", "Measuring"};

std::string request_of(const CLI::App& app, const std::vector<std::string>& benchmark_flags) {
  nlohmann::json request = benchmark_flags;
  for (const CLI::Option* option : app.get_options())
    if (std::ranges::find(request_groups, option->get_group()) != request_groups.end())
      for (const std::string& value : option->results())
        request.push_back(fmt::format("{}={}", option->get_name(), value));
  return request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// `arguments`, behind what the request of an earlier run has beyond them.
std::vector<std::string> resumed(const std::string& request, const std::vector<std::string>& arguments) {
  const auto name = [](const std::string& argument) { return argument.substr(0, argument.find('=')); };
  std::set<std::string> given;
  for (const std::string& argument : arguments) given.insert(name(argument));
  std::vector<std::string> all;
  for (const nlohmann::json& argument : nlohmann::json::parse(request))
    if (!given.contains(name(argument))) all.push_back(argument);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

/// Loads what --load names, ahead of all else: the names that other options take, and the axes, may come from there.
void load_modules(const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::string> paths;
  double hang_limit = Options().hang_limit;
  app.add_option("--load", paths)->allow_extra_args(false);
  add_number(app, "--hang-limit", hang_limit, 0.1, 86400.0, "");
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError&) {
    return;  // the whole command line will not parse, either, and then there is more to say
  }
  for (const std::string& path : paths) load_module(path, hang_limit);
}

/// What options take that name something, by the options' names: of variants, those that `filter` leaves.
std::map<std::string, std::vector<std::string>> known_values(const Filter& filter) {
  const auto is_left = [](const std::vector<std::string>& asked, const std::string& name) {
    return asked.empty() || std::ranges::find(asked, name) != asked.end();
  };
  std::map<std::string, std::set<std::string>> sets;
  const Registry& registry = Registry::instance();
  for (const auto& backend : registry.backends()) sets["backend"].insert(backend->name());
  for (const auto& [id, variant] : registry.variants()) {
    if (!is_left(filter.backends, variant.backend) || !is_left(filter.experiments, variant.experiment)) continue;
    sets["variant"].insert(variant.name);
    for (const Tuning& tuning : variant.tunings)
      if (!tuning.values.empty()) sets["tuning"].insert(tuning.name());
  }
  for (const auto& [name, experiment] : registry.experiments()) {
    sets["experiment"].insert(name);
    for (const Axis& axis : experiment.axes)
      for (const Value& value : axis.allowed) sets[axis.name].insert(to_string(value));
  }
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& [name, set] : sets) values[name].assign(set.begin(), set.end());
  return values;
}

/// What a line that is being typed has selected so far; nothing where that cannot be told.
Filter selected_by(const std::string& line) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Filter filter;
  add_names(app, "--backend", filter.backends, "");
  add_names(app, "--experiment", filter.experiments, "");
  try {
    app.parse(line.substr(0, line.rfind(' ')), true);
  } catch (const CLI::ParseError&) {
    return {};
  }
  return filter;
}

/// `is_whole`: it has the request of the run that it goes on with, if it does.
Options parse(const std::vector<std::string>& all, bool is_whole) {
  Options options;
  options.program = all.front();
  options.arguments = all;
  std::vector<std::string> arguments;
  for (std::size_t i = 1; i < all.size(); ++i)
    (all[i].starts_with("--benchmark_") ? options.benchmark_flags : arguments).push_back(all[i]);

  // What completion files of shells call, with the line so far in the environment. All else are words of that line.
  const char* const line = std::getenv("COMP_LINE");
  const bool complete = line && !arguments.empty() && arguments.front() == "--complete";
  if (!complete) load_modules(arguments);

  CLI::App app("What a GPU kernel idea is worth, and what it costs to write it portably.", "bench");
  app.footer(
      "Without arguments: every experiment at its default points on the best backend here.\n"
      "Values on an axis: 4096, 2^20, 1024*65535, 2^20-1, lists 1,2,3 and ranges 2^20:2^30:x4 or 0:1000:+100.\n"
      "Anything of Google Benchmark's own (--benchmark_repetitions=5, --benchmark_filter=…) passes through.\n"
      "bench --help counters explains each hardware counter.\n"
      "Exit codes: 0 done; 1 something was wrong, failed or implausible, or compare found it slower; 2 the request\n"
      "cannot be met; 130 Ctrl-C ended it.");
  app.set_version_flag("--version", fmt::format("crosswarp {}, commit {}, {}", version(), commit(), build_type()),
                       "Which crosswarp this is");
  Filter& filter = options.filter;
  add_names(app, "--backend", filter.backends, "Comma-separated; interleaved and compared at each point")
      ->group("Selection");
  add_names(app, "--experiment", filter.experiments, "Comma-separated")->group("Selection");
  add_names(app, "--variant", filter.variants, "Comma-separated")->group("Selection");
  add_names(app, "--tuning", filter.tunings, "Tunings in place of the defaults, or 'all'")->group("Selection");
  app.add_option("--load", options.modules,
                 "Variants of your own: a module, see docs/your_kernel.md; may be given several times")
      ->allow_extra_args(false)
      ->type_name("FILE")
      ->group("Selection");
  std::map<std::string, std::string> meanings;
  for (const auto& [name, experiment] : Registry::instance().experiments())
    for (const Axis& axis : experiment.axes) meanings.try_emplace(axis.name, axis.meaning);
  std::map<std::string, std::string> axes;
  for (const auto& [name, meaning] : meanings)
    app.add_option("--" + name, axes[name], meaning)->type_name("VALUES")->group("Axes");

  bool cold = false, hot = false, single = false, stream = false, graph = false, list = false, dry_run = false,
       verify = false;
  app.add_flag("--cold", cold, "Caches flushed, then k launches on k distinct inputs as one sample (default)")
      ->group("Measuring");
  app.add_flag("--hot", hot, "k launches on the same input")->group("Measuring");
  app.add_flag("--single", single, "One launch behind a cache flush")->group("Measuring");
  app.add_flag("--stream", stream, "Launches enqueued one by one (default)")->group("Measuring");
  app.add_flag("--graph", graph,
               "The k launches of a sample captured once, and enqueued as one graph. With --stream: both")
      ->group("Measuring");
  StopRule& stop = options.run.stop;
  add_number(app, "--min-time", stop.min_time, 0.0, 3600.0, "Device seconds after which a cell is done")
      ->type_name("S")
      ->group("Measuring");
  add_number<std::size_t>(app, "--placements", stop.placements, 1, 1000,
                          "Fresh allocations over which samples are spread")
      ->type_name("N")
      ->group("Measuring");
  add_number(app, "--time-limit", stop.time_limit, 0.0, 3600.0, "Wall seconds after which a cell is cut off")
      ->type_name("S")
      ->group("Measuring");
  add_number<std::size_t>(app, "--device", options.run.device, 0, 1000,
                          "Place in each backend's list of devices; see bench devices")
      ->type_name("N")
      ->group("Measuring");
  add_number<std::uint64_t>(app, "--seed", options.run.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                            "Seed of the inputs")
      ->type_name("N")
      ->group("Measuring");
  std::string counters;
  app.add_flag("--counters{all}", counters,
               "After the run, hardware counters of each cell; --counters=memory,stalls: some groups of them")
      ->type_name("GROUPS")
      ->group("Measuring");
  app.add_option("--json", options.json, "Results in Google Benchmark's format, and a journal beside them")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--resume", options.resume,
                 "Goes on with an interrupted run: keeps the cells in this file or its journal, runs the rest of what\n"
                 "that run was asked for; flags given here replace that run's")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--csv", options.csv, "Results as one flat table")->type_name("FILE")->group("Output");
  app.add_flag("-f,--force-overwrite", options.force_overwrite, "--json and --csv replace files that exist")
      ->group("Output");
  app.add_flag("--accuracy", options.accuracy,
               "Also errors against float64 on general inputs (uniform, positive, ill-conditioned), in ulps; with\n"
               "--verify in place of times")
      ->group("Measuring");
  app.add_flag("-q,--quiet", options.quiet, "No progress line")->group("Output");
  add_number(app, "--hang-limit", options.hang_limit, 0.1, 86400.0,
             "Seconds without a sign of life after which a cell, or a module that is loaded, has failed")
      ->type_name("S")
      ->group("Faults");
  app.add_flag("--in-process", options.in_process,
               "No worker processes: for debuggers. A cell that faults ends the run")
      ->group("Faults");
  app.add_option("--worker", options.worker, "")->group("");  // how this program starts itself
  app.add_flag("--list", list, "What there is; touches no device. With --json FILE: as JSON")
      ->group("Instead of running");
  app.add_flag("--dry-run", dry_run, "What would run, and what would be skipped")->group("Instead of running");
  app.add_flag("--verify", verify, "Correctness only")->group("Instead of running");
  app.add_option("--profile", options.profile,
                 "Launches one cell alone, a few times, for a profiler; its id as in --dry-run")
      ->type_name("ID")
      ->group("Instead of running");

  CLI::App* devices = app.add_subcommand("devices", "What this machine has and what each backend sees of it");
  bool measure = false;
  devices->add_flag(
      "--measure", measure,
      "Also measures what their parts reach (under 20 s a device), and keeps it as the 'measured peak' of\n"
      "later runs");
  CLI::App* report = app.add_subcommand("report", "A page, tables or a drawing from the JSON of earlier runs");
  report->footer(
      "bench report out.json... -o report.html: one page that needs no network, with charts by plotly.\n"
      "bench report out.json: tables in Markdown. bench report --experiment reduce_sum out.json -o ladder.svg: for\n"
      "pages, by gnuplot. docs/report.md says how to read them.");
  report->add_option("FILE", options.report.inputs, "Results that --json wrote")->required();
  report
      ->add_option(
          "--format", options.report.format,
          "html, md, svg, or findings (what follows from several points); by default what the output's name ends\n"
          "in, else md")
      ->type_name("NAME");
  report->add_option("-o,--output", options.report.output, "Where to, in place of standard output")->type_name("FILE");
  add_names(*report, "--experiment", options.report.selection.experiments, "Only these, comma-separated");
  add_names(*report, "--backend", options.report.selection.backends, "Only these, comma-separated");
  CompareOptions& comparison = options.comparison;
  CLI::App* compare = app.add_subcommand("compare", "Two runs: faster, slower or within noise; or backends of one run");
  compare->footer(
      "bench compare old.json new.json: every cell that is in both. Exit code 1 where one is slower, or is wrong,\n"
      "failed or implausible and was not before.\n"
      "bench compare --backends cuda,kokkos out.json: the fastest rungs at each point. Exit code 0.");
  compare->add_option("FILE", comparison.inputs, "Results that --json wrote: of the old run and the new one, or of one")
      ->required();
  add_names(*compare, "--backends", comparison.backends,
            "Within one file: the first against the others, each by its fastest rung; a rung as cuda/float4");
  add_percent(*compare, "--threshold", comparison.threshold, "Least change of a time that counts");
  add_percent(*compare, "--coarse-threshold", comparison.coarse_threshold,
              "The same for times taken on the host, and where placements are too few to be tested");
  compare->add_flag("--all", comparison.all, "Cells within noise, too; with --backends every rung of the others");
  std::string compare_format = "text";
  compare->add_option("--format", compare_format, "Aligned text or Markdown")
      ->check(CLI::IsMember({"text", "md"}))
      ->capture_default_str();
  compare->add_option("-o,--output", comparison.output, "Where to, in place of standard output")->type_name("FILE");
  app.require_subcommand(0, 1);
  bool manual = false;
  app.add_flag("--man", manual)->group("");  // the man page, for the installation

  options.action = Options::Action::nothing;
  if (complete) {
    for (const std::string& word : completions(app, known_values(selected_by(line)), line)) std::cout << word << "\n";
    return options;
  }
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    if (app.remaining() == std::vector<std::string>{"counters"})
      print_counters();
    else
      std::cout << (app.get_subcommands().empty() ? &app : app.get_subcommands().front())->help();
    return options;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << "\n";
    return options;
  } catch (const CLI::ParseError& error) {
    throw Error(explain(app, error, arguments));
  }
  require_values(app);

  if (manual) {
    std::cout << man_page(app, version());
    return options;
  }

  for (const auto& [name, spec] : axes)
    if (app.count("--" + name)) options.filter.axes[name] = spec;
  if (cold) options.modes.push_back(Mode::cold);
  if (hot) options.modes.push_back(Mode::hot);
  if (single) options.modes.push_back(Mode::single);
  if (options.modes.empty()) options.modes.push_back(Mode::cold);
  if (stream || !graph) options.launch_by.push_back(LaunchBy::stream);
  if (graph) options.launch_by.push_back(LaunchBy::graph);
  const bool profile = !options.profile.empty();
  if (list + dry_run + verify + profile > 1)
    throw Error("--list, --dry-run, --verify and --profile exclude each other");
  if (graph && list + verify + profile > 0) throw Error("--graph: is for runs that time");
  const bool times = list + dry_run + verify + profile == 0 && app.get_subcommands().empty();
  for (const char* output : {"--json", "--csv", "--resume", "--counters"})
    if (app.count(output) && !times && !(list && output == std::string_view("--json")))
      throw Error(fmt::format("{}: is for runs that time{}", output,
                              output == std::string_view("--json") ? ", and for --list" : ""));
  if (!options.resume.empty() && !is_whole && options.worker.empty()) {
    std::vector<std::string> whole = resumed(read_request(options.resume), {all.begin() + 1, all.end()});
    whole.insert(whole.begin(), options.program);
    return parse(whole, true);
  }
  options.request = request_of(app, options.benchmark_flags);
  if (options.json.empty()) options.json = options.resume;
  if (!counters.empty()) options.counters = select_counters(counters);
  options.run.why_untimed = profiler_attached();
  if (compare->parsed()) {
    if (compare_format == "md") comparison.format = Page::Format::markdown;
    if (comparison.backends.empty() && comparison.inputs.size() != 2)
      throw Error("compare: needs the results of two runs, or --backends and those of one");
    if (!comparison.backends.empty() && comparison.inputs.size() != 1)
      throw Error("compare: --backends are compared within the results of one run");
    if (comparison.backends.size() == 1) throw Error("compare: --backends needs two of them");
  }
  using Action = Options::Action;
  options.action = measure             ? Action::measure
                   : devices->parsed() ? Action::devices
                   : report->parsed()  ? Action::report
                   : compare->parsed() ? Action::compare
                   : list              ? Action::list
                   : dry_run           ? Action::dry_run
                   : verify            ? Action::verify
                   : profile           ? Action::profile
                                       : Action::run;
  return options;
}

}  // namespace

Options parse(int argc, char** argv) { return parse({argv, argv + argc}, false); }

}  // namespace crosswarp
