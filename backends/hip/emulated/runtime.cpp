// Stand-in for AMD's HIP runtime: memory of the host, launches that an emulator of the instruction set runs where they
// are called. It has the functions that this project calls and no more. One that is missing here is named by the
// linker, or is AMD's own where CMake links that runtime too: then it finds no device (hipErrorNoDevice). Streams need
// no order, since each call ends before the next; graphs replay what was enqueued; nothing can be timed.
#include <fmt/format.h>
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/hip/emulated/code_object.hpp"
#include "backends/hip/emulated/dispatch.hpp"
#include "core/error.hpp"

namespace crosswarp::amd_emulated {
namespace {

constexpr std::size_t memory_size = std::size_t{1} << 30;

/// What went wrong last, for hipGetErrorString().
thread_local std::string message;
thread_local hipError_t last_error = hipSuccess;
thread_local int current_device = 0;

hipError_t fail(hipError_t code, const std::string& why) {
  message = why;
  return last_error = code;
}

const Module& module() {
  static const Module loaded = load_module(std::getenv("CROSSWARP_AMD_EMULATOR"), std::getenv("HIP_VISIBLE_DEVICES"));
  return loaded;
}

/// A bundle that the compiler registered, and its code objects as far as they were needed.
struct Program {
  const std::byte* bundle;
  std::map<std::string, std::unique_ptr<CodeObject>> loaded;  // by architecture; null: it has none

  const CodeObject* code(const std::string& architecture) {
    auto found = loaded.find(architecture);
    if (found == loaded.end()) {
      const auto elf = find_code_object(bundle, architecture);
      found = loaded.emplace(architecture, elf.empty() ? nullptr : std::make_unique<CodeObject>(elf)).first;
    }
    return found->second.get();
  }
};

struct Symbol {
  Program* program;
  std::string name;
};

/// What the compiler registers before main() begins, by the host's address.
struct Registered {
  std::vector<std::unique_ptr<Program>> programs;
  std::map<const void*, Symbol> kernels, variables;
};

Registered& registered() {
  static Registered all;
  return all;
}

const std::string& architecture() { return module().architectures.at(static_cast<std::size_t>(current_device)); }

const CodeObject& code_of(const Symbol& symbol) {
  const CodeObject* const code = symbol.program->code(architecture());
  if (!code) throw Error("this build has no code for " + architecture(), hipErrorNoBinaryForGpu);
  return *code;
}

const Symbol& find(const std::map<const void*, Symbol>& symbols, const void* address) {
  const auto found = symbols.find(address);
  if (found == symbols.end()) throw Error("no symbol of the device was registered for it", hipErrorInvalidSymbol);
  return found->second;
}

const Kernel& kernel_of(const void* function) {
  const Symbol& symbol = find(registered().kernels, function);
  const Kernel* const kernel = code_of(symbol).kernel(symbol.name);
  if (!kernel) throw Error("the code object has no kernel " + symbol.name, hipErrorInvalidDeviceFunction);
  return *kernel;
}

/// Runs `work` and turns what it throws into an error of HIP's.
template <class Work>
hipError_t guarded(Work work) {
  try {
    work();
    return hipSuccess;
  } catch (const Error& error) {
    return fail(error.code() == 0 ? hipErrorLaunchFailure : static_cast<hipError_t>(error.code()), error.what());
  } catch (const std::exception& error) {
    return fail(hipErrorUnknown, error.what());
  }
}

/// What a graph holds.
using Work = std::vector<std::function<void()>>;

/// A capture of one stream and of those that wait for its events. The calls' order is one that the graph allows.
struct Capture {
  Work work;
  bool has_ended = false;
};
struct Stream {
  std::shared_ptr<Capture> capture;  // its last
};
struct Event {
  std::shared_ptr<Capture> capture;  // of the stream that recorded it last
};

/// The capture that the stream takes part in; null where there is none.
std::shared_ptr<Capture> capture_of(hipStream_t stream) {
  const auto* const of = reinterpret_cast<Stream*>(stream);
  return of && of->capture && !of->capture->has_ended ? of->capture : nullptr;
}

/// Does `work` now, or when the graph is launched that the stream is captured into.
hipError_t enqueue(hipStream_t stream, std::function<void()> work) {
  if (const auto capture = capture_of(stream)) {
    capture->work.push_back(std::move(work));
    return hipSuccess;
  }
  return guarded(work);
}

hipError_t launch(const void* function, dim3 grid, dim3 block, void** values, std::size_t dynamic_bytes,
                  bool is_cooperative, hipStream_t stream) {
  return guarded([&] {
    auto dispatch = prepare(kernel_of(function),
                            {.grid = {grid.x, grid.y, grid.z},
                             .block = {block.x, block.y, block.z},
                             .dynamic_bytes = dynamic_bytes,
                             .is_cooperative = is_cooperative},
                            values);
    const hipError_t code =
        enqueue(stream, [dispatch = std::move(dispatch), on = architecture()] { run(module(), on, dispatch); });
    if (code != hipSuccess) throw Error(message, code);
  });
}

hipError_t allocate(void** memory, std::size_t bytes) {
  *memory = bytes == 0 ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory || bytes == 0 ? hipSuccess : fail(hipErrorOutOfMemory, "the host has no memory left");
}
hipError_t release(void* memory) {
  std::free(memory);
  return hipSuccess;
}

hipError_t refuse_nodes() { return fail(hipErrorNotSupported, "an emulated device does not list a graph's nodes"); }

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  hipStream_t stream;
};
thread_local std::vector<Configuration> configurations;  // of launches by <<<>>> that have begun

}  // namespace
}  // namespace crosswarp::amd_emulated

using namespace crosswarp::amd_emulated;
using crosswarp::Error;

extern "C" {

// The compiler's own calls, of which HIP's headers declare the last two.

struct FatBinary {
  unsigned magic, version;
  const void* bundle;
  void* unused;
};

void** __hipRegisterFatBinary(const void* data) {
  auto& programs = registered().programs;
  programs.push_back(std::make_unique<Program>(
      Program{.bundle = static_cast<const std::byte*>(static_cast<const FatBinary*>(data)->bundle), .loaded = {}}));
  return reinterpret_cast<void**>(programs.back().get());
}
void __hipUnregisterFatBinary(void**) {}  // the program ends
void __hipRegisterFunction(void** program, const void* function, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*) {
  registered().kernels[function] = {reinterpret_cast<Program*>(program), name};
}
void __hipRegisterVar(void** program, void* host, char*, char* name, int, std::size_t, int, int) {
  registered().variables[host] = {reinterpret_cast<Program*>(program), name};
}
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, hipStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, hipStream_t* stream) {
  const Configuration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *stream = last.stream;
  return hipSuccess;
}

// Errors. The message is the last failure's, since its text says more than the code's.

hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }
hipError_t hipPeekAtLastError() { return last_error; }
const char* hipGetErrorString(hipError_t code) { return code == hipSuccess ? "no error" : message.c_str(); }
const char* hipGetErrorName(hipError_t code) {
  switch (code) {
    case hipSuccess:
      return "hipSuccess";
    case hipErrorInvalidValue:
      return "hipErrorInvalidValue";
    case hipErrorInvalidConfiguration:
      return "hipErrorInvalidConfiguration";
    case hipErrorInvalidSymbol:
      return "hipErrorInvalidSymbol";
    case hipErrorInvalidDevice:
      return "hipErrorInvalidDevice";
    case hipErrorInvalidDeviceFunction:
      return "hipErrorInvalidDeviceFunction";
    case hipErrorNoDevice:
      return "hipErrorNoDevice";
    case hipErrorNoBinaryForGpu:
      return "hipErrorNoBinaryForGpu";
    case hipErrorOutOfMemory:
      return "hipErrorOutOfMemory";
    case hipErrorLaunchFailure:
      return "hipErrorLaunchFailure";
    case hipErrorCooperativeLaunchTooLarge:
      return "hipErrorCooperativeLaunchTooLarge";
    case hipErrorNotSupported:
      return "hipErrorNotSupported";
    default:
      return "hipErrorUnknown";
  }
}

// Devices: one for each architecture of the emulator.

hipError_t hipGetDeviceCount(int* count) {
  *count = static_cast<int>(module().architectures.size());
  return *count > 0 ? hipSuccess : fail(hipErrorNoDevice, module().why_none);
}
hipError_t hipGetDevice(int* device) {
  *device = current_device;
  return hipSuccess;
}
hipError_t hipSetDevice(int device) {
  if (device < 0 || static_cast<std::size_t>(device) >= module().architectures.size())
    return fail(hipErrorInvalidDevice, fmt::format("there is no device {}", device));
  current_device = device;
  return hipSuccess;
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  return guarded([&] {
    const std::string& name = module().architectures.at(static_cast<std::size_t>(device));
    *properties = {};
    fmt::format_to_n(properties->name, sizeof properties->name - 1, "{} emulated by {}", name,
                     module().emulator->description);
    fmt::format_to_n(properties->gcnArchName, sizeof properties->gcnArchName - 1, "{}", name);
    properties->totalGlobalMem = memory_size;
    properties->sharedMemPerBlock = group_memory;
    properties->warpSize = wave_size;
    properties->maxThreadsPerBlock = max_threads;
    properties->multiProcessorCount = compute_units;
    properties->maxThreadsPerMultiProcessor = threads_per_unit;
    properties->l2CacheSize = 1 << 20;
    properties->cooperativeLaunch = 1;
  });
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int) {
  switch (which) {
    case hipDeviceAttributeClockRate:
    case hipDeviceAttributeMemoryClockRate:
    case hipDeviceAttributeMemoryBusWidth:
      *value = 0;
      return hipSuccess;  // nothing here has a speed
    case hipDeviceAttributeMultiprocessorCount:
      *value = compute_units;
      return hipSuccess;
    case hipDeviceAttributeWarpSize:
      *value = wave_size;
      return hipSuccess;
    default:
      return fail(hipErrorInvalidValue, fmt::format("an emulated device has no attribute {}", +which));
  }
}
hipError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
  std::snprintf(id, static_cast<std::size_t>(length), "emulated:%d", device);
  return hipSuccess;
}
hipError_t hipDriverGetVersion(int* version) {
  *version = 0;
  return hipSuccess;
}
hipError_t hipRuntimeGetVersion(int* version) {
  *version = HIP_VERSION;
  return hipSuccess;
}
hipError_t hipDeviceSynchronize() { return hipSuccess; }

// Memory

hipError_t hipMalloc(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
hipError_t hipFree(void* memory) { return release(memory); }
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned) { return allocate(memory, bytes); }
hipError_t hipHostFree(void* memory) { return release(memory); }
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return hipSuccess;
}
hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = memory_size;
  return hipSuccess;
}
hipError_t hipMemsetAsync(void* to, int byte, std::size_t bytes, hipStream_t stream) {
  return enqueue(stream, [=] {
    if (bytes > 0) std::memset(to, byte, bytes);
  });
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind, hipStream_t stream) {
  return enqueue(stream, [=] {
    if (bytes > 0) std::memmove(to, from, bytes);
  });
}
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                  hipMemcpyKind, hipStream_t stream) {
  return enqueue(stream, [=] {
    const Symbol& found = find(registered().variables, symbol);
    const auto to = code_of(found).variable(found.name);
    if (offset > to.size() || bytes > to.size() - offset)
      throw Error(fmt::format("{} has {} bytes", found.name, to.size()), hipErrorInvalidValue);
    std::memcpy(to.data() + offset, from, bytes);
  });
}

// Streams and events: what is enqueued has happened already, unless it is captured.

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned) {
  *stream = reinterpret_cast<hipStream_t>(new Stream);
  return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  delete reinterpret_cast<Stream*>(stream);
  return hipSuccess;
}
int hipGetStreamDeviceId(hipStream_t) { return current_device; }
hipError_t hipStreamQuery(hipStream_t) { return hipSuccess; }
hipError_t hipStreamSynchronize(hipStream_t stream) {
  if (capture_of(stream))
    return fail(hipErrorStreamCaptureUnsupported, "a stream that is being captured has nothing to wait for");
  return hipSuccess;
}
hipError_t hipEventCreate(hipEvent_t* event) {
  *event = reinterpret_cast<hipEvent_t>(new Event);
  return hipSuccess;
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned) { return hipEventCreate(event); }
hipError_t hipEventDestroy(hipEvent_t event) {
  delete reinterpret_cast<Event*>(event);
  return hipSuccess;
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  reinterpret_cast<Event*>(event)->capture = capture_of(stream);
  return hipSuccess;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  const auto& recorded = reinterpret_cast<Event*>(event)->capture;
  const auto own = capture_of(stream), other = recorded && !recorded->has_ended ? recorded : nullptr;
  if (own && own != other)
    return fail(hipErrorStreamCaptureIsolation,
                "a stream that is being captured waits for an event of another capture");
  if (!own && other) reinterpret_cast<Stream*>(stream)->capture = other;
  return hipSuccess;
}
hipError_t hipEventQuery(hipEvent_t) { return hipSuccess; }
hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t) {
  return fail(hipErrorNotSupported, "an emulator's times say nothing");
}

// Graphs: a list of what was enqueued during the capture. They are launched, not inspected.

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  *status = capture_of(stream) ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  return hipSuccess;
}
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  reinterpret_cast<Stream*>(stream)->capture = std::make_shared<Capture>();
  return hipSuccess;
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  const auto capture = capture_of(stream);
  if (!capture) return fail(hipErrorIllegalState, "the stream is not being captured");
  *graph = reinterpret_cast<hipGraph_t>(new Work(std::move(capture->work)));
  capture->has_ended = true;
  return hipSuccess;
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long) {
  *executable = reinterpret_cast<hipGraphExec_t>(new Work(*reinterpret_cast<Work*>(graph)));
  return hipSuccess;
}
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream) {
  for (const auto& work : *reinterpret_cast<Work*>(graph))
    if (const hipError_t code = enqueue(stream, work); code != hipSuccess) return code;
  return hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  delete reinterpret_cast<Work*>(graph);
  return hipSuccess;
}
hipError_t hipGraphExecDestroy(hipGraphExec_t graph) {
  delete reinterpret_cast<Work*>(graph);
  return hipSuccess;
}
hipError_t hipGraphGetNodes(hipGraph_t, hipGraphNode_t*, std::size_t*) { return refuse_nodes(); }
hipError_t hipGraphNodeGetType(hipGraphNode_t, hipGraphNodeType*) { return refuse_nodes(); }
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t, hipKernelNodeParams*) { return refuse_nodes(); }

// Kernels

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** values, std::size_t shared,
                           hipStream_t stream) {
  return launch(function, grid, block, values, shared, false, stream);
}
hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** values, unsigned shared,
                                      hipStream_t stream) {
  return launch(function, grid, block, values, shared, true, stream);
}
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
  return guarded([&] {
    const Kernel& kernel = kernel_of(function);
    *attributes = {};
    attributes->numRegs = kernel.vector_registers;
    attributes->sharedSizeBytes = kernel.group_bytes;
    attributes->localSizeBytes = kernel.private_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(kernel.max_threads);
  });
}
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }  // as AMD's runtime: no limit
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                        std::size_t dynamic_bytes) {
  return guarded([&] {
    const Kernel& kernel = kernel_of(function);
    *blocks = resident_blocks(kernel, static_cast<std::size_t>(threads), kernel.group_bytes + dynamic_bytes);
  });
}

}  // extern "C"
