// One function per group of options and per subcommand. Axis options come from the linked experiments.
#include "bench/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/google_benchmark.hpp"
#include "bench/help.hpp"
#include "bench/manual.hpp"
#include "bench/version.hpp"
#include "core/error.hpp"
#include "core/names.hpp"
#include "core/processes.hpp"
#include "core/ranks.hpp"

namespace crosswarp {
namespace {

constexpr const char* axis_group = "Axes";

/// What is wrong with the number of an option's values; empty for nothing.
std::string wrong_count(const CLI::Option& option, const std::vector<std::string>& arguments) {
  const std::vector<std::string>& values = option.results();
  if (option.get_items_expected_max() == 1 && values.size() > 1) {
    const std::string name = option.get_name();
    const std::string times = values.size() == 2 ? "twice" : fmt::format("{} times", values.size());
    if (option.get_group() != axis_group) return fmt::format("{} is given {}", name, times);
    return fmt::format("{} is given {}; write {} {}", name, times, name, fmt::join(values, ","));
  }
  for (const std::string& argument : arguments)
    if (const auto equals = argument.find('=');
        equals != argument.npos && option.get_disable_flag_override() && option.check_name(argument.substr(0, equals)))
      return fmt::format("{} takes no value", argument.substr(0, equals));
  return {};
}

/// CLI11's message, or a better one for a mistyped flag and for too many values.
std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const CLI::App* command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
    std::vector<std::string> known;
    for (const CLI::Option* option : command->get_options()) {
      for (const auto& name : option->get_lnames()) known.push_back("--" + name);
      for (const auto& name : option->get_snames()) known.push_back("-" + name);
    }
    if (command != &app && command->get_fallthrough())
      for (const CLI::Option* option : app.get_options())
        for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    std::vector<std::string> subcommands;
    for (const CLI::App* sub : command->get_subcommands([](const CLI::App*) { return true; }))
      subcommands.push_back(sub->get_name());
    known.insert(known.end(), subcommands.begin(), subcommands.end());
    for (const std::string& argument : arguments) {
      const std::string name = argument.substr(0, argument.find('='));
      if (name.starts_with("-") && std::find(known.begin(), known.end(), name) == known.end())
        return fmt::format("{}: {}", name, did_you_mean(name, known));
    }
    if (const std::vector<std::string> left = app.remaining(); command == &app && !left.empty())
      return fmt::format("subcommand {}: {}", left.front(), did_you_mean(left.front(), subcommands));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    std::vector<const CLI::Option*> options = app.get_options();
    for (const CLI::App* command : app.get_subcommands())
      for (const CLI::Option* option : command->get_options()) options.push_back(option);
    for (const CLI::Option* option : options)
      if (const std::string wrong = wrong_count(*option, arguments); !wrong.empty()) return wrong;
  }
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Parses all of `text` as a number from `least` to `most`; rejects NaN and infinity.
template <class T>
T number(const std::string& name, std::string_view text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return value;
  throw CLI::ValidationError(name, fmt::format("'{}' is not a number from {} to {}", text, least, most));
}

/// Parses a time with its unit, as 90s, 5m or 1h; seconds without one.
double duration(const std::string& name, const std::string& text) {
  const std::string_view units = "smh";
  const auto unit = text.empty() ? units.npos : units.find(text.back());
  const double factor = unit == 1 ? 60 : unit == 2 ? 3600 : 1;
  try {
    return factor * number(name, std::string_view(text).substr(0, text.size() - (unit != units.npos)), 1.0, 1e6);
  } catch (const CLI::ValidationError&) {
    throw CLI::ValidationError(name, fmt::format("'{}' is not a time of 1 s or more, as 90s, 5m or 1h", text));
  }
}

/// Parses device indices as 0,1: two or more, each once.
std::vector<std::size_t> device_list(const std::string& text) {
  const std::string name = "--devices";
  std::vector<std::size_t> devices;
  std::string_view left = text;
  for (std::size_t comma = 0; comma != left.npos; left.remove_prefix(comma == left.npos ? 0 : comma + 1)) {
    comma = left.find(',');
    devices.push_back(number<std::size_t>(name, left.substr(0, comma), 0, 1000));
    if (std::ranges::count(devices, devices.back()) > 1)
      throw CLI::ValidationError(name, fmt::format("'{}' names device {} twice", text, devices.back()));
  }
  if (devices.size() < 2 || devices.size() > most_ranks)
    throw CLI::ValidationError(name, fmt::format("'{}' names {} device{}; 2 to {} can be ranks{}", text, devices.size(),
                                                 devices.size() == 1 ? "" : "s", most_ranks,
                                                 devices.size() == 1 ? ", and --device chooses one" : ""));
  return devices;
}

/// Adds a flag without a value.
CLI::Option* add_flag(CLI::App& app, const std::string& name, bool& is_given, const std::string& help) {
  return app.add_flag(name, is_given, help)->disable_flag_override();
}

/// Adds an option that takes a number.
template <class T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value, T least, T most, const std::string& help) {
  const auto set = [&value, name, least, most](const std::string& text) { value = number(name, text, least, most); };
  return app.add_option_function<std::string>(name, set, help)->default_str(fmt::format("{}", value));
}

/// Adds an option that takes a percentage, with or without the sign, stored as a fraction.
void add_percent(CLI::App& app, const std::string& name, double& fraction, const std::string& help) {
  const auto set = [&fraction, name](std::string_view text) {
    if (text.ends_with('%')) text.remove_suffix(1);
    fraction = number(name, text, 0.0, 1000.0) / 100;
  };
  app.add_option_function<std::string>(name, set, help)
      ->default_str(fmt::format("{:g}", 100 * fraction))
      ->type_name("PERCENT");
}

/// Adds an option that takes a comma-separated list of names.
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

/// Rejects empty values: often an unset variable in a script.
void require_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw Error(fmt::format("{}: a value is missing", option->get_name()));
  for (const CLI::App* command : app.get_subcommands()) require_values(*command);
}

/// The value of --resume without a file.
constexpr const char* last_run_value = "the last run";

/// The option groups that --resume repeats.
constexpr std::array request_groups{"Selection", axis_group, "Measuring"};
/// Of these groups, beside axes, what --experiment overrides, too.
constexpr std::array<std::string_view, 5> of_experiments{"--variant", "--tuning", "--random", "--all", "--cells"};
/// Of these groups, beside axes, what the names in --cells say.
constexpr std::array<std::string_view, 11> of_names{"--backend", "--experiment", "--variant", "--tuning",
                                                    "--random",  "--all",        "--cold",    "--hot",
                                                    "--single",  "--stream",     "--graph"};

bool is_in_names(const CLI::Option& option) {
  return option.get_group() == axis_group || std::ranges::find(of_names, option.get_name()) != of_names.end();
}

std::string request_of(const CLI::App& app, const std::vector<std::string>& benchmark_flags) {
  nlohmann::json request = benchmark_flags;
  for (const CLI::App* command : app.get_subcommands())
    if (command->get_fallthrough()) request.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options())
    if (std::ranges::find(request_groups, option->get_group()) != request_groups.end())
      for (const std::string& value : option->results())
        request.push_back(fmt::format("{}={}", option->get_name(), value));
  return request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Values by option name, for completions. Variants and tunings: those that `filter` selects.
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

/// The backends and experiments in a line that is being typed; none if it does not parse.
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

/// The line that a shell asks to complete; null outside of completion.
const char* line_to_complete(const std::vector<std::string>& arguments) {
  return arguments.size() > 1 && arguments[1] == "--complete" ? std::getenv("COMP_LINE") : nullptr;
}

/// The definition of all options and subcommands: --help, the manual and completions derive from it.
class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Parses what stands behind the program. Throws CLI::ParseError.
  void parse(const std::vector<std::string>& arguments);
  /// Checks combinations of options and completes `options`. Throws Error.
  void conclude();

  CLI::App app{"Times GPU kernels, and what their portable versions cost.", "bench"};
  Options options;
  bool manual = false;

 private:
  void add_selection();
  void add_axes();
  void add_measuring();
  void add_output();
  void add_faults();
  void add_actions();
  void add_tune();
  void add_devices();
  void add_report();
  void add_store();
  void add_compare();
  void conclude_run();
  void conclude_tune(bool times);
  void conclude_report();
  void conclude_compare();

  std::map<std::string, std::string> axes_;  // values by axis
  bool all_ = false, cold_ = false, hot_ = false, single_ = false, stream_ = false, graph_ = false;
  std::size_t random_ = 0;
  bool list_ = false, dry_run_ = false, verify_ = false, measure_ = false;
  std::string counters_, compare_format_ = "text";
  CLI::App *tune_ = nullptr, *devices_ = nullptr, *report_ = nullptr, *compare_ = nullptr, *store_ = nullptr;
};

CommandLine::CommandLine() {
  app.formatter(help_formatter());  // of subcommands, too
  app.footer(
      "Without a selection: a tour of up to 60 s, each experiment at one point, with each backend's first, fastest and "
      "library variants, on all backends of the first GPU, else of the host. --all: every variant at every default "
      "point, on the first backend with a GPU, else on all of the host's; takes minutes to an hour, and says so.\n"
      "VALUES of an axis: 4096, 2^20, 1024*65535, 2^20-1, lists 1,2,3, ranges 2^20:2^30:x4 or 0:1000:+100.\n"
      "Google Benchmark's flags (--benchmark_repetitions=5, --benchmark_filter=…, --benchmark_format=json) work, too.\n"
      "bench --help EXPERIMENT lists an experiment's axes; bench --help counters explains each hardware counter; bench "
      "SUBCOMMAND --help a subcommand.\n"
      "In tables: of peak: share of the device's measured peak, or (th.) of its theoretical one; bound by: what limits "
      "the variant; × parent, "
      "× library, × other: times as fast as the variant that it improves on, as the fastest vendor library, as the "
      "fastest variant of the other backend (above 1 is faster); !: wrong, failed, implausible or slower.\n"
      "Exit codes: 0 done; 1 a row is wrong, failed or implausible, or slower (compare); 2 the request cannot be met; "
      "128 + N signal N (Ctrl-C: 130).");
  app.set_version_flag("--version", fmt::format("crosswarp {}, commit {}, {}", version(), commit(), build_type()),
                       "Version, commit and build type");
  app.require_subcommand(0, 1);
  add_flag(app, "--man", manual, "")->group("");  // for the installation
  app.add_option("--worker", options.worker, "")->group("");
  add_selection();
  add_axes();
  add_measuring();
  add_output();
  add_faults();
  add_actions();
  add_tune();
  add_devices();
  add_report();
  add_store();
  add_compare();
}

void CommandLine::add_selection() {
  Filter& filter = options.filter;
  add_names(app, "--backend", filter.backends, "Backends, comma-separated: timed side by side at each point")
      ->group("Selection");
  add_names(app, "--experiment", filter.experiments, "Experiments, comma-separated")->group("Selection");
  add_names(app, "--variant", filter.variants, "Variants, comma-separated")->group("Selection");
  add_flag(app, "--all", all_, "All experiments and variants at their default points, instead of the tour")
      ->group("Selection");
  add_names(app, "--tuning", filter.tunings, "Tunings, comma-separated, or 'all' (default: each variant's first)")
      ->group("Selection");
  add_number<std::size_t>(app, "--random", random_, 1, 4096,
                          "Number of random points of each experiment, by --seed, in place of its default ones: "
                          "sizes log-uniform; half of a product's are multiples of 8")
      ->type_name("N")
      ->default_str("")
      ->group("Selection");
  app.add_option("--cells", options.cells,
                 "File of cells, a name of results per line (cuda/reduce_sum/float4/n:1024/type:f32/cold), in place of "
                 "other selections")
      ->type_name("FILE")
      ->group("Selection");
  app.add_option("--load", options.modules, "Module with variants of your own (docs/your_kernel.md); repeatable")
      ->allow_extra_args(false)
      ->type_name("FILE")
      ->group("Selection");
}

void CommandLine::add_axes() {
  std::map<std::string, std::string> meanings;
  for (const auto& [name, experiment] : Registry::instance().experiments())
    for (const Axis& axis : experiment.axes) meanings.try_emplace(axis.name, axis.meaning);
  for (const auto& [name, meaning] : meanings)
    app.add_option("--" + name, axes_[name], meaning)->type_name("VALUES")->group(axis_group);
}

void CommandLine::add_measuring() {
  add_flag(app, "--cold", cold_, "Flush caches, then time k launches on k distinct inputs as one sample (default)")
      ->group("Measuring");
  add_flag(app, "--hot", hot_, "Time k launches on one input")->group("Measuring");
  add_flag(app, "--single", single_, "Flush caches, then time one launch")->group("Measuring");
  add_flag(app, "--stream", stream_, "Enqueue launches one by one (default)")->group("Measuring");
  add_flag(app, "--graph", graph_, "Capture the k launches of a sample into a graph. With --stream: both")
      ->group("Measuring");
  StopRule& stop = options.run.stop;
  add_number(app, "--min-time", stop.min_time, 0.0, 3600.0, "Device time after which a cell is done, in seconds")
      ->type_name("S")
      ->group("Measuring");
  add_number<std::size_t>(app, "--placements", stop.placements, 1, 1000,
                          "Number of allocations at fresh addresses, over which samples are spread")
      ->type_name("N")
      ->group("Measuring");
  add_number(app, "--time-limit", stop.time_limit, 0.0, 3600.0, "Wall time after which a cell is cut off, in seconds")
      ->type_name("S")
      ->group("Measuring");
  app.add_option_function<std::string>(
         "--budget", [this](const std::string& text) { options.budget = duration("--budget", text); },
         "Wall time for the whole run, as 90s, 5m or 1h: fewer samples, and points that take too long are left out")
      ->type_name("TIME")
      ->group("Measuring");
  add_number<std::size_t>(app, "--device", options.run.device, 0, 1000, "Device index; see bench devices")
      ->type_name("N")
      ->group("Measuring");
  app.add_option_function<std::string>(
         "--devices", [this](const std::string& list) { options.run.devices = device_list(list); },
         "Devices of the ranks of an experiment over several, as 0,1; as many ranks unless --ranks says fewer "
         "(default: the first ones)")
      ->excludes("--device")
      ->type_name("LIST")
      ->group("Measuring");
  add_number<std::uint64_t>(app, "--seed", options.run.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                            "Seed of the inputs, and of --random")
      ->type_name("N")
      ->group("Measuring");
  app.add_flag("--counters{all}", counters_,
               "Read hardware counters of each cell after timing: all, or groups, as --counters=memory,stalls")
      ->type_name("GROUPS")
      ->group("Measuring");
  add_flag(
      app, "--energy", options.energy,
      "Measure joules and watts of each cell after timing, by the GPU's energy counter: back to back on one input, "
      "2 s a row")
      ->group("Measuring");
  add_number(app, "--energy-window", options.run.energy_window, 2.0, 3600.0, "Seconds a row of --energy")
      ->type_name("S")
      ->group("Measuring");
  add_flag(app, "--accuracy", options.accuracy,
           "Measure errors against float64 on general inputs (uniform, positive, ill-conditioned), in ulps; "
           "with --verify: instead of times")
      ->group("Measuring");
}

void CommandLine::add_output() {
  app.add_option("--json", options.json,
                 "Output file in Google Benchmark's JSON format; finished cells go to FILE.journal (default: one of "
                 "the last 20 in ~/.local/state/crosswarp/runs, where a link to FILE stands for it)")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--resume", options.resume,
                 "Continue an interrupted run: keep the cells in FILE or its journal, run the rest. Other options "
                 "override that run's; --experiment also its points and variants")
      ->expected(0, 1)
      ->default_str(last_run_value)
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--csv", options.csv, "Output file in CSV format")->type_name("FILE")->group("Output");
  add_flag(app, "-f,--force-overwrite", options.force_overwrite,
           "Replace existing files of --json, --csv and --benchmark_out")
      ->group("Output");
  add_flag(app, "-q,--quiet", options.quiet, "No progress line, no warnings of noise")->group("Output");
}

void CommandLine::add_faults() {
  add_number(app, "--hang-limit", options.hang_limit, 0.1, 86400.0,
             "Time without progress after which a cell, or the loading of a module, has failed, in seconds")
      ->type_name("S")
      ->group("Faults");
  add_flag(app, "--in-process", options.in_process, "No worker processes, for debuggers: a fault ends the run")
      ->group("Faults");
}

void CommandLine::add_actions() {
  add_flag(app, "--list", list_, "List variants, without opening a device. With --json FILE: as JSON")
      ->group("Instead of running");
  add_flag(app, "--dry-run", dry_run_, "List the cells that would run or be skipped")->group("Instead of running");
  add_flag(app, "--verify", verify_, "Check results without timing")->group("Instead of running");
  app.add_option("--profile", options.profile, "Launch one cell a few times for a profiler; ID as in --dry-run")
      ->type_name("ID")
      ->group("Instead of running");
}

void CommandLine::add_tune() {
  tune_ = app.add_subcommand("tune", "Search the fastest tuning of variants at each point");
  tune_->fallthrough();
  tune_->footer(
      "Takes the options of bench: --variant and --experiment, sizes or --random, --tuning for some tunings only, "
      "--min-time, --json, --resume …\n"
      "bench tune --backend cuda --experiment matmul_f32 --variant adaptive --random 16 --seed 7\n"
      "Short samples of all tunings, longer ones of the faster half, and so on. docs/tuning.md says who reads the "
      "table.");
  tune_
      ->add_option("-o,--output", options.tuning_output,
                   "File of the table, to which points are added (default: tunings.json in "
                   "~/.local/state/crosswarp, or $CROSSWARP_TUNINGS)")
      ->type_name("FILE");
}

void CommandLine::add_devices() {
  devices_ = app.add_subcommand("devices", "List the devices of each backend");
  devices_->footer("Rates are theoretical; with --measure, measured ones stand beside them.");
  add_flag(*devices_, "--measure", measure_,
           "Measure the rates of each device's parts (20 s per device), and keep them for later runs as "
           "'measured peak'");
}

void CommandLine::add_report() {
  ReportRequest& request = options.report;
  report_ = app.add_subcommand("report", "Make a page, tables or a figure from JSON results");
  report_->footer(
      "bench report -o report.html: a page with charts (plotly) of the last run, readable offline.\n"
      "bench report old.json new.json: tables; in Markdown unless on a terminal.\n"
      "bench report --experiment reduce_sum out.json -o ladder.svg: a figure.\n"
      "bench report --portability out.json: what Kokkos and other backends cost against CUDA, and why.\n"
      "bench report --check results/nvidia-h100: whether a folder is fit to be checked in. Exit code 1: it is not.\n"
      "docs/report.md explains them.");
  report_->add_option("FILE", request.inputs, "Results files of bench (default: the last run)")->type_name("");
  report_
      ->add_option(
          "--format", request.format,
          "html, md, svg, findings, text or json (default: by the output's extension; on a terminal text, else\n"
          "md)")
      ->type_name("NAME");
  report_->add_flag("--portability", request.portability,
                    "Table of other backends against the reference (CUDA, or the first of --backend): times, ratio of\n"
                    "the best and of the same algorithm, class of the gap and why; as md or text");
  report_->add_option("--point", request.points, "With --portability: a point, as reduce_sum/n:1024; repeatable")
      ->allow_extra_args(false)
      ->type_name("POINT")
      ->needs("--portability");
  report_
      ->add_flag("--all", request.all,
                 "With --portability: every point, not the widest, median and narrowest gap of each experiment")
      ->needs("--portability")
      ->excludes("--point");
  report_->add_flag("--widest", request.with_widest, "With --point: the widest gap of each experiment, too")
      ->needs("--point");
  report_
      ->add_flag(
          "--check", request.check,
          "Check a folder of results, which stands for FILE: complete, of one commit and device, plausible, with\n"
          "its whole context; a line per finding")
      ->excludes("--portability")
      ->excludes("--format");
  add_flag(*report_, "--without-throttled", request.selection.without_throttled,
           "Leave out rows whose samples were taken while the GPU was slowed down for power or heat");
  report_->add_option("-o,--output", request.output, "Output file (default: stdout)")->type_name("FILE");
  add_names(*report_, "--experiment", request.selection.experiments, "Experiments, comma-separated (default: all)");
  add_names(*report_, "--backend", request.selection.backends, "Backends, comma-separated (default: all)");
}

void CommandLine::add_store() {
  store_ = app.add_subcommand("store", "Make result files small, to keep them in a repository");
  store_->footer(
      "bench store results/nvidia-h200/*.json: each in its place, in a tenth of the bytes: what was measured, once, "
      "and "
      "the samples of out.json in out.samples.xz. What follows from these is left out, and computed by report, compare "
      "and --resume, which read such files as they read others. bench report --format json out.json prints all "
      "fields.");
  store_->add_option("FILE", options.to_store, "Results files of bench")->type_name("")->required();
}

void CommandLine::add_compare() {
  CompareOptions& comparison = options.comparison;
  compare_ = app.add_subcommand("compare", "Compare two runs, or the backends of one run");
  compare_->footer(
      "bench compare old.json new.json: all cells that both files have, faster, slower or within noise. Exit code 1: "
      "a cell became slower, wrong, failed or implausible. Without files: the last two runs.\n"
      "bench compare --backends cuda,kokkos out.json: the fastest rungs at each point. Exit code 0.");
  compare_
      ->add_option("FILE", comparison.inputs,
                   "Results files of bench: the old and the new one (default: the last run and the one before with a "
                   "cell of it); with --backends one (default: the last run)")
      ->type_name("");
  add_names(*compare_, "--backends", comparison.backends,
            "Compare the first backend with the others, by the fastest rung of each; or a rung, as cuda/float4");
  add_percent(*compare_, "--threshold", comparison.threshold, "Least change of time that counts, in %");
  add_percent(*compare_, "--coarse-threshold", comparison.coarse_threshold,
              "The same for times on the host, and for too few placements to test, in %");
  add_flag(*compare_, "--all", comparison.all,
           "Print cells within noise, too; with --backends: all rungs of the others");
  add_flag(*compare_, "--without-throttled", comparison.without_throttled,
           "Leave out rows whose samples were taken while the GPU was slowed down for power or heat");
  compare_->add_option("--format", compare_format_, "Format of the table")
      ->check(CLI::IsMember({"text", "md"}))
      ->capture_default_str()
      ->type_name("NAME");
  compare_->add_option("-o,--output", comparison.output, "Output file (default: stdout)")->type_name("FILE");
}

void CommandLine::parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 wants them so
  app.parse(reversed);
}

void CommandLine::conclude() {
  require_values(app);
  using Action = Options::Action;
  conclude_run();
  if (devices_->parsed()) options.action = measure_ ? Action::measure : Action::devices;
  if (report_->parsed()) conclude_report();
  if (compare_->parsed()) conclude_compare();
  if (store_->parsed()) options.action = Action::store;
}

void CommandLine::conclude_run() {
  using Action = Options::Action;
  for (const auto& [name, values] : axes_)
    if (app.count("--" + name)) options.filter.axes[name] = values;
  if (cold_) options.modes.push_back(Mode::cold);
  if (hot_) options.modes.push_back(Mode::hot);
  if (single_) options.modes.push_back(Mode::single);
  if (options.modes.empty()) options.modes.push_back(Mode::cold);
  if (stream_ || !graph_) options.launch_by.push_back(LaunchBy::stream);
  if (graph_) options.launch_by.push_back(LaunchBy::graph);
  if (const std::string seconds = options.benchmark_flag("--benchmark_min_time"); !seconds.empty()) {
    if (app.count("--min-time")) throw Error("--benchmark_min_time: is --min-time; give one of them");
    options.run.stop.min_time = number("--benchmark_min_time", seconds, 0.0, 3600.0);
  }
  const bool profile = !options.profile.empty();
  if (!options.cells.empty()) {
    if (list_ + profile > 0 || tune_->parsed()) throw Error("--cells: is for runs, --verify and --dry-run");
    for (const CLI::Option* option : app.get_options())
      if (option->count() > 0 && is_in_names(*option))
        throw Error(fmt::format("{}: the names in {} have that; leave it out", option->get_name(), options.cells));
  }
  if (list_ + dry_run_ + verify_ + profile > 1)
    throw Error("--list, --dry-run, --verify and --profile exclude each other");
  if (graph_ && list_ + verify_ + profile > 0) throw Error("--graph: is for runs that time");
  const bool selects = all_ || !options.cells.empty() || !options.filter.experiments.empty() ||
                       !options.filter.variants.empty() || !options.filter.tunings.empty() ||
                       !options.filter.axes.empty() || !options.modules.empty() ||
                       !options.benchmark_flag("--benchmark_filter").empty() ||
                       !options.benchmark_flag("--benchmark_list_tests").empty();
  const bool times = list_ + dry_run_ + verify_ + profile == 0 && (app.get_subcommands().empty() || tune_->parsed());
  for (const char* output : {"--json", "--csv", "--resume", "--counters", "--energy", "--budget"})
    if (app.count(output) && !times && !(list_ && output == std::string_view("--json")))
      throw Error(fmt::format("{}: is for runs that time{}", output,
                              output == std::string_view("--json") ? ", and for --list" : ""));
  options.tour = times && !selects;
  if (const auto& devices = options.run.devices; !devices.empty()) {
    if (options.tour && options.resume.empty()) throw Error("--devices: name an experiment over ranks by --experiment");
    for (const auto& [name, experiment] : Registry::instance().experiments())
      if (std::ranges::count(options.filter.experiments, name) > 0 &&
          std::ranges::none_of(experiment.axes, [](const Axis& axis) { return axis.name == "ranks"; }))
        throw Error(fmt::format("--devices: {} runs on one device, which --device chooses", name));
    options.run.device = devices.front();
  }
  options.run.processes = joined_processes();
  const std::size_t ranks = options.run.processes ? options.run.processes->size() : options.run.devices.size();
  if (ranks > 0) options.filter.axes.try_emplace("ranks", std::to_string(ranks));
  if (tune_->parsed()) conclude_tune(times);
  if (app.count("--random")) {
    if (list_ || profile) throw Error("--random: is for runs, --verify and --dry-run, which shows the points");
    if (options.tour && options.resume.empty())
      throw Error("--random: draws points of experiments; name them by --experiment");
    options.filter.random = RandomSample{random_, options.run.seed};
  }
  options.request = request_of(app, options.benchmark_flags);
  options.resumes_last_run = options.resume == last_run_value;
  if (options.resumes_last_run && std::ranges::find(options.arguments, "--resume") == options.arguments.end())
    throw Error("--resume: a value is missing");  // --resume=
  if (options.json.empty()) options.json = options.resume;
  if (!counters_.empty()) options.counters = select_counters(counters_);
  options.action = list_      ? Action::list
                   : dry_run_ ? Action::dry_run
                   : verify_  ? Action::verify
                   : profile  ? Action::profile
                              : Action::run;
}

void CommandLine::conclude_tune(bool times) {
  const auto refuse = [](const char* why) { throw Error(fmt::format("tune: {}", why)); };
  if (!times) refuse("times tunings; leave out --list, --dry-run, --verify and --profile");
  if (options.filter.variants.empty() && options.filter.experiments.empty() && options.modules.empty() &&
      options.resume.empty())
    refuse("name what to tune by --variant or --experiment");
  if (!options.benchmark_flag("--benchmark_repetitions").empty())
    refuse("--benchmark_repetitions: rounds are repetitions");
  options.tunes = true;
  options.tour = false;
  if (options.filter.tunings.empty()) options.filter.tunings = {"all"};
}

void CommandLine::conclude_report() {
  options.action = Options::Action::report;
  const ReportRequest& request = options.report;
  if (!request.check) return;
  if (request.inputs.size() != 1) throw Error("--check: needs one folder of results");
  for (const char* other : {"-o", "--experiment", "--backend", "--without-throttled"})
    if (report_->count(other)) throw Error(fmt::format("--check: checks a whole folder; leave out {}", other));
}

void CommandLine::conclude_compare() {
  CompareOptions& comparison = options.comparison;
  options.action = Options::Action::compare;
  if (compare_format_ == "md") comparison.format = Page::Format::markdown;
  const std::size_t files = comparison.inputs.size();
  if (comparison.backends.empty() && files != 0 && files != 2)
    throw Error("compare: needs the results of two runs, or --backends and those of one");
  if (!comparison.backends.empty() && files > 1)
    throw Error("compare: --backends are compared within the results of one run");
  if (comparison.backends.size() == 1) throw Error("compare: --backends needs two of them");
}

/// The topic of `--help`. Throws Error for another word.
const ExperimentEntry& experiment_named(const std::string& topic) {
  const auto& experiments = Registry::instance().experiments();
  if (const auto found = experiments.find(topic); found != experiments.end()) return found->second;
  std::vector<std::string> topics{"counters"};
  for (const auto& [name, experiment] : experiments) topics.push_back(name);
  throw Error(fmt::format("--help {}: {}", topic, did_you_mean(topic, topics)));
}

}  // namespace

std::string Options::benchmark_flag(std::string_view name) const {
  std::string value;
  for (const std::string& flag : benchmark_flags)
    if (flag.size() > name.size() && flag.starts_with(name) && flag[name.size()] == '=')
      value = flag.substr(name.size() + 1);
  return value;
}

ModuleRequest module_request(const std::vector<std::string>& arguments) {
  if (line_to_complete(arguments)) return {};
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  ModuleRequest request;
  app.add_option("--load", request.paths)->allow_extra_args(false);
  add_number(app, "--hang-limit", request.hang_limit, 0.1, 86400.0, "");
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend() - 1));
  } catch (const CLI::ParseError&) {
    return {};  // parse() will say more
  }
  return request;
}

Options parse(const std::vector<std::string>& arguments) {
  CommandLine line;
  Options& options = line.options;
  options.program = arguments.front();
  options.arguments = arguments;
  const auto print = [&](std::string text) {
    options.action = Options::Action::print_text;
    options.text = std::move(text);
    return options;
  };
  if (const char* const typed = line_to_complete(arguments)) {
    std::string words;
    for (const std::string& word : completions(line.app, known_values(selected_by(typed)), typed)) words += word + "\n";
    return print(words);
  }
  std::vector<std::string> own;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    (arguments[i].starts_with("--benchmark_") ? options.benchmark_flags : own).push_back(arguments[i]);
  check_google_flags(options.benchmark_flags);
  try {
    line.parse(own);
    if (line.manual) return print(man_page(line.app, version()));
    line.conclude();
    return options;
  } catch (const CLI::CallForHelp&) {
    const std::vector<std::string> topics = line.app.remaining();
    if (topics.empty() || topics.front().starts_with('-')) return print(line.app.help());
    if (topics.front() == "counters") {
      options.action = Options::Action::explain_counters;
      return options;
    }
    return print(help_of(experiment_named(topics.front())));
  } catch (const CLI::CallForVersion& version) {
    return print(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    throw Error(explain(line.app, error, own));
  }
}

std::vector<std::string> resumed(const std::vector<std::string>& arguments, const std::string& request) {
  const auto name = [](const std::string& argument) { return argument.substr(0, argument.find('=')); };
  std::set<std::string> given;
  for (const std::string& argument : arguments) given.insert(name(argument));
  const CommandLine line;
  const bool has_own_points = given.contains("--experiment"), has_own_cells = given.contains("--cells");
  const auto is_replaced = [&](const std::string& option) {
    const CLI::Option* known = line.app.get_option_no_throw(option);
    return (has_own_cells && known && is_in_names(*known)) ||
           (has_own_points && ((known && known->get_group() == axis_group) ||
                               std::ranges::find(of_experiments, option) != of_experiments.end()));
  };
  std::vector<std::string> all{arguments.front()};
  for (const nlohmann::json& argument : nlohmann::json::parse(request)) {
    const std::string option = name(argument);
    if (!given.contains(option) && !is_replaced(option)) all.push_back(argument);
  }
  all.insert(all.end(), arguments.begin() + 1, arguments.end());
  return all;
}

}  // namespace crosswarp
