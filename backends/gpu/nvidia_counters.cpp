// Hardware counters of NVIDIA's GPUs, by CUPTI: its range profiler for counters, its activity records for kernels.
// CUPTI is loaded when somebody asks for counters and not before: it changes what a launch costs.
#include <fmt/format.h>

#include "backends/gpu/vendor.hpp"
#include "core/error.hpp"

#if __has_include(<cupti_range_profiler.h>)
#include <cuda.h>
#include <cuda_occupancy.h>
#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>

#include "backends/gpu/error.hpp"

namespace crosswarp::gpu::vendor {
namespace {

constexpr std::size_t most_kernels = 65;  // in one launch of a cell, and one before it
constexpr const char* time_metric = "gpu__time_duration.sum";

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

/// The library that fits the headers. Throws Error where there is none.
void* library() {
  static void* const loaded = [] {
    // Where the loader looks by itself, and where toolkits put it.
    const std::string name = fmt::format("libcupti.so.{}", CUDA_VERSION / 1000);
    std::vector<std::string> folders{"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/",
                                     "/usr/local/cuda/extras/CUPTI/lib64/"};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* home = std::getenv(variable))
        folders.insert(folders.end(), {home + std::string("/lib64/"), home + std::string("/extras/CUPTI/lib64/")});
    void* found = nullptr;
    for (const std::string& folder : folders)
      if (!found) found = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    return found;
  }();
  if (!loaded)
    throw Error(
        fmt::format("there is no libcupti.so.{} here; install CUDA's CUPTI, or put its folder on LD_LIBRARY_PATH",
                    CUDA_VERSION / 1000));
  return loaded;
}

void* address(void* in, const char* name) {
  void* const symbol = dlsym(in, name);
  if (!symbol) throw Error(fmt::format("counters: {} is not in this CUPTI; one of CUDA 12.6 or later has it", name));
  return symbol;
}

std::string reason(CUptiResult code) {
  switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "this user may not read hardware counters (ERR_NVGPUCTRPERM); be root, or load the driver with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler is attached";
    default: {
      const char* text = nullptr;
      const auto words = reinterpret_cast<decltype(&cuptiGetResultString)>(address(library(), "cuptiGetResultString"));
      return words(code, &text) == CUPTI_SUCCESS && text ? text : fmt::format("error {}", static_cast<int>(code));
    }
  }
}

/// A function of CUPTI's, by its name and the type that the headers give it. Throws Error where it fails.
template <class Function>
struct Entry {
  const char* name;

  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    const CUptiResult code = reinterpret_cast<Function*>(address(library(), name))(arguments...);
    if (code != CUPTI_SUCCESS) throw Error(fmt::format("counters: {}: {}", name, reason(code)), code);
  }
};
#define CUPTI(function) \
  Entry<decltype(function)> { #function }

/// Nothing but its own size is set; CUPTI knows by it which fields there are.
#define CUPTI_PARAMETERS(type, name) \
  type name{};                       \
  name.structSize = type##_STRUCT_SIZE

std::string source_name(const char* mangled) {
  if (!mangled) return "?";
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(mangled, nullptr, nullptr, &failed),
                                                        std::free);
  return failed ? mangled : readable.get();
}

/// Fills in what the kernel's registers, shared memory and block let be resident on a multiprocessor.
void occupy(KernelRun& run, std::size_t static_bytes, std::size_t dynamic_bytes, const cudaDeviceProp& properties) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = properties.maxThreadsPerBlock;
  attributes.numRegs = run.use.registers;
  attributes.sharedSizeBytes = static_bytes;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = dynamic_bytes;
  attributes.numBlockBarriers = 1;
  const cudaOccDeviceProp device(properties);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &attributes, &state, static_cast<int>(run.use.threads),
                                              dynamic_bytes) != CUDA_OCC_SUCCESS)
    return;
  run.use.occupancy = static_cast<double>(result.activeBlocksPerMultiprocessor) * static_cast<double>(run.use.threads) /
                      properties.maxThreadsPerMultiProcessor;
  for (const auto& [factor, what] : {std::pair{OCC_LIMIT_WARPS, "threads"},
                                     {OCC_LIMIT_REGISTERS, "registers"},
                                     {OCC_LIMIT_SHARED_MEMORY, "shared memory"},
                                     {OCC_LIMIT_BLOCKS, "blocks"},
                                     {OCC_LIMIT_BARRIERS, "barriers"}})
    if (result.limitingFactors & factor) run.limited_by += (run.limited_by.empty() ? "" : ", ") + std::string(what);
}

/// The kernels that run while it lives. CUPTI hands records to plain functions, hence what is static here.
class KernelTrace {
 public:
  KernelTrace() {
    static std::once_flag registered;
    std::call_once(registered, [] { CUPTI(cuptiActivityRegisterCallbacks)(request, complete); });
    records().clear();
    CUPTI(cuptiActivityEnable)(kind);
  }
  ~KernelTrace() {
    try {
      CUPTI(cuptiActivityDisable)(kind);
    } catch (const Error&) {  // it was on, or the constructor would have thrown
    }
  }
  KernelTrace(const KernelTrace&) = delete;
  KernelTrace& operator=(const KernelTrace&) = delete;

  /// In the order in which they started. The device must be idle.
  std::vector<KernelRun> kernels(const cudaDeviceProp& properties) {
    CUPTI(cuptiActivityFlushAll)(std::uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
    const std::lock_guard lock(mutex());
    std::sort(records().begin(), records().end(), [](const Record& a, const Record& b) { return a.start < b.start; });
    std::vector<KernelRun> runs;
    for (const Record& record : records()) {
      runs.push_back(record.run);
      occupy(runs.back(), record.static_bytes, record.dynamic_bytes, properties);
    }
    return runs;
  }

 private:
  static constexpr auto kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
  static constexpr std::align_val_t alignment{8};  // that CUPTI asks for

  struct Record {
    std::uint64_t start;
    KernelRun run;
    std::size_t static_bytes, dynamic_bytes;
  };

  static std::vector<Record>& records() {
    static std::vector<Record> all;
    return all;
  }
  static std::mutex& mutex() {  // a thread of CUPTI's may complete a buffer
    static std::mutex one;
    return one;
  }

  static void CUPTIAPI request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    *buffer = static_cast<std::uint8_t*>(::operator new(buffer_bytes, alignment));
    *bytes = buffer_bytes;
    *most_records = 0;
  }

  static void CUPTIAPI complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    const std::lock_guard lock(mutex());
    const auto next =
        reinterpret_cast<decltype(&cuptiActivityGetNextRecord)>(address(library(), "cuptiActivityGetNextRecord"));
    for (CUpti_Activity* activity = nullptr; next(buffer, valid, &activity) == CUPTI_SUCCESS;)
      if (activity->kind == kind) records().push_back(read(*reinterpret_cast<const KernelRecord*>(activity)));
    ::operator delete(buffer, alignment);
  }

  static Record read(const KernelRecord& kernel) {
    const auto size = [](std::int32_t v) { return static_cast<std::size_t>(v); };
    const auto dimension = [](std::int32_t v) { return static_cast<unsigned>(v); };
    Record record{kernel.start, {}, size(kernel.staticSharedMemory), size(kernel.dynamicSharedMemory)};
    KernelRun& run = record.run;
    run.name = source_name(kernel.name);
    run.grid = {dimension(kernel.gridX), dimension(kernel.gridY), dimension(kernel.gridZ)};
    run.block = {dimension(kernel.blockX), dimension(kernel.blockY), dimension(kernel.blockZ)};
    run.use = {.registers = kernel.registersPerThread,
               .shared_bytes = record.static_bytes + record.dynamic_bytes,
               .blocks = size(kernel.gridX) * size(kernel.gridY) * size(kernel.gridZ),
               .threads = size(kernel.blockX) * size(kernel.blockY) * size(kernel.blockZ)};
    return record;
  }
};

/// CUPTI's host side: which metrics a chip has, how to schedule them, what counted data comes to.
class Evaluator {
 public:
  Evaluator(const char* chip, const std::vector<std::uint8_t>& available) : available_(available) {
    CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, p);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip;
    p.pCounterAvailabilityImage = available_.data();
    CUPTI(cuptiProfilerHostInitialize)(&p);
    host_ = p.pHostObject;
  }
  ~Evaluator() {
    CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, p);
    p.pHostObject = host_;
    try {
      CUPTI(cuptiProfilerHostDeinitialize)(&p);
    } catch (const Error&) {  // nothing is lost but its memory
    }
  }
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  bool has(const char* metric) const {
    CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties_Params, p);
    p.pHostObject = host_;
    p.pMetricName = metric;
    try {
      CUPTI(cuptiProfilerHostGetMetricProperties)(&p);
    } catch (const Error& error) {
      if (error.code() == CUPTI_ERROR_INVALID_METRIC_NAME) return false;
      throw;
    }
    return true;
  }

  /// How the hardware is to be set up to count `metrics`, pass by pass.
  std::vector<std::uint8_t> schedule(std::vector<const char*>& metrics) const {
    CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = host_;
    add.ppMetricNames = metrics.data();
    add.numMetrics = metrics.size();
    CUPTI(cuptiProfilerHostConfigAddMetrics)(&add);
    CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host_;
    CUPTI(cuptiProfilerHostGetConfigImageSize)(&size);
    std::vector<std::uint8_t> image(size.configImageSize);
    CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, get);
    get.pHostObject = host_;
    get.configImageSize = image.size();
    get.pConfigImage = image.data();
    CUPTI(cuptiProfilerHostGetConfigImage)(&get);
    return image;
  }

  static std::size_t passes(std::vector<std::uint8_t>& schedule) {
    CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, p);
    p.configImageSize = schedule.size();
    p.pConfigImage = schedule.data();
    CUPTI(cuptiProfilerHostGetNumOfPasses)(&p);
    return p.numOfPasses;
  }

  /// NaN where the metric has no value for that range.
  double value(const std::vector<std::uint8_t>& counted, std::size_t range, const char* metric) const {
    double value = std::nan("");
    CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);
    p.pHostObject = host_;
    p.pCounterDataImage = counted.data();
    p.counterDataImageSize = counted.size();
    p.rangeIndex = range;
    p.ppMetricNames = &metric;
    p.numMetrics = 1;
    p.pMetricValues = &value;
    CUPTI(cuptiProfilerHostEvaluateToGpuValues)(&p);
    return value;
  }

 private:
  std::vector<std::uint8_t> available_;  // which the host object goes on pointing to
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

/// The range profiler of one context, while it is on. Each kernel is a range: what is counted is the kernel, as in
/// Nsight Compute, and not the time that the host takes to launch it.
class Profiler {
 public:
  explicit Profiler(CUcontext context) {
    CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params, p);
    p.ctx = context;
    CUPTI(cuptiRangeProfilerEnable)(&p);
    profiler_ = p.pRangeProfilerObject;
  }
  ~Profiler() {
    CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params, p);
    p.pRangeProfilerObject = profiler_;
    try {
      CUPTI(cuptiRangeProfilerDisable)(&p);
    } catch (const Error&) {  // whatever failed before has been told
    }
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Repeats `launch` until all of `schedule` is counted. The data has one range for each kernel of `before` and,
  /// behind them, of `launch`.
  std::vector<std::uint8_t> count(std::vector<const char*>& metrics, std::vector<std::uint8_t>& schedule,
                                  const std::function<void()>& before, const std::function<void()>& launch) {
    std::vector<std::uint8_t> counted = room_for(metrics);
    CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = profiler_;
    set.configSize = schedule.size();
    set.pConfig = schedule.data();
    set.counterDataImageSize = counted.size();
    set.pCounterDataImage = counted.data();
    set.range = CUPTI_AutoRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = most_kernels;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.targetNestingLevel = 1;
    CUPTI(cuptiRangeProfilerSetConfig)(&set);
    const std::size_t passes = Evaluator::passes(schedule);
    bool done = false;
    for (std::size_t pass = 0; pass < passes && !done; ++pass) {
      CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params, start);
      start.pRangeProfilerObject = profiler_;
      CUPTI(cuptiRangeProfilerStart)(&start);
      // Not earlier: starting leaves 28 MB of CUPTI's own in the L2 cache, which is written back when the launch
      // displaces it (H200; a tenth of the time of a kernel that reads 256 MiB).
      before();
      launch();
      CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
      stop.pRangeProfilerObject = profiler_;
      CUPTI(cuptiRangeProfilerStop)(&stop);
      done = stop.isAllPassSubmitted;
    }
    if (!done) throw Error(fmt::format("counters: not everything was counted after all {} passes", passes));
    CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = profiler_;
    CUPTI(cuptiRangeProfilerDecodeData)(&decode);
    if (decode.numOfRangeDropped > 0)
      throw Error(fmt::format("counters: one launch runs more than {} kernels", most_kernels - 1));
    return counted;
  }

 private:
  std::vector<std::uint8_t> room_for(std::vector<const char*>& metrics) {
    CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = metrics.data();
    size.numMetrics = metrics.size();
    size.maxNumOfRanges = most_kernels;
    size.maxNumRangeTreeNodes = most_kernels;
    CUPTI(cuptiRangeProfilerGetCounterDataSize)(&size);
    std::vector<std::uint8_t> image(size.counterDataSize);
    CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    initialize.pRangeProfilerObject = profiler_;
    initialize.counterDataSize = image.size();
    initialize.pCounterData = image.data();
    CUPTI(cuptiRangeProfilerCounterDataImageInitialize)(&initialize);
    return image;
  }

  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

std::size_t ranges_in(const std::vector<std::uint8_t>& counted) {
  CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, p);
  p.pCounterDataImage = counted.data();
  p.counterDataImageSize = counted.size();
  CUPTI(cuptiRangeProfilerGetCounterDataInfo)(&p);
  return p.numTotalRanges;
}

/// The context of the runtime's current device. The driver is in the process already: the runtime loaded it.
CUcontext current_context() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) throw Error("counters: libcuda.so.1 cannot be loaded");
  CUcontext context = nullptr;
  if (reinterpret_cast<decltype(&cuCtxGetCurrent)>(address(driver, "cuCtxGetCurrent"))(&context) != CUDA_SUCCESS ||
      !context)
    throw Error("counters: the device has no context");
  return context;
}

std::string chip_of(int ordinal) {
  CUPTI_PARAMETERS(CUpti_Device_GetChipName_Params, p);
  p.deviceIndex = static_cast<std::size_t>(ordinal);
  CUPTI(cuptiDeviceGetChipName)(&p);
  return p.pChipName;
}

/// What of the chip's counters this process may have. This is where CUPTI refuses users who may have none.
std::vector<std::uint8_t> available_in(CUcontext context) {
  CUPTI_PARAMETERS(CUpti_Profiler_GetCounterAvailability_Params, p);
  p.ctx = context;
  CUPTI(cuptiProfilerGetCounterAvailability)(&p);
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  CUPTI(cuptiProfilerGetCounterAvailability)(&p);
  image.resize(p.counterAvailabilityImageSize);
  return image;
}

/// Counts what CUPTI has metrics for; the rest keeps no value and no reason.
void count_metrics(int ordinal, std::vector<Count>& counts, std::size_t kernels_before,
                   const std::function<void()>& before, const std::function<void()>& launch) {
  CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params, initialize);
  CUPTI(cuptiProfilerInitialize)(&initialize);
  const CUcontext context = current_context();
  const std::string chip = chip_of(ordinal);
  const std::vector<std::uint8_t> available = available_in(context);
  const Evaluator evaluator(chip.c_str(), available);

  std::vector<const char*> metrics{time_metric};
  std::vector<Count*> counted_as;
  for (Count& count : counts) {
    if (count.counter->metric.empty()) continue;
    const char* metric = count.counter->metric.data();  // of a literal, and so with its zero
    if (!evaluator.has(metric)) {
      count.why_not = fmt::format("{} has no {}", chip, metric);
      continue;
    }
    counted_as.push_back(&count);
    if (std::string_view(metric) != time_metric) metrics.push_back(metric);
  }
  std::vector<std::uint8_t> schedule = evaluator.schedule(metrics);
  Profiler profiler(context);
  const std::vector<std::uint8_t> counted = profiler.count(metrics, schedule, before, launch);
  const std::size_t ranges = ranges_in(counted);
  if (ranges <= kernels_before) throw Error("counters: the launch runs no kernel");

  const auto by_kernel = [&](const char* metric) {
    std::vector<double> values;
    for (std::size_t k = kernels_before; k < ranges; ++k) values.push_back(evaluator.value(counted, k, metric));
    return values;
  };
  const std::vector<double> times = by_kernel(time_metric);
  const auto is_zero = [&](std::string_view name) {
    return std::any_of(counts.begin(), counts.end(),
                       [&](const Count& count) { return count.counter->name == name && count.value == 0.0; });
  };
  for (Count* count : counted_as) {
    const std::string_view metric = count->counter->metric;
    try {
      const double value = over_kernels(by_kernel(metric.data()), times, metric.ends_with(".sum"));
      if (std::isfinite(value) && !is_zero(count->counter->share_of))
        count->value = value;
      else
        count->why_not = "nothing of the kind was executed";
    } catch (const Error& error) {
      count->why_not = error.what();
    }
  }
}

/// A counter that no metric stands for. Throws Error, with the reason, where it has no value.
double derive(std::string_view name, const Counters& counters, const std::string& why_no_kernels,
              const cudaDeviceProp& properties) {
  if (name == "shared_ideal_wavefronts") {
    const auto all = counters["shared_wavefronts"], conflicts = counters["bank_conflicts"];
    if (!all || !conflicts) throw Error("needs shared_wavefronts and bank_conflicts");
    return *all - *conflicts;
  }
  if (counters.kernels.empty()) throw Error(why_no_kernels);
  const auto threads = [](const KernelRun& k) { return k.use.blocks * k.use.threads; };
  const KernelRun& largest =
      *std::max_element(counters.kernels.begin(), counters.kernels.end(),
                        [&](const KernelRun& a, const KernelRun& b) { return threads(a) < threads(b); });
  if (name == "blocks")
    return std::accumulate(counters.kernels.begin(), counters.kernels.end(), 0.0,
                           [](double sum, const KernelRun& k) { return sum + static_cast<double>(k.use.blocks); });
  if (largest.use.occupancy == 0) throw Error("the kernel's occupancy is not known");
  if (name == "theoretical_occupancy") return 100 * largest.use.occupancy;
  if (name == "waves")
    return static_cast<double>(threads(largest)) /
           (largest.use.occupancy * properties.maxThreadsPerMultiProcessor * properties.multiProcessorCount);
  throw Error("nothing tells how to derive it");
}

}  // namespace

Counters count(int ordinal, const std::vector<const Counter*>& wanted, std::size_t kernels_before,
               const std::function<void()>& before, const std::function<void()>& launch, const ProfiledProcess&) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "device properties");
  Counters counters;
  for (const Counter* counter : wanted) counters.counts.push_back({counter, {}, {}});
  std::string why_no_kernels = "no kernel was seen";
  try {  // first, and over before counting begins: CUPTI does not do both at once
    KernelTrace trace;
    launch();
    counters.kernels = trace.kernels(properties);
  } catch (const Error& error) {
    why_no_kernels = error.what();
  }
  count_metrics(ordinal, counters.counts, kernels_before, before, launch);
  for (Count& count : counters.counts) {
    if (!count.counter->metric.empty()) continue;
    try {
      count.value = derive(count.counter->name, counters, why_no_kernels, properties);
    } catch (const Error& error) {
      count.why_not = error.what();
    }
  }
  return counters;
}

}  // namespace crosswarp::gpu::vendor

#else

namespace crosswarp::gpu::vendor {

Counters count(int, const std::vector<const Counter*>&, std::size_t, const std::function<void()>&,
               const std::function<void()>&, const ProfiledProcess&) {
  throw Error("this program was built without the headers of CUPTI (CUDA 12.6 or later), and so without counters");
}

}  // namespace crosswarp::gpu::vendor

#endif
