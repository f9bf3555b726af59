// The command line. Axis flags come from the experiments that are linked in.
#include "bench/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "bench/ceilings.hpp"
#include "bench/listing.hpp"
#include "bench/load.hpp"
#include "bench/manual.hpp"
#include "bench/profiler.hpp"
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

/// A share in per cent, with or without the sign, as a fraction.
void add_percent(CLI::App& app, const std::string& name, double& fraction, const std::string& help) {
  app.add_option_function<double>(
         name, [&fraction](double percent) { fraction = percent / 100; }, help)
      ->transform([](std::string text) {
        if (text.ends_with('%')) text.pop_back();
        return text;
      })
      ->check(CLI::Range(0.0, 1000.0).description(""))
      ->default_str(fmt::format("{:g}", 100 * fraction))
      ->type_name("PERCENT");
}

/// Loads what --load names, ahead of all else: the names that other options take, and the axes, may come from there.
void load_modules(const std::vector<std::string>& arguments) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::string> paths;
  app.add_option("--load", paths)->allow_extra_args(false);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError&) {
    return;  // the whole command line will not parse, either, and then there is more to say
  }
  for (const std::string& path : paths) load_module(path);
}

/// What options take that name something, by the options' names.
std::map<std::string, std::vector<std::string>> known_values() {
  std::map<std::string, std::set<std::string>> sets;
  const Registry& registry = Registry::instance();
  for (const auto& backend : registry.backends()) sets["backend"].insert(backend->name());
  for (const auto& [id, variant] : registry.variants()) {
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

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  options.program = argv[0];
  options.arguments.assign(argv, argv + argc);
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i)
    (std::string_view(argv[i]).starts_with("--benchmark_") ? options.benchmark_flags : arguments).push_back(argv[i]);

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
  app.add_option("--backend", options.filter.backends, "Comma-separated; interleaved and compared at each point")
      ->delimiter(',')
      ->type_name("NAMES");
  app.add_option("--experiment", options.filter.experiments, "Comma-separated")->delimiter(',')->type_name("NAMES");
  app.add_option("--variant", options.filter.variants, "Comma-separated")->delimiter(',')->type_name("NAMES");
  app.add_option("--tuning", options.filter.tunings, "Tunings in place of the defaults, or 'all'")
      ->delimiter(',')
      ->type_name("NAMES");
  std::vector<std::string> modules;
  app.add_option("--load", modules,
                 "Variants of your own: a module, see docs/your_kernel.md; may be given several times")
      ->allow_extra_args(false)
      ->type_name("FILE");
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
  app.add_option("--min-time", options.run.stop.min_time, "Device seconds after which a cell is done")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0).description(""))
      ->type_name("S")
      ->group("Measuring");
  app.add_option("--placements", options.run.stop.placements, "Fresh allocations over which samples are spread")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->group("Measuring");
  app.add_option("--time-limit", options.run.stop.time_limit, "Wall seconds after which a cell is cut off")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0).description(""))
      ->type_name("S")
      ->group("Measuring");
  app.add_option("--device", options.run.device, "Place in each backend's list of devices; see bench devices")
      ->capture_default_str()
      ->type_name("N")
      ->group("Measuring");
  app.add_option("--seed", options.run.seed, "Seed of the inputs")
      ->capture_default_str()
      ->type_name("N")
      ->group("Measuring");
  app.add_option("--json", options.json, "Results in Google Benchmark's format, and a journal beside them")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--resume", options.resume,
                 "Keeps the cells that an interrupted run left in this file or its journal, and runs the rest")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--csv", options.csv, "Results as one flat table")->type_name("FILE")->group("Output");
  std::string counters;
  app.add_flag("--counters{all}", counters,
               "After the run, hardware counters of each cell; --counters=memory,stalls: some groups of them")
      ->type_name("GROUPS")
      ->group("Output");
  app.add_flag("--accuracy", options.accuracy,
               "Also errors against float64 on general inputs (uniform, positive, ill-conditioned), in ulps; with\n"
               "--verify in place of times")
      ->group("Output");
  app.add_flag("-q,--quiet", options.quiet, "No progress line")->group("Output");
  app.add_option("--hang-limit", options.hang_limit, "Seconds without a sign of life after which a cell has failed")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0).description(""))
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
  report->add_option("--experiment", options.report.selection.experiments, "Only these, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  report->add_option("--backend", options.report.selection.backends, "Only these, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  CompareOptions& comparison = options.comparison;
  CLI::App* compare = app.add_subcommand("compare", "Two runs: faster, slower or within noise; or backends of one run");
  compare->footer(
      "bench compare old.json new.json: every cell that is in both. Exit code 1 where one is slower, or is wrong,\n"
      "failed or implausible and was not before.\n"
      "bench compare --backends cuda,kokkos out.json: the fastest rungs at each point. Exit code 0.");
  compare->add_option("FILE", comparison.inputs, "Results that --json wrote: of the old run and the new one, or of one")
      ->required();
  compare
      ->add_option("--backends", comparison.backends,
                   "Within one file: the first against the others, each by its fastest rung; a rung as cuda/float4")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
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
    for (const std::string& word : completions(app, known_values(), line)) std::cout << word << "\n";
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
  } catch (const CLI::ParseError& error) {
    throw Error(explain(app, error, arguments));
  }

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
  if (!options.resume.empty() && list + dry_run + verify + profile > 0) throw Error("--resume: is for runs that time");
  if (options.json.empty()) options.json = options.resume;
  if (!counters.empty()) options.counters = select_counters(counters);
  options.run.why_untimed = profiler_attached();
  options.run.ceilings = read_ceilings();
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

}  // namespace crosswarp
