// rocprofv3, https://rocm.docs.amd.com/projects/rocprofiler-sdk: options and CSV files as in ROCm 6.3 (the first with
// --pmc and with timestamps beside counters) to 10.0. Read in its documentation and source; run against a stub only, on
// no AMD GPU yet.
//
// The launches are told from other kernels by their ROCTx range (--marker-trace, which may stand beside --pmc: the
// tool's own test tracing-plus-counter-collection). Ranges begin and end on an idle device. --selected-regions would
// leave other kernels uncounted, but crashed together with --pmc until June 2026
// (https://github.com/ROCm/rocm-systems/pull/6930); and the roctxProfilerPause that it needs would end the collection
// of everything else for those who profile a whole run without that option.
#include "backends/gpu/amd_counters.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "core/error.hpp"

namespace crosswarp::gpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* tool_name = "rocprofv3";
constexpr std::chrono::milliseconds poll_interval{20};
constexpr std::string_view on_all_architectures = "SQ_WAVES";

/// A kernel of the counted launch, in one pass.
struct Kernel {
  std::uint64_t start = 0, end = 0;  // ns
  KernelRun run;
  std::map<std::string, double, std::less<>> counted;  // by hardware counter

  double time() const { return static_cast<double>(end - start); }
};

/// How a counter of the table follows from hardware counters.
struct Metric {
  std::string_view counter;
  std::string_view architectures;       // separated by spaces; empty for all
  std::vector<std::string_view> needs;  // hardware counters
  int pass;                             // metrics of one pass are counted together
  bool adds;                            // over kernels; else their mean by time
  /// Of one kernel; `counted`: what it needs, in that order.
  double (*value)(const Kernel&, std::span<const double> counted, const CountedDevice&);
};

double time_of(const Kernel& kernel, std::span<const double>, const CountedDevice&) { return kernel.time(); }
double blocks_of(const Kernel& kernel, std::span<const double>, const CountedDevice&) {
  return static_cast<double>(kernel.run.use.blocks);
}
double itself(const Kernel&, std::span<const double> counted, const CountedDevice&) { return counted[0]; }
double bytes_of_kib(const Kernel&, std::span<const double> counted, const CountedDevice&) { return 1024 * counted[0]; }
double hit_rate(const Kernel&, std::span<const double> counted, const CountedDevice&) {
  return 100 * counted[0] / (counted[0] + counted[1]);
}
double occupancy(const Kernel&, std::span<const double> counted, const CountedDevice& device) {
  return 100 * counted[0] / device.warps_per_unit;
}

/// Counters of AMD's that are the same quantity as NVIDIA's. Definitions and architectures: counter_defs.yaml of
/// rocprofiler-sdk (ROCm 7.0) and
/// https://rocm.docs.amd.com/en/docs-7.14.0/reference/gpu-arch/mi300-mi200-performance-counters.html. Passes stay
/// within the 4 counters of L2 (TCC), 4 of the vector L1 caches (TCP) and 8 of the sequencers (SQ) that the hardware
/// has; FETCH_SIZE and WRITE_SIZE are 2 of L2's each.
const std::vector<Metric>& metrics() {
  constexpr std::string_view instinct = "gfx908 gfx90a gfx942 gfx950";
  constexpr std::string_view without_infinity_cache = "gfx906 gfx908 gfx90a";
  constexpr std::string_view rdna = "gfx1030 gfx1031 gfx1032 gfx1100 gfx1101 gfx1102 gfx1200 gfx1201";
  static const std::vector<Metric> all{
      // Any counter brings timestamps and sizes of the kernels.
      {"duration", "", {on_all_architectures}, 0, true, time_of},
      {"blocks", "", {on_all_architectures}, 0, true, blocks_of},
      // Issued by wavefronts, which replay none.
      {"instructions", instinct, {"SQ_INSTS"}, 0, true, itself},
      {"tensor_instructions", instinct, {"SQ_INSTS_MFMA"}, 0, true, itself},
      // Requests of the vector L1 caches to L2.
      {"l2_reductions", instinct, {"TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum"}, 0, true, itself},
      {"l2_atomics", instinct, {"TCP_TCC_ATOMIC_WITH_RET_REQ_sum"}, 0, true, itself},
      // Requests where NVIDIA counts sectors. L2CacheHit is the same, but is not defined for gfx942.
      {"l2_hit_rate", "gfx906 gfx908 gfx90a gfx942 gfx950", {"TCC_HIT_sum", "TCC_MISS_sum"}, 1, false, hit_rate},
      {"l2_hit_rate", rdna, {"GL2C_HIT_sum", "GL2C_MISS_sum"}, 1, false, hit_rate},
      // Between L2 and Infinity Fabric. That is DRAM only where no Infinity Cache lies behind L2.
      {"dram_bytes_written", without_infinity_cache, {"WRITE_SIZE"}, 1, true, bytes_of_kib},
      {"dram_bytes_read", without_infinity_cache, {"FETCH_SIZE"}, 2, true, bytes_of_kib},
      // Resident wavefronts over the cycles in which a compute unit has any.
      {"active_warps", "gfx90a gfx942 gfx950", {"MeanOccupancyPerActiveCU"}, 3, false, itself},
      {"achieved_occupancy", "gfx90a gfx942 gfx950", {"MeanOccupancyPerActiveCU"}, 3, false, occupancy},
  };
  return all;
}

const Metric* metric_of(const Counter& counter, std::string_view architecture) {
  const std::string word = fmt::format(" {} ", architecture);
  for (const Metric& metric : metrics())
    if (metric.counter == counter.name &&
        (metric.architectures.empty() || fmt::format(" {} ", metric.architectures).find(word) != std::string::npos))
      return &metric;
  return nullptr;
}

/// A wanted counter that AMD has.
struct Request {
  const Metric* metric;
  Count* count;
};

/// The tool's exit with an error: it may refuse a group of counters, and take each.
struct Refused : Error {
  using Error::Error;
};

/// A temporary folder of its own.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "crosswarp-counters-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw Error(fmt::format("{}: cannot be created ({})", name, std::strerror(errno)), errno);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path path;
};

/// In the child: becomes the command, with its output in `log`. Async-signal-safe calls only.
[[noreturn]] void become(pid_t parent, int log, char* const* arguments) {
  setpgid(0, 0);  // ends with all that it starts
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // the parent died before prctl()
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

/// Returns the status of waitpid().
int run_to_end(const std::vector<std::string>& command, const fs::path& log, std::chrono::milliseconds limit,
               const std::function<void()>& sign_of_life) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (output < 0) throw Error(fmt::format("{}: {}", log.string(), std::strerror(errno)), errno);
  const pid_t self = getpid(), child = fork();
  if (child == 0) become(self, output, arguments.data());
  close(output);
  if (child < 0) throw Error(fmt::format("{}: cannot be started ({})", tool_name, std::strerror(errno)), errno);
  int status = 0;
  for (const auto began = std::chrono::steady_clock::now(); waitpid(child, &status, WNOHANG) == 0;) {
    if (std::chrono::steady_clock::now() - began > limit) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      throw Error(fmt::format("{} did not end within {:g} s", tool_name, std::chrono::duration<double>(limit).count()));
    }
    sign_of_life();
    std::this_thread::sleep_for(poll_interval);
  }
  return status;
}

/// The last line with text, but for the tool's own log of information and warnings (`W20260706 12:00:00.000 …`).
std::string last_line(const fs::path& log) {
  std::string last;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    const bool is_log =
        line.size() > 9 && (line[0] == 'I' || line[0] == 'W') &&
        std::all_of(line.begin() + 1, line.begin() + 9, [](unsigned char c) { return std::isdigit(c); });
    if (!is_log && line.find_first_not_of(" \t\r") != line.npos) last = line;
  }
  while (!last.empty() && std::string_view(" \t\r.").find(last.back()) != std::string_view::npos) last.pop_back();
  return last;
}

/// The fields of a line of CSV; a quoted one may hold commas, and two quotes for one. Nothing for an open quote.
std::optional<std::vector<std::string>> fields(const std::string& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      all.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      all.emplace_back();
    else if (c != '\r')
      all.back() += c;
  }
  if (quoted) return {};
  return all;
}

/// A row of one of the tool's files, by the names of its columns, which differ between versions.
class Row {
 public:
  Row(std::string where, const std::vector<std::string>& columns, std::vector<std::string> values)
      : where_(std::move(where)), columns_(columns), values_(std::move(values)) {}

  bool has(std::string_view column) const { return std::ranges::find(columns_, column) != columns_.end(); }
  const std::string& text(std::string_view column) const {
    const auto found = std::ranges::find(columns_, column);
    if (found == columns_.end())
      throw Error(fmt::format("{}: no column {}; {} of ROCm 6.3 or later is needed", where_, column, tool_name));
    return values_[static_cast<std::size_t>(found - columns_.begin())];
  }
  template <class T>
  T number(std::string_view column) const {
    const std::string& value = text(column);
    T number{};
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code != std::errc() || end != value.data() + value.size())
      throw Error(fmt::format("{}: {} is no number: '{}'", where_, column, value));
    return number;
  }

 private:
  std::string where_;
  const std::vector<std::string>& columns_;
  std::vector<std::string> values_;
};

/// Calls `take` for each row of the files below `folder` whose names end so: the tool may put them into folders of the
/// host or of the pass.
template <class Take>
void for_each_row(const fs::path& folder, std::string_view ending, Take take) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(ending)) continue;
    std::ifstream file(entry.path());
    std::vector<std::string> columns;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
      const std::string where = fmt::format("{}'s {}:{}", tool_name, name, ++number);
      auto values = fields(line);
      if (!values || (number > 1 && values->size() != columns.size())) throw Error(where + ": malformed line");
      if (number == 1)
        columns = *std::move(values);
      else
        take(Row(where, columns, *std::move(values)));
    }
  }
}

/// The kernels of the last range of that name, in launch order. The file has a row for each kernel and counter.
std::vector<Kernel> read_kernels(const fs::path& folder, const std::string& range) {
  std::uint64_t begin = 0, end = 0;
  for_each_row(folder, "marker_api_trace.csv", [&](const Row& row) {
    if (row.text("Function") != range || row.number<std::uint64_t>("Start_Timestamp") < begin) return;
    begin = row.number<std::uint64_t>("Start_Timestamp");
    end = row.number<std::uint64_t>("End_Timestamp");
  });
  if (end == 0)
    throw Error(
        fmt::format("{} has no range '{}': is librocprofiler-sdk-roctx.so installed beside it?", tool_name, range));
  std::map<std::uint64_t, Kernel> kernels;  // by dispatch
  for_each_row(folder, "counter_collection.csv", [&](const Row& row) {
    const auto start = row.number<std::uint64_t>("Start_Timestamp");
    if (start < begin || start >= end) return;
    Kernel& kernel = kernels[row.number<std::uint64_t>("Dispatch_Id")];
    kernel.counted[row.text("Counter_Name")] = row.number<double>("Counter_Value");
    kernel.start = start;
    kernel.end = row.number<std::uint64_t>("End_Timestamp");
    const auto threads = row.number<std::size_t>("Workgroup_Size"), all = row.number<std::size_t>("Grid_Size");
    if (threads == 0 || all % threads != 0 || kernel.end < start)
      throw Error(fmt::format("{}: a kernel of {} threads in blocks of {}, from {} to {} ns", tool_name, all, threads,
                              start, kernel.end));
    KernelRun& run = kernel.run;
    run.name = row.text("Kernel_Name");
    run.use = {.registers = row.number<int>("VGPR_Count"),
               .shared_bytes = row.number<std::size_t>("LDS_Block_Size"),
               .blocks = all / threads,
               .threads = threads};
    if (row.has("Accum_VGPR_Count")) run.use.registers += row.number<int>("Accum_VGPR_Count");
    // The tool tells products of the three dimensions.
    run.grid = {static_cast<unsigned>(run.use.blocks), 1, 1};
    run.block = {static_cast<unsigned>(threads), 1, 1};
  });
  if (kernels.empty()) throw Error(fmt::format("{}: the launch runs no kernel", tool_name));
  std::vector<Kernel> in_order;
  for (auto& [dispatch, kernel] : kernels) in_order.push_back(std::move(kernel));
  return in_order;
}

/// One pass: counts `hardware` together. Throws Refused where the tool or the program fails.
std::vector<Kernel> count_once(const std::string& tool, const std::vector<std::string_view>& hardware,
                               const ProfiledProcess& process, std::chrono::milliseconds limit) {
  const Folder folder;
  std::vector<std::string> command{tool, "--pmc"};
  command.insert(command.end(), hardware.begin(), hardware.end());
  const fs::path output = folder.path / "output", log = folder.path / "log";
  command.insert(command.end(),
                 {"--marker-trace", "--output-format", "csv", "-d", output.string(), "-o", "counters", "--"});
  command.insert(command.end(), process.command.begin(), process.command.end());
  const int status = run_to_end(command, log, limit, process.sign_of_life);
  if (status != 0) {
    const std::string how =
        WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : fmt::format("exit code {}", WEXITSTATUS(status));
    throw Refused(fmt::format("{}: {}: {}", tool_name, how, last_line(log)), status);
  }
  if (!fs::exists(output)) throw Refused(fmt::format("{} left no output: {}", tool_name, last_line(log)));
  return read_kernels(output, process.range);
}

/// The hardware counters of all of them, each once.
std::vector<std::string_view> hardware_of(const std::vector<Request>& requests) {
  std::vector<std::string_view> all;
  for (const Request& request : requests)
    for (const std::string_view counter : request.metric->needs)
      if (std::ranges::find(all, counter) == all.end()) all.push_back(counter);
  return all;
}

void evaluate(const std::vector<Request>& requests, const std::vector<Kernel>& kernels, const CountedDevice& device) {
  for (const auto& [metric, count] : requests) {
    std::vector<double> values, times;
    std::string_view missing;
    for (const Kernel& kernel : kernels) {
      std::vector<double> counted;
      for (const std::string_view counter : metric->needs) {
        const auto found = kernel.counted.find(counter);
        if (found == kernel.counted.end()) missing = counter;
        counted.push_back(found == kernel.counted.end() ? std::nan("") : found->second);
      }
      values.push_back(metric->value(kernel, counted, device));
      times.push_back(kernel.time());
    }
    const double value = over_kernels(values, times, metric->adds);
    if (!missing.empty())
      count->why_not = fmt::format("{} gave no value of {}", tool_name, missing);
    else if (std::isfinite(value))
      count->value = value;
    else
      count->why_not = "nothing of the kind was executed";
  }
}

}  // namespace

std::vector<std::string> Rocprof::known_folders() {
  std::vector<std::string> folders;
  const char* const path = std::getenv("PATH");
  std::string rest = path ? path : "";
  for (std::size_t colon = 0; !rest.empty(); rest.erase(0, colon == rest.npos ? colon : colon + 1)) {
    colon = rest.find(':');
    if (const std::string folder = rest.substr(0, colon); !folder.empty()) folders.push_back(folder);
  }
  if (const char* rocm = std::getenv("ROCM_PATH")) folders.push_back(rocm + std::string("/bin"));
  folders.emplace_back("/opt/rocm/bin");
  return folders;
}

Rocprof::Rocprof(const std::vector<std::string>& folders, std::chrono::milliseconds limit) : limit_(limit) {
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + tool_name;
    if (tool_.empty() && access(path.c_str(), X_OK) == 0) tool_ = path;
  }
}

Counters Rocprof::count(const CountedDevice& device, const std::vector<const Counter*>& wanted,
                        const ProfiledProcess& process) const {
  if (tool_.empty())
    throw Error(
        fmt::format("needs {} of ROCm 6.3 or later (package rocprofiler-sdk), which is neither on PATH nor in "
                    "$ROCM_PATH/bin nor in /opt/rocm/bin",
                    tool_name));
  if (process.command.empty())
    throw Error(fmt::format("{} starts the program anew with one cell, which is impossible here", tool_name));
  Counters counters;
  for (const Counter* counter : wanted) counters.counts.push_back({counter, {}, {}});
  std::map<int, std::vector<Request>> passes;
  for (Count& count : counters.counts) {
    if (const Metric* metric = metric_of(*count.counter, device.architecture))
      passes[metric->pass].push_back({metric, &count});
    else
      count.why_not = "no counter of AMD's stands for it on " + device.architecture;
  }
  // Returns why they were refused; empty where they were counted.
  const auto refusal = [&](const std::vector<Request>& requests) -> std::string {
    try {
      std::vector<Kernel> kernels = count_once(tool_, hardware_of(requests), process, limit_);
      evaluate(requests, kernels, device);
      if (counters.kernels.empty())
        for (Kernel& kernel : kernels) counters.kernels.push_back(std::move(kernel.run));
      return {};
    } catch (const Refused& refused) {
      return refused.what();
    }
  };
  for (const auto& [pass, requests] : passes) {
    if (refusal(requests).empty()) continue;
    // Throws where the program fails with any counter.
    if (counters.kernels.empty()) count_once(tool_, {on_all_architectures}, process, limit_);
    for (const Request& request : requests)
      if (std::string why = refusal({request}); !why.empty()) request.count->why_not = std::move(why);
  }
  return counters;
}

}  // namespace crosswarp::gpu
