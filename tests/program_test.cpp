// The command line: one-line errors, exit codes, outputs.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

const std::string bench = sibling("bench");

Finished run(const std::string& arguments) { return run_process(bench + " " + arguments); }

/// A free path; removed after the test.
class Temporary {
 public:
  explicit Temporary(const std::string& name) : path_(temporary_file(name)) {}
  ~Temporary() {
    fs::remove_all(path_);
    fs::remove(path_ + ".journal");
  }
  operator const std::string&() const { return path_; }

 private:
  std::string path_;
};

/// A quick run on the host alone.
const std::string quick = "-q --experiment reduce_sum --backend host --n 1000,4096 --min-time 0.001 ";

/// Refused before it is created.
const std::string same_file = "crosswarp_" + std::to_string(getpid()) + "_same.json";

struct BadRequest {
  std::string name, arguments, says;
};

class Refused : public testing::TestWithParam<BadRequest> {};

TEST(Program, SaysInOneLineThatTheHostHasNoEnergyCounter) {
  const Finished finished = run(quick + "--energy");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const std::string says = "bench: no energy: ";
  const auto at = finished.output.find(says);
  ASSERT_NE(at, std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find(says, at + 1), std::string::npos) << "once for both cells";
  EXPECT_EQ(run(quick + "--energy-window 1").exit_code, 2) << "2 s at least";
}

TEST_P(Refused, InOneLineWithExitCode2) {
  const Finished finished = run(GetParam().arguments);
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
  EXPECT_NE(finished.output.find(GetParam().says), std::string::npos) << finished.output;
}

INSTANTIATE_TEST_SUITE_P(
    Requests, Refused,
    testing::Values(
        BadRequest{"budget_unit", "--budget 5d", "--budget: '5d' is not a time of 1 s or more, as 90s, 5m or 1h"},
        // Of its variants one cannot be expressed in Kokkos: that is no reason to call the request done.
        BadRequest{"nothing_fits", "--backend kokkos --experiment matmul_f64 --m 2^20 --n 2^20 --k 2^20",
                   "nothing fits: "},
        BadRequest{"budget_zero", "--budget 0", "--budget: '0' is not a time of 1 s or more"},
        BadRequest{"budget_and_verify", "--verify --budget 5m", "--budget: is for runs that time"},
        BadRequest{"flag", "--bakend host", "did you mean '--backend'"},
        BadRequest{"backend", "--backend hosst", "did you mean 'host'"},
        BadRequest{"experiment", "--experiment reduce_sun", "did you mean 'reduce_sum'"},
        BadRequest{"variant", "--experiment reduce_sum --backend host --variant referense", "did you mean 'reference'"},
        BadRequest{"tuning", "--experiment reduce_sum --backend host --tuning blok7", "--tuning blok7"},
        BadRequest{"size_that_is_no_number", "--experiment reduce_sum --backend host --n lots",
                   "--n lots: not a number"},
        BadRequest{"size_that_overflows", "--experiment reduce_sum --backend host --n 2^63", "does not fit in 64 bits"},
        BadRequest{"size_past_memory", "--experiment reduce_sum --backend host --n 2^38", "of memory"},
        BadRequest{"size_past_any_check", "--experiment matmul_f32 --backend host --m 20000 --n 20000 --k 20000",
                   "takes too long to check in full"},
        BadRequest{"size_out_of_range", "--experiment reduce_sum --backend host --n 2^60", "is outside"},
        BadRequest{"negative_size", "--experiment reduce_sum --backend host --n=-4", "--n -4"},
        BadRequest{"endless_range", "--experiment reduce_sum --backend host --n 1:8:x1", "never ends"},
        BadRequest{"type", "--experiment reduce_sum --backend host --type f33", "did you mean 'f32'"},
        BadRequest{"device", "--experiment reduce_sum --backend host --device 7", "sees 1 device"},
        BadRequest{"empty_value", "--experiment reduce_sum --backend host --n ''", "missing"},
        BadRequest{"graph_on_the_host", "--graph --experiment reduce_sum --backend host --n 8", "which has no graphs"},
        BadRequest{"graph_without_times", "--graph --verify", "--graph: is for runs that time"},
        BadRequest{"two_actions", "--list --verify", "exclude each other"},
        BadRequest{"counters", "--experiment reduce_sum --backend host --counters=memry",
                   "--counters memry: unknown; did you mean 'memory'"},
        BadRequest{"cells_and_a_selection", "--cells x --backend host", "--backend: the names in x have that"},
        BadRequest{"cells_and_an_axis", "--cells x --n 8", "--n: the names in x have that"},
        BadRequest{"cells_and_a_mode", "--cells x --hot", "--hot: the names in x have that"},
        BadRequest{"cells_of_a_list", "--cells x --list", "--cells: is for runs, --verify and --dry-run"},
        BadRequest{"cells_of_no_file", "--cells /no/such/file", "--cells /no/such/file: cannot be read"},
        BadRequest{"profile", "--profile host/reduce_sum/referense", "did you mean 'host/reduce_sum/reference'"},
        BadRequest{"profile_mode", "--profile host/reduce_sum/reference/n:8/type:f32/colt", "did you mean 'cold'"},
        BadRequest{"profile_of_many", "--profile host/reduce_sum/reference", "name one, as host/reduce_sum"},
        BadRequest{"min_time", "--min-time soon", "--min-time"},
        BadRequest{"resume_without_times", "--verify --resume out.json", "--resume: is for runs that time"},
        BadRequest{"google_flag", "--experiment reduce_sum --backend host --benchmark_no_such_thing=1",
                   "--benchmark_no_such_thing"},
        BadRequest{"google_flag_nearly", "--list --benchmark_repetition=1", "did you mean '--benchmark_repetitions'"},
        BadRequest{"google_flag_of_a_dry_run", "--dry-run --benchmark_foo", "--benchmark_foo: unknown"},
        BadRequest{"google_repetitions", "--benchmark_repetitions=x",
                   "--benchmark_repetitions=x: the value must be a number from 1 to 999999"},
        BadRequest{"google_repetitions_apart", "--benchmark_repetitions 5",
                   "--benchmark_repetitions=: the value must be"},
        BadRequest{"google_min_time_and_ours", "--min-time 1 --benchmark_min_time=1", "give one of them"},
        BadRequest{"google_min_time_of_days", "--benchmark_min_time=90000", "'90000' is not a number from 0 to 3600"},
        BadRequest{"google_warmup", "--benchmark_min_warmup_time=1", "--benchmark_min_warmup_time: "},
        BadRequest{"google_format", "--dry-run --benchmark_format=yaml", "must be console, json or csv"},
        BadRequest{"google_out", "--benchmark_out=", "--benchmark_out=: the value must be a file"},
        BadRequest{"google_truth", "--benchmark_list_tests=maybe", "must be true or false"},
        BadRequest{"google_filter", "--experiment reduce_sum --backend host --benchmark_filter=nothing_is_named_so",
                   "nothing is selected: --benchmark_filter nothing_is_named_so matches no cell's name"},
        BadRequest{"experiment_without_variants", "--experiment bank_conflict --backend host",
                   "nothing is selected: bank_conflict has no host variants; it has variants of "},
        BadRequest{"points_that_no_variant_is_for", "--experiment warp_divergence --backend host --n 2^24 --work 2^20",
                   "nothing is selected: host/warp_divergence/reference is for none of these points"},
        BadRequest{"points_past_the_default_sweep", "--experiment memory_bandwidth --backend host --bytes 2^40",
                   "nothing is selected: each point takes more than 1/"},
        BadRequest{"points_past_a_share_of_memory", "--experiment memory_bandwidth --backend host --bytes 2^40",
                   "(to run one, give every axis)"},
        BadRequest{"points_of_no_default_values", "--experiment memory_bandwidth --backend host --level hbm --op add",
                   "has values that are no default on "},
        BadRequest{"points_of_no_default_values_advice",
                   "--experiment memory_bandwidth --backend host --level hbm --op add",
                   "(to run one, give their values)"},
        BadRequest{"points_past_what_is_checked", "--experiment matmul_tf32 --backend host --m 8192",
                   "(give smaller values)"},
        BadRequest{"json_path", "--experiment reduce_sum --backend host --n 8 --json /no/such/folder/x.json",
                   "/no/such/folder"},
        BadRequest{"random_none", "--experiment reduce_sum --random 0", "--random: '0' is not a number from 1 to 4096"},
        BadRequest{"random_and_sizes", "--experiment reduce_sum --backend host --random 4 --n 8",
                   "--n 8: --random draws n of reduce_sum; leave out one of the two"},
        BadRequest{"random_tour", "--random 4", "--random: draws points of experiments; name them by --experiment"},
        BadRequest{"random_list", "--list --random 4", "--random: is for runs, --verify and --dry-run"},
        BadRequest{"random_nothing", "--experiment peak_compute --backend host --random 4",
                   "peak_compute has no axis to draw; choose others by --experiment (access_pattern"},
        BadRequest{"tune_everything", "tune", "tune: name what to tune by --variant or --experiment"},
        BadRequest{"tune_nothing", "tune --experiment row_sum --backend host --n 8",
                   "tune: no selected variant has several tunings"},
        BadRequest{"tune_without_times", "tune --experiment matmul_f32 --verify",
                   "tune: times tunings; leave out --list"},
        BadRequest{"tune_mistyped", "tune --experimen matmul_f32", "did you mean '--experiment'"},
        BadRequest{"size_twice", "--n 5 --n 6", "--n is given twice; write --n 5,6"},
        BadRequest{"size_three_times", "--n 5 --n=6 --n 7", "--n is given 3 times; write --n 5,6,7"},
        BadRequest{"seed_twice", "--seed 5 --seed 6", "--seed is given twice"},
        BadRequest{"output_twice", "report a.json -o a.md -o b.md", "--output is given twice"},
        BadRequest{"flag_with_a_value", "--list --dry-run=0", "--dry-run takes no value"},
        BadRequest{"flag_of_a_command_with_a_value", "compare a.json b.json --all=0", "--all takes no value"},
        BadRequest{"resume_empty_behind_equals", "--resume=", "--resume: a value is missing"},
        BadRequest{"experiment_lists_them", "--experiment nothing_like_it", "atomic_contention, bank_conflict"},
        BadRequest{"variant_of_another_backend", "--experiment reduce_sum --backend host --variant range",
                   "kokkos/reduce_sum/range"},
        BadRequest{"negative_device", "--device -1", "--device: '-1' is not a number"},
        BadRequest{"devices_twice_the_same", "--experiment all_reduce --devices 0,0",
                   "--devices: '0,0' names device 0 twice"},
        BadRequest{"devices_no_number", "--experiment all_reduce --devices 0,x", "--devices: 'x' is not a number"},
        BadRequest{"devices_empty_entry", "--experiment all_reduce --devices 0,", "--devices: '' is not a number"},
        BadRequest{"devices_of_one", "--experiment all_reduce --devices 1",
                   "--devices: '1' names 1 device; 2 to 8 can be ranks, and --device chooses one"},
        BadRequest{"devices_and_device", "--experiment all_reduce --devices 0,1 --device 1", "--device"},
        BadRequest{"devices_without_experiment", "--devices 0,1", "--devices: name an experiment over ranks"},
        BadRequest{"devices_unknown", "--backend host --experiment all_reduce --n 64 --devices 0,7",
                   "--devices 0,7: host sees 1 device"},
        BadRequest{"negative_seed", "--seed -1", "--seed: '-1' is not a number"},
        BadRequest{"large_seed", "--seed 18446744073709551616", "is not a number"},
        BadRequest{"min_time_nan", "--min-time nan", "'nan' is not a number"},
        BadRequest{"time_limit_inf", "--time-limit inf", "'inf' is not a number"},
        BadRequest{"hang_limit_nan", "--hang-limit nan", "'nan' is not a number"},
        BadRequest{"placements_zero", "--placements 0", "'0' is not a number"},
        BadRequest{"backend_comma", "--backend , --experiment x", "--backend: ',' lacks a name"},
        BadRequest{"backend_trailing_comma", "--backend host,", "lacks a name"},
        BadRequest{"backend_empty", "--backend '' --list", "--backend"},
        BadRequest{"backend_far_from_all", "--backend rocm --list", "--backend rocm: not in this build; there are: "},
        BadRequest{"devices_of_one_alone", "--devices 0,1 --experiment reduce_sum",
                   "--devices: reduce_sum runs on one device"},
        BadRequest{"standard_output", quick + "--json -", "--json -: is no file"},
        BadRequest{"device_that_no_backend_has", "--device 999 --experiment reduce_sum --n 1024", " sees 1 device"},
        BadRequest{"json_empty", quick + "--json ''", "--json: a value is missing"},
        BadRequest{"json_empty_behind_equals", quick + "--json=", "--json"},
        BadRequest{"csv_empty", quick + "--csv ''", "--csv: a value is missing"},
        BadRequest{"resume_empty", "--resume ''", "--resume: a value is missing"},
        BadRequest{"output_empty", "report x.json -o ''", "--output: a value is missing"},
        BadRequest{"resume_of_nothing", "--resume /no/such/out.json", "no such file; --json FILE starts a run"},
        BadRequest{"json_and_verify", quick + "--verify --json x.json", "--json: is for runs that time"},
        BadRequest{"json_and_dry_run", quick + "--dry-run --json x.json", "--json: is for runs that time"},
        BadRequest{"json_and_profile", "--profile x --json x.json", "--json: is for runs that time"},
        BadRequest{"json_and_command", "--json x.json devices", "--json: is for runs that time"},
        BadRequest{"csv_and_list", "--list --csv x.csv", "--csv: is for runs that time"},
        BadRequest{"counters_and_verify", "--verify --counters", "--counters: is for runs that time"},
        BadRequest{"json_is_csv", quick + "--json " + same_file + " --csv ./" + same_file, "is the file of --csv, too"},
        BadRequest{"csv_is_journal", quick + "--json " + same_file + " --csv " + same_file + ".journal",
                   "is the file of --csv, too"},
        BadRequest{"json_device", quick + "--json /dev/null", "not a regular file"},
        BadRequest{"csv_device", quick + "--csv /dev/null", "not a regular file"},
        BadRequest{"csv_path", "--experiment reduce_sum --backend host --n 8 --csv /no/such/folder/x.csv",
                   "/no/such/folder"},
        BadRequest{"module_that_is_not_there", "--load /no/such/module.so --list",
                   "--load /no/such/module.so: no such"},
        BadRequest{"module_that_is_a_folder", "--load / --list", "no such file"},
        BadRequest{"module_that_is_none", "--load /proc/self/exe --list", "not a module; crosswarp_add_variants()"},
        BadRequest{"load_without_a_module", "--list --load", "--load"},
        BadRequest{"report_input", "report /no/such/file.json", "cannot be read"},
        BadRequest{"flag_after_others", "-q --benk host", "--benk: unknown; did you mean"},
        BadRequest{"compare_flag", "compare --all --treshold 3 a.json b.json", "did you mean '--threshold'"},
        BadRequest{"compare_one_file", "compare a.json", "two runs"},
        BadRequest{"compare_three_files", "compare a.json b.json c.json", "two runs"},
        BadRequest{"compare_backends_of_two_files", "compare --backends host,kokkos a.json b.json", "one run"},
        BadRequest{"compare_one_backend", "compare --backends host a.json", "needs two"},
        BadRequest{"compare_format", "compare --format html a.json b.json", "--format"},
        BadRequest{"compare_threshold", "compare --threshold much a.json b.json", "--threshold"},
        BadRequest{"compare_threshold_nan", "compare --threshold nan a.json b.json", "'nan' is not a number"},
        BadRequest{"compare_threshold_inf", "compare --coarse-threshold inf% a.json b.json", "'inf' is not a number"},
        BadRequest{"compare_output_is_input", "compare a.json b.json -o b.json", "is an input of this command"},
        BadRequest{"compare_input", "compare /no/such/file.json /no/such/file.json", "cannot be read"},
        BadRequest{"compare_folder", "compare / /", "cannot be read"}),
    [](const auto& info) { return info.param.name; });

/// Of all programs that have ended: what they worked, which does not grow where others take the cores.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Runs the program in one thread with a budget of so many seconds. It works for three times of them at most: the
/// smallest points of one experiment take a second and more. A tour without a budget takes a minute.
Finished run_within(int budget, const std::string& arguments) {
  const double before = processor_seconds();
  const Finished finished = run_process("OMP_NUM_THREADS=1 " + sibling("bench") + " " + arguments + " --budget " +
                                        std::to_string(budget) + "s");
  EXPECT_LT(processor_seconds() - before, 3 * budget) << finished.output;
  return finished;
}

/// The tour takes its budget however slow or busy the machine is: it makes points smaller, and names the experiments
/// that it has no time for.
TEST(Program, TourKeepsItsBudgetAndCoversTheExperiments) {
  const Temporary json("tour.json");
  const Finished finished = run_within(8, "--json " + json.operator const std::string&());
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const auto overview = finished.output.rfind("\nexperiment ");
  ASSERT_NE(overview, std::string::npos) << finished.output;
  const std::string text = finished.output.substr(overview);
  std::set<std::string> experiments;
  std::istringstream list(run("--list").output);
  for (std::string line; std::getline(list, line);)
    if (const auto slash = line.find('/'); slash != line.npos)
      experiments.insert(line.substr(slash + 1, line.find('/', slash + 1) - slash - 1));
  EXPECT_GE(experiments.size(), 11u);
  for (const std::string& name : experiments) EXPECT_NE(text.find(name), std::string::npos) << name << text;
  EXPECT_NE(finished.output.find("s: preparing "), std::string::npos) << finished.output;
  const auto parsed = nlohmann::json::parse(std::ifstream(json.operator const std::string&()));
  EXPECT_GE(parsed.at("benchmarks").size(), 2u);
}

/// Sizes that the user gave beside the default values of another axis are not dropped without a word.
TEST(Program, NamesSizesThatItLeavesOut) {
  const Finished finished = run("--verify --backend host --experiment memory_bandwidth --level hbm --bytes 4096,2^40");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("memory_bandwidth: points left out: "), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("each takes more than 1/32 of the memory of "), std::string::npos) << finished.output;
  // A default sweep is cut to what fits, as documented.
  EXPECT_EQ(run("--dry-run --backend host --experiment memory_bandwidth").output.find("left out"), std::string::npos);
}

TEST(Program, TourNamesWhatItHasNoTimeFor) {
  const Finished finished = run("--budget 1s");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("Left out, no time left: "), std::string::npos) << finished.output;
}

/// The host has no cycle counter and does not time single loads: outputs for these stay as they were.
TEST(Program, ObservesOnlyWhatAVariantWrote) {
  const Temporary file("observed.json");
  const std::string& json = file;
  ASSERT_EQ(run("-q --backend host --experiment memory_latency --bytes 4096 --min-time 0.001 --json " + json).exit_code,
            0);
  const auto parsed = nlohmann::json::parse(std::ifstream(json));
  const auto& observed = parsed.at("benchmarks")[0].at("observed");
  EXPECT_EQ(observed.size(), 1u) << observed;
  EXPECT_LT(observed.at("ns_per_load").get<double>(), 1e4);
}

TEST(Program, TourTakesEveryModeThatIsAskedFor) {
  const Finished finished = run("-q --budget 3s --backend host --hot --cold");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("  hot  |"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("  cold  |"), std::string::npos) << finished.output;
}

TEST(Program, BudgetShortensAnyRunAndNamesWhatItLeavesOut) {
  const Finished finished =
      run_within(6, "--backend host --experiment matmul_f32 --m 1,8,2048:4096:+32 --n 512 --k 2048");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("m:1/"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("left out, too long for --budget: matmul_f32"), std::string::npos) << finished.output;
}

TEST(Program, WritesNothingForARequestThatCannotBeMet) {
  const Temporary refused("refused.json");
  const std::string& json = refused;
  EXPECT_EQ(run("--experiment reduce_sum --backend host --n lots --json " + json).exit_code, 2);
  EXPECT_FALSE(fs::exists(json));
  EXPECT_FALSE(fs::exists(json + ".journal"));
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_refused(const Finished& finished, const std::string& says) {
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
  EXPECT_NE(finished.output.find(says), std::string::npos) << finished.output;
}

/// Lines of standard error, with standard output to `target`.
Finished run_to(const std::string& arguments, const std::string& target) {
  return run_process("{ " + bench + " " + arguments + " >" + target + "; }");
}

TEST(Program, ReplacesNoFileUnasked) {
  const Temporary json_file("theirs.json"), csv_file("theirs.csv"), google_file("theirs_of_google.json");
  const std::string &json = json_file, &csv = csv_file, &google = google_file;
  for (const std::string& file : {json, csv, google}) std::ofstream(file) << "theirs";
  expect_refused(run(quick + "--benchmark_out=" + google), "--benchmark_out " + google + ": exists; --force-overwrite");
  EXPECT_EQ(contents(google), "theirs");
  expect_refused(run(quick + "--json " + json), "--resume " + json);
  expect_refused(run(quick + "--csv " + csv), "--csv " + csv + ": exists; --force-overwrite");
  expect_refused(run("--list --json " + json), "exists; --force-overwrite");
  EXPECT_EQ(contents(json) + contents(csv), "theirstheirs");
  EXPECT_EQ(run(quick + "-f --json " + json + " --csv " + csv + " --benchmark_out=" + google).exit_code, 0);
  for (const std::string& file : {json, google}) EXPECT_TRUE(nlohmann::json::accept(contents(file))) << file;
  EXPECT_TRUE(contents(csv).starts_with("name,"));
}

TEST(Program, ReplacesNoJournalOfARunThatWasCutShort) {
  const Temporary json_file("cut.json");
  const std::string& json = json_file;
  std::ofstream(json + ".journal") << "theirs";
  expect_refused(run(quick + "--json " + json), "--resume " + json);
  EXPECT_EQ(contents(json + ".journal"), "theirs");
}

TEST(Program, WritesIntoAnEmptyFile) {  // as mktemp leaves it
  const Temporary json_file("empty.json");
  const std::string& json = json_file;
  std::ofstream{json};
  EXPECT_EQ(run(quick + "--json " + json).exit_code, 0);
  EXPECT_TRUE(nlohmann::json::accept(contents(json)));
}

TEST(Program, FollowsALinkAndLeavesItThere) {
  const Temporary link_file("link.json"), json_file("behind_a_link.json");
  const std::string &link = link_file, &json = json_file;
  fs::create_symlink(fs::path(json).filename(), link);
  ASSERT_EQ(run(quick + "--json " + link).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(nlohmann::json::accept(contents(json)));
}

TEST(Program, ReplacesNothingThatIsReadOnlyNotEvenAsRoot) {
  const Temporary json_file("read_only.json");
  const std::string& json = json_file;
  std::ofstream(json) << "theirs";
  fs::permissions(json, fs::perms::owner_read);
  expect_refused(run(quick + "-f --json " + json), "read-only");
  expect_refused(run(quick + "-f --csv " + json), "read-only");
  EXPECT_EQ(contents(json), "theirs");
}

TEST(Program, RefusesAFifoAsAnOutput) {
  const Temporary fifo("fifo");
  ASSERT_EQ(run_process("mkfifo " + std::string(fifo)).exit_code, 0);
  for (const char* option : {"--json ", "--csv "})
    expect_refused(run_process("timeout 20 " + bench + " " + quick + option + std::string(fifo)), "not a regular file");
}

TEST(Program, SaysThatStandardOutputFails) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const std::string& arguments : {std::string("--list"), std::string("--help"), std::string("--version"),
                                       std::string("devices"), quick, "--verify " + quick, "--dry-run " + quick})
    for (const char* target : {"/dev/full", "&-"})
      expect_refused(run_to(arguments, target), "standard output cannot be written");
}

TEST(Program, PrintsNothingIntoItsFilesWhereStandardOutputIsClosed) {
  const Temporary json_file("closed.json");
  const std::string& json = json_file;
  expect_refused(run_to(quick + "--json " + json, "&- <&-"), "standard output cannot be written");
  EXPECT_TRUE(nlohmann::json::accept(contents(json))) << contents(json);
}

TEST(Program, ReadsNoCacheThatIsNoFile) {
  const Temporary cache("fifo_cache");
  fs::create_directories(std::string(cache) + "/crosswarp");
  const std::string file = std::string(cache) + "/crosswarp/ceilings.json";
  ASSERT_EQ(run_process("mkfifo " + file).exit_code, 0);
  const std::string program = "XDG_CACHE_HOME=" + std::string(cache) + " timeout 20 " + bench;
  EXPECT_EQ(run_process(program + " --list").exit_code, 0);
  expect_refused(run_process(program + " devices --measure"), "not a regular file");
  fs::remove(file);
  std::ofstream(file) << std::string(1000000, '[');
  EXPECT_EQ(run_process(program + " --list").exit_code, 0);
}

TEST(Program, SaysWhatItLeavesOutOfItsCache) {
  const Temporary cache("damaged_cache");
  const std::string folder = std::string(cache) + "/crosswarp", file = folder + "/ceilings.json";
  fs::create_directories(folder);
  std::ofstream(file) << "{\"here\": {\n1}}";
  const Finished finished = run_process("XDG_CACHE_HOME=" + std::string(cache) + " " + bench + " " + quick);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const std::string line = "bench: " + file + ": not JSON (line 2, column 1); ignored\n";
  EXPECT_EQ(finished.output.find(line), 0u) << finished.output;
  EXPECT_EQ(finished.output.rfind(line), 0u) << finished.output;
}

TEST(Program, SkipsASizeThatDoesNotFitAndRunsTheOthers) {
  const Temporary json_file("sizes.json");
  const std::string& json = json_file;
  const std::string cells = "-q --experiment reduce_sum --backend host --n 1000,2^38 --min-time 0.001 ";
  const Finished finished = run(cells + "--json " + json);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const auto results = nlohmann::json::parse(contents(json))["benchmarks"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["label"], "ok");
  EXPECT_TRUE(results[1]["label"].get<std::string>().starts_with("skipped: needs 1 TiB of memory"))
      << results[1]["label"];
  EXPECT_NE(run("--verify " + cells).output.find("1 ok, 0 wrong, 0 failed, 1 skipped"), std::string::npos);
  EXPECT_NE(run("--dry-run " + cells).output.find("skipped: needs 1 TiB"), std::string::npos);
}

/// What a program writes to a terminal of 80 columns.
std::string on_a_terminal(const std::string& environment, const std::string& arguments) {
  int terminal = -1;
  const winsize size{24, 80, 0, 0};
  const pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
  if (process == 0) {
    execl("/bin/sh", "sh", "-c", (environment + " exec " + bench + " " + arguments).c_str(), nullptr);
    _exit(127);
  }
  std::string output;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(terminal, piece, sizeof piece)) > 0;)
    output.append(piece, static_cast<std::size_t>(got));
  close(terminal);
  waitpid(process, nullptr, 0);
  std::erase(output, '\r');
  return output;
}

std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

TEST(Program, FitsATerminalOfEightyColumns) {
  const std::string data = (source_tree() / "tests/data/").string();
  for (const std::string& arguments : std::vector<std::string>{
           "-q --experiment reduce_sum --backend host,kokkos --n 1000 --min-time 0.001", "--list", "--dry-run " + quick,
           "compare --all " + data + "reduce_sum_hip.json " + data + "reduce_sum_hip_again.json",
           "compare --backends cuda,kokkos " + (source_tree() / "results/nvidia-h100/row_sum.json").string()}) {
    const std::string output = on_a_terminal("NO_COLOR=1", arguments);
    std::istringstream lines(output);
    std::size_t tables = 0;
    for (std::string line; std::getline(lines, line);)
      if ((line.find("/reduce_sum/") != line.npos && !line.starts_with("The runs differ")) || line.starts_with("m:")) {
        EXPECT_LE(columns_of(line), 80u) << line;
        ++tables;
      }
    EXPECT_GT(tables + (arguments.starts_with("-q") ? 1 : 0), 0u) << output;
  }
}

TEST(Program, ColoursNothingForATerminalThatKnowsNone) {
  EXPECT_NE(on_a_terminal("NO_COLOR= TERM=xterm", "devices").find("\033[2m"), std::string::npos);
  EXPECT_EQ(on_a_terminal("NO_COLOR= TERM=dumb", "devices").find('\033'), std::string::npos);
  EXPECT_EQ(on_a_terminal("NO_COLOR= TERM=dumb", quick).find('\033'), std::string::npos);
}

TEST(Program, SaysWhyABackendHasNoDevice) {
  const std::string wide = run("devices").output;
  const auto absent = wide.find("has no device here: ");
  if (absent == wide.npos) GTEST_SKIP() << "every backend has one";
  const std::string line = wide.substr(absent, wide.find('\n', absent) - absent);
  const std::string wrapped = on_a_terminal("NO_COLOR=1", "devices");
  EXPECT_NE(std::regex_replace(wrapped, std::regex("\\s+"), " ").find(line), std::string::npos) << line;
}

TEST(Program, CompletesVariantsOfWhatIsSelected) {
  const auto completed = [](const std::string& line) {
    return run_process("COMP_LINE='" + line + "' " + bench + " --complete").output;
  };
  EXPECT_NE(completed("bench --variant ").find("reference\n"), std::string::npos);
  EXPECT_EQ(completed("bench --experiment reduce_sum --backend kokkos --variant ").find("reference\n"),
            std::string::npos);
  EXPECT_NE(completed("bench --experiment reduce_sum --backend kokkos --variant ra").find("range\n"),
            std::string::npos);
  EXPECT_EQ(completed("bench --experiment row_sum --variant ").find("range\n"), std::string::npos);
}

TEST(Program, TakesFormerNamesOfVariants) {
  const Finished finished = run("--list --experiment reduce_sum --variant mailbox");
  if (finished.exit_code != 0) GTEST_SKIP() << "no backend here has the variant: " << finished.output;
  EXPECT_NE(finished.output.find("bench: --variant mailbox is now called flagged_partials\n"), std::string::npos);
  EXPECT_NE(finished.output.find("/reduce_sum/flagged_partials"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("kokkos/"), std::string::npos) << "it has the new name, but never had the old one";
}

TEST(Program, SaysItsVersion) {
  const Finished finished = run("--version");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_TRUE(std::regex_search(finished.output, std::regex("^crosswarp [0-9]+\\.[0-9]+\\.[0-9]+, commit ")));
}

/// What modules may do when they are loaded; tests/modules/.
TEST(Program, HearsOfModulesThatEndTheProcess) {
  const std::string load = "--load " + sibling("modules/");
  for (const char* action : {"--verify ", "--list ", ""}) {
    expect_refused(run(load + "exits.so " + action + quick), "ended its process while it was loaded: exit code 0");
    expect_refused(run(load + "crashes.so " + action + quick),
                   "ended its process while it was loaded: Segmentation fault");
    expect_refused(run(load + "spins.so --hang-limit 1 " + action + quick), "hung while it was loaded, for 1 s");
    expect_refused(run(load + "throws.so " + action + quick), "throws.so: no such luck");
  }
}

/// Its exit(0) comes when main() calls the module's code.
TEST(Program, TakesAForeignExitForNoSuccess) {
  const Finished finished = run("--load " + sibling("modules/exits_later.so") + " --verify " + quick);
  EXPECT_NE(finished.exit_code, 0) << finished.output;
}

TEST(Program, ListsInAFifthOfASecond) {
  double least = 1;  // of processor time, which others' work lengthens, too, where cores share their units
  for (int again = 0; again < 10 && least >= 0.2; ++again) {
    const double before = processor_seconds();
    const Finished finished = run("--list");
    least = std::min(least, processor_seconds() - before);
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_NE(finished.output.find("host/reduce_sum/reference"), std::string::npos);
  }
  EXPECT_LT(least, 0.2);
}

TEST(Program, SaysWhatWouldRun) {
  const Finished finished = run("--dry-run --experiment reduce_sum --backend host --n 1000,4096 --hot --cold");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.output.find("host/reduce_sum/reference/n:4096/type:f32/hot"), std::string::npos);
  EXPECT_NE(finished.output.find("4 cells in 4 groups"), std::string::npos) << finished.output;
}

bool has_gpu() { return std::regex_search(run("devices").output, std::regex("\ncuda +0")); }

TEST(Program, TimesGraphsOfWhatCanBeCaptured) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU here";
  const Temporary json_file("graph.json");
  const Finished finished = run(
      "-q --stream --graph --backend cuda --experiment reduce_sum --variant adaptive,cub,programmatic_launch,thrust "
      "--n 1000,1048576,16777216 --min-time 0.01 --placements 2 --json " +
      std::string(json_file));
  ASSERT_EQ(finished.exit_code, 0) << finished.output;
  std::ifstream file(json_file);
  std::size_t graphs = 0;
  const nlohmann::json results = nlohmann::json::parse(file);
  for (const auto& row : results.at("benchmarks")) {
    const bool by_graph = row["launch_by"] == "graph", waits = row["variant"] == "thrust";
    graphs += by_graph;
    EXPECT_EQ(row["name"].get<std::string>().ends_with("/cold/graph"), by_graph) << row["name"];
    EXPECT_EQ(row["status"], by_graph && waits ? "skipped" : "ok") << row["name"] << row["label"];
    EXPECT_EQ(row["note"] == "cannot be captured: it waits for its result", by_graph && waits) << row["note"];
    EXPECT_EQ(row["pdl"], row["variant"] == "programmatic_launch") << row["name"];
  }
  EXPECT_EQ(graphs, 12u);
}

TEST(Program, PlansStreamsAndGraphsApart) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU here";
  const auto plan = [](const std::string& how) {
    return run("--dry-run --experiment reduce_sum --backend cuda --variant cub --n 1000 " + how).output;
  };
  const std::string stream = "cuda/reduce_sum/cub/n:1000/type:f32/cold", both = plan("--stream --graph");
  EXPECT_NE(both.find(stream + "/graph"), std::string::npos) << both;
  EXPECT_NE(both.find("2 cells in 2 groups"), std::string::npos) << both;
  EXPECT_NE(plan("--graph").find("1 cells in 1 groups"), std::string::npos);
  EXPECT_EQ(plan(""), plan("--stream"));
}

TEST(Program, KeepsItsDefaultSizesWhereOnlyOtherAxesAreAsked) {
  const auto cells = [](const std::string& more) {
    const std::string output = run("--dry-run --experiment reduce_sum --backend host" + more).output;
    return output.substr(output.rfind('\n', output.size() - 2));
  };
  EXPECT_EQ(cells(" --type f32"), cells(""));
}

TEST(Program, VerifiesWithoutTiming) {
  const Finished finished = run("--verify --experiment reduce_sum --backend host --n 0,1,1000");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.output.find("3 ok, 0 wrong, 0 failed, 0 skipped"), std::string::npos) << finished.output;
}

TEST(Program, VerifiesWithErrors) {
  for (const char* cells : {"reduce_sum --n 1000", "row_sum --m 20 --n 300", "matmul_f32 --m 9 --n 17 --k 33",
                            "matmul_f16 --m 9 --n 17 --k 33 --type bf16 --layout tn"}) {
    const Finished finished =
        run("--verify --accuracy --backend host --variant reference --experiment " + std::string(cells));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_NE(finished.output.find("1 ok, 0 wrong, 0 failed, 0 skipped"), std::string::npos) << finished.output;
    EXPECT_TRUE(std::regex_search(finished.output, std::regex("/reference( +[0-9.e+-]+ / [0-9.e+-]+){3} ")))
        << finished.output;
    EXPECT_EQ(finished.output.find("µs"), std::string::npos) << finished.output;
  }
  for (const char* exact : {"reduce_sum --n 1000 --type i32", "memory_bandwidth --bytes 4096"})
    EXPECT_EQ(run("--verify --accuracy --backend host --experiment " + std::string(exact)).output.find("ulps"),
              std::string::npos);
}

TEST(Program, AddsErrorsToTimes) {
  const Temporary json_file("accuracy.json"), csv_file("accuracy.csv");
  const std::string &json = json_file, &csv = csv_file;
  const Finished finished = run(quick + "--accuracy --json " + json + " --csv " + csv);
  ASSERT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("ill-conditioned"), std::string::npos) << finished.output;
  std::ifstream file(json);
  const nlohmann::json results = nlohmann::json::parse(file);
  for (const auto& row : results.at("benchmarks")) {
    EXPECT_GT(row["real_time"], 0);
    for (const char* distribution : {"uniform", "positive", "ill_conditioned"}) {
      const auto& errors = row["accuracy"][distribution];
      EXPECT_EQ(errors["outputs"], 8);  // draws
      EXPECT_LE(errors["ulp_median"], errors["ulp_max"]);
      EXPECT_LT(errors["relative_max"], 1);
    }
  }
  std::ifstream lines(csv);
  std::string head, line;
  std::getline(lines, head);
  EXPECT_NE(head.find(",uniform_ulp_median,uniform_ulp_max,"), std::string::npos) << head;
  while (std::getline(lines, line)) {
    const std::string unquoted = std::regex_replace(line, std::regex("\"[^\"]*\""), "");  // ideas have commas
    EXPECT_EQ(std::count(unquoted.begin(), unquoted.end(), ','), std::count(head.begin(), head.end(), ',')) << line;
  }
}

TEST(Program, WritesResultsWithEverySample) {
  const Temporary json_file("results.json"), csv_file("results.csv");
  const std::string &json = json_file, &csv = csv_file;
  const Finished finished = run(quick + "--seed 5 --json " + json + " --csv " + csv);
  ASSERT_EQ(finished.exit_code, 0) << finished.output;
  std::ifstream file(json);
  const auto results = nlohmann::json::parse(file);
  EXPECT_EQ(results["context"]["seed"], "5");
  ASSERT_EQ(results["benchmarks"].size(), 2u);
  const auto& first = results["benchmarks"][0];
  EXPECT_EQ(first["name"], "host/reduce_sum/reference/n:1000/type:f32/cold");
  EXPECT_EQ(first["label"], "ok");
  EXPECT_EQ(first["sample_times"].size(), first["samples"]);
  EXPECT_GT(first["real_time"], 0);
  std::ifstream lines(csv);
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) ++count;
  EXPECT_EQ(count, 3u);  // a head and two results
}

TEST(Program, KeepsAJournalOfFinishedCells) {
  const Temporary json_file("journal.json");
  const std::string& json = json_file;
  ASSERT_EQ(run(quick + "--json " + json).exit_code, 0);
  std::ifstream journal(json + ".journal");
  std::size_t count = 0;
  for (std::string line; std::getline(journal, line); ++count) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  EXPECT_EQ(count, 3u);  // a context and two results
}

TEST(Program, PassesGoogleBenchmarksFlagsThrough) {
  const Finished repeated = run(quick + "--benchmark_repetitions=3 --benchmark_filter=n:4096 --benchmark_format=json");
  ASSERT_EQ(repeated.exit_code, 0) << repeated.output;
  // Its own aggregates of a counter that is always 0 are 0/0, and it writes that as a bare NaN.
  const std::string json = std::regex_replace(repeated.output, std::regex(": -?NaN"), ": null");
  const auto results = nlohmann::json::parse(json.substr(json.find('{')));
  std::size_t iterations = 0;
  for (const auto& b : results["benchmarks"]) iterations += b["run_type"] == "iteration";
  EXPECT_EQ(iterations, 3u);
}

TEST(Program, TakesGoogleBenchmarksTimeAsItsOwn) {
  const Temporary json_file("min_time.json");
  const std::string& json = json_file;
  ASSERT_EQ(
      run("-q --experiment reduce_sum --backend host --n 1000 --benchmark_min_time=0.002 --json " + json).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(contents(json))["context"]["min_time_s"], "0.002");
}

TEST(Program, ReportsTextOnATerminalInLinesThatFit) {
  const Temporary json_file("a_name_that_does_not_fit_beside_a_message_of_bench.json");
  const std::string& json = json_file;
  ASSERT_EQ(run(quick + "--json " + json).exit_code, 0);
  const std::string text = on_a_terminal("NO_COLOR=1", "report " + json);
  EXPECT_EQ(text.find("|---"), std::string::npos) << text;
  EXPECT_NE(text.find("host/reference"), std::string::npos) << text;
  EXPECT_NE(on_a_terminal("NO_COLOR=1", "report --format md " + json).find("|---"), std::string::npos);
  EXPECT_NE(on_a_terminal("NO_COLOR=1", "report").find("bench: takes\n  /"), std::string::npos)
      << "a line for the path";
}

TEST(Program, SaysWhereAReportIs) {
  const Temporary json_file("report.json"), page("report.md");
  const std::string &json = json_file, &to = page;
  ASSERT_EQ(run(quick + "--json " + json).exit_code, 0);
  EXPECT_EQ(run("report " + json + " -o " + to).output, "bench: wrote " + to + "\n");
}

TEST(Program, SaysWhereRowsRunAndWithHowManyThreads) {
  const Temporary json_file("threads.json");
  const std::string& json = json_file;
  ASSERT_EQ(run(quick + "--json " + json).exit_code, 0);
  for (const auto& row : nlohmann::json::parse(contents(json))["benchmarks"]) {
    EXPECT_EQ(row["execution_space"], "threads");
    EXPECT_GE(row["host_threads"], 1);
  }
}

TEST(Program, ComparesKokkosOnAHostWithEqualNumbersOfThreads) {
  const Temporary json_file("both.json");
  const std::string& json = json_file;
  const Finished both =
      run("-q -f --experiment reduce_sum --backend host,kokkos --n 4096 --min-time 0.001 --json " + json);
  if (both.exit_code != 0) GTEST_SKIP() << "no Kokkos here";
  std::set<int> threads;
  for (const auto& row : nlohmann::json::parse(contents(json))["benchmarks"])
    if (row["status"] == "ok" && row.contains("host_threads")) threads.insert(row["host_threads"].get<int>());
  EXPECT_LE(threads.size(), 1u) << contents(json);
}

TEST(Program, UsesNoEscapeSequencesInAPipe) {
  EXPECT_EQ(run("--experiment reduce_sum --backend host --n 1000 --min-time 0.001").output.find('\033'),
            std::string::npos);
}

TEST(Program, MakesMarkdownOfItsOwnResults) {
  const Temporary json_file("markdown.json");
  const std::string& json = json_file;
  ASSERT_EQ(run(quick + "--json " + json).exit_code, 0);
  const Finished report = run("report " + json);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_NE(report.output.find("| `host/reduce_sum/reference` |"), std::string::npos) << report.output;
}

TEST(Program, MakesThePagesAsTheyAre) {
  const Finished check = run_process((source_tree() / "scripts/readme").string() + " --check " + bench);
  EXPECT_EQ(check.exit_code, 0) << check.output;
}

TEST(Program, TakesAVerbatimCopyOfAVariantUnderAnotherName) {
  // The build copied backends/host/reduce_sum/reference.cpp to another name, and linked it into this program.
  const Finished verified = run_process(sibling("broken_bench") +
                                        " --verify --experiment reduce_sum --backend host --variant copied --n 1003");
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_NE(verified.output.find("host/reduce_sum/copied/n:1003/type:f32  ok"), std::string::npos) << verified.output;
}

/// A kernel passes there (conformance sees to that), or has a version of its own that does, or is not expressible
/// there, which is registered with its reason. What is in none of these states is not registered at all.
TEST(Program, HasEveryHandwrittenKernelOnEveryPlatformOfThisBuild) {
  const std::string devices = run("devices").output, list = "\n" + run("--list").output;
  std::size_t kernels = 0;
  for (const char* backend : {"cuda", "hip", "simt", "simt64"}) {
    if (devices.find("\n" + std::string(backend) + " ") == std::string::npos) continue;
    for (const auto& file : fs::recursive_directory_iterator(source_tree() / "backends/cuda")) {
      if (file.path().extension() != ".cu") continue;
      const std::string id = std::string(backend) + "/" + file.path().parent_path().filename().string() + "/" +
                             file.path().stem().string();
      EXPECT_NE(list.find("\n" + id + " "), std::string::npos) << id << " is not registered:\n" << list;
      ++kernels;
    }
  }
  EXPECT_TRUE(kernels > 0 || devices.find("\nsimt ") == std::string::npos) << "the folders have moved";
}

TEST(Program, SaysInOneLineThatTheHostHasNoCounters) {
  const Temporary json_file("counters.json");
  const std::string& json = json_file;
  const Finished finished = run(quick + "--counters --json " + json);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const auto told = finished.output.find("no counters");
  ASSERT_NE(told, std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("no counters", told + 1), std::string::npos) << finished.output;
  std::ifstream file(json);
  const auto results = nlohmann::json::parse(file);
  ASSERT_EQ(results["benchmarks"].size(), 2u);
  for (const auto& row : results["benchmarks"]) {
    EXPECT_EQ(row["label"], "ok");
    EXPECT_TRUE(row["counters"].empty());
    EXPECT_TRUE(row["bound"].is_string());
  }
}

TEST(Program, MeasuresCeilingsAndKeepsThem) {
  const Temporary cache("cache");
  const auto began = std::chrono::steady_clock::now();
  const Finished finished =
      run_process("XDG_CACHE_HOME=" + std::string(cache) + " " + sibling("bench") + " devices --measure");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_LT(took.count(), 300) << "it hangs: " << finished.output;
  for (const char* part : {"\nmemory ", "\nl1 ", "\nl2 "})
    EXPECT_NE(finished.output.find(part), std::string::npos) << part << finished.output;
  std::ifstream file(std::string(cache) + "/crosswarp/ceilings.json");
  EXPECT_TRUE(nlohmann::json::parse(file).is_object());
}

TEST(Program, KeepsTheHostsCacheCeilingButRestsNoVerdictOnATooLowOne) {
  const Temporary cache("cache_ceiling");
  const std::string file = std::string(cache) + "/crosswarp/ceilings.json";
  const auto run_quick = [&] {
    return run_process("XDG_CACHE_HOME=" + std::string(cache) + " " + bench + " " + quick);
  };
  // Calls `visit` with the kept rate of each device.
  const auto visit_rates = [&](const auto& visit) {
    nlohmann::json all = nlohmann::json::parse(contents(file));
    ASSERT_EQ(all.size(), 1u);
    for (nlohmann::json& device : *all.begin()) visit(device.at("cache"));
    std::ofstream(file) << all;
  };
  EXPECT_EQ(run_quick().exit_code, 0);
  visit_rates([](nlohmann::json& rate) { rate = 1e15; });
  EXPECT_EQ(run_quick().exit_code, 0);
  visit_rates([](nlohmann::json& rate) {
    EXPECT_EQ(rate, 1e15);
    rate = 1;
  });
  const Finished finished = run_quick();
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  visit_rates([](nlohmann::json& rate) { EXPECT_GT(rate, 1e6); });
}

TEST(Program, ExplainsEachCounter) {
  const Finished help = run("--help counters");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.output.find("\ndram_throughput "), std::string::npos) << help.output;
  EXPECT_NE(help.output.find("dram__bytes_read.sum"), std::string::npos) << help.output;
}

TEST(Program, ExplainsTheAxesOfAnExperiment) {
  const Finished help = run("--help reduce_sum");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_TRUE(help.output.starts_with("reduce_sum: ")) << help.output;
  EXPECT_NE(help.output.find("--n VALUES"), std::string::npos) << help.output;
  EXPECT_NE(help.output.find("--type VALUES"), std::string::npos) << help.output;
  EXPECT_EQ(help.output.find("--addresses"), std::string::npos) << help.output;  // another's
  EXPECT_NE(run("--help matmul_f32").output.find("Without --m, --n, --k, --type: 14 points"), std::string::npos);

  EXPECT_NE(help.output.find("docs/experiments/reduce_sum.md"), std::string::npos) << help.output;
  const Finished own = run("--load " + sibling("modules/own_experiment.so") + " --help scale");
  EXPECT_NE(own.output.find("--factor VALUES"), std::string::npos) << own.output;
  EXPECT_EQ(own.output.find("docs/"), std::string::npos) << "a module's experiment has no page: " << own.output;

  const Finished unknown = run("--help reduce_sums");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.output.find("did you mean 'reduce_sum'?"), std::string::npos) << unknown.output;
}

TEST(Program, LaunchesOneCellForAProfiler) {
  const Finished finished = run("--profile host/reduce_sum/reference/n:1000/type:f32/hot");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_EQ(finished.output, "host/reduce_sum/reference/n:1000/type:f32/hot: 5 launches, ok\n");
  EXPECT_EQ(run("--profile host/reduce_sum/reference --n 1000").exit_code, 0);
}

/// Writes a file that names cells, and returns the option.
std::string cells_option(const std::string& path, const std::string& lines) {
  std::ofstream(path) << lines;
  return "--cells " + path;
}

TEST(Program, RunsTheCellsThatAFileNames) {
  const std::string cold = "host/reduce_sum/reference/n:1000/type:f32/cold",
                    tuned = "host/matmul_f32/tiled@rows8_columns32/m:8/n:8/k:8/type:f32/hot";
  const Temporary file("cells.txt"), results("named.json");
  const std::string cells = cells_option(file, "# a note\n" + tuned + "\n\n" + cold + "\n" + tuned + "\n"),
                    json = results;
  EXPECT_EQ(run(cells + " --dry-run").output, tuned + "\n" + cold + "\n2 cells in 2 groups\n");
  EXPECT_NE(run(cells + " --verify").output.find("2 ok, 0 wrong"), std::string::npos);
  const Finished ran = run("-q --min-time 0.001 --placements 1 " + cells + " --json " + json);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  std::ifstream written(json);
  std::set<std::string> names;
  const nlohmann::json timed = nlohmann::json::parse(written);
  for (const auto& row : timed["benchmarks"]) names.insert(row["name"]);
  EXPECT_EQ(names, (std::set<std::string>{cold, tuned}));
}

TEST(Program, RefusesCellsThatItCannotHave) {
  const std::string reference = "host/reduce_sum/reference", point = "/n:8/type:f32";
  const std::vector<std::pair<std::string, std::string>> said{
      {"host/reduce_sum/referense" + point + "/cold", "did you mean 'host/reduce_sum/reference'"},
      {"host/matmul_f32/tiled@rows8_column32/m:8/n:8/k:8/type:f32/hot",
       "did you mean 'host/matmul_f32/tiled@rows8_columns32'"},
      {reference + "/n:8/type:f33/cold", "did you mean 'f32'"},
      {reference + "/type:f32/cold", "n is missing"},
      {reference + point + "/offst:0/cold", "did you mean 'offset'"},
      {reference + point, "the mode is missing"},
      {reference + point + "/colt", "did you mean 'cold'"},
      {reference + point + "/cold/graph", "which has no graphs"},
      {"", "names no cell"}};
  for (const auto& [line, why] : said) {
    const Temporary file("cells.txt");
    const Finished refused = run("--dry-run " + cells_option(file, "\n" + line + "\n"));
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_EQ(lines_in(refused.output), 1u) << refused.output;
    EXPECT_NE(refused.output.find(why), std::string::npos) << refused.output;
  }
}

TEST(Program, PrintsNoTimesUnderAProfiler) {
  for (const char* variable : {"NSYS_PROFILING_SESSION_ID", "ROCP_TOOL_LIBRARIES"}) {
    const Temporary json_file("profiled.json");
    const std::string& json = json_file;
    const Finished finished = run_process(variable + ("=1 " + bench) + " " + quick + "--json " + json);
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_NE(finished.output.find(std::string("under a profiler (") + variable), std::string::npos) << finished.output;
    EXPECT_EQ(finished.output.find("µs"), std::string::npos) << finished.output;
    std::ifstream file(json);
    const nlohmann::json results = nlohmann::json::parse(file);
    for (const auto& row : results.at("benchmarks")) {
      EXPECT_TRUE(row["real_time"].is_null());
      EXPECT_TRUE(row["sample_times"].empty());
    }
  }
}

TEST(Program, RefusesToTimeAnEmulation) {
  if (run("devices").output.find("\nsimt ") == std::string::npos) GTEST_SKIP() << "no emulation in this build";
  const Finished timed = run("--experiment reduce_sum --backend simt --n 1000");
  EXPECT_EQ(timed.exit_code, 2);
  EXPECT_NE(timed.output.find("--verify"), std::string::npos) << timed.output;
  const Finished verified = run("--backend simt,simt64 --verify --experiment reduce_sum --n 1000 --variant float4");
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
  EXPECT_NE(verified.output.find("2 ok"), std::string::npos) << verified.output;
}

TEST(Program, ShowsHelpForEveryCommand) {
  for (const char* arguments : {"--help", "devices --help", "report --help", "compare --help"}) {
    const Finished help = run(arguments);
    EXPECT_EQ(help.exit_code, 0) << arguments;
    EXPECT_GT(help.output.size(), 100u) << arguments;
  }
}

}  // namespace
}  // namespace crosswarp
