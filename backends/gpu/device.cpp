// Memory, stream, event timer, gate and cache eviction of one physical GPU.
#include "backends/gpu/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <type_traits>
#include <variant>

#include "backends/gpu/device_kernels.hpp"
#include "backends/gpu/error.hpp"
#include "backends/gpu/rank_device.hpp"
#include "backends/gpu/reference_kernels.hpp"
#include "backends/gpu/vendor.hpp"
#include "core/error.hpp"

namespace crosswarp::gpu {
namespace {

constexpr std::size_t eviction_caches = 4;  // the set read to evict the cache, in cache sizes
constexpr int streams_per_chunk = 16;
constexpr auto hang_limit = std::chrono::minutes(2);  // longer counts as hung

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, ordinal), "device attribute");
  return value;
}

std::string pci_bus_id(int ordinal) {
  std::array<char, 32> id{};
  check(cudaDeviceGetPCIBusId(id.data(), id.size(), ordinal), "PCI bus id");
  return id.data();
}

cudaDeviceProp properties_of(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "device properties");
  return properties;
}

/// Makes a device the current one within a scope, so that a query leaves the current device of an open one as it was.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal) {
    check(cudaGetDevice(&before_), "get device");
    check(cudaSetDevice(ordinal), "set device");
  }
  ~CurrentDevice() { ignore(cudaSetDevice(before_)); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

/// Where a GPU is in its machine. NUMA node -1: none, or a virtual machine's.
std::map<std::string, std::string> topology(std::string pci) {
  std::map<std::string, std::string> known{{"pci", pci}};
  int gpus = 0;
  check(cudaGetDeviceCount(&gpus), "device count");
  known["gpus"] = std::to_string(gpus);
  std::ranges::transform(pci, pci.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::string node; std::ifstream("/sys/bus/pci/devices/" + pci + "/numa_node") >> node) known["numa_node"] = node;
  return known;
}

DeviceInfo describe(int ordinal) {
  const CurrentDevice scope(ordinal);
  const cudaDeviceProp properties = properties_of(ordinal);
  DeviceInfo info;
  info.key = fmt::format("gpu{}", ordinal);
  info.name = properties.name;
  info.memory = properties.totalGlobalMem;
  info.cache = static_cast<std::size_t>(properties.l2CacheSize);
  info.compute_units = properties.multiProcessorCount;
  info.threads_per_unit = properties.maxThreadsPerMultiProcessor;
  info.warp_size = properties.warpSize;
  info.graphs = true;
  info.clock = attribute(cudaDevAttrClockRate, ordinal) * 1e3;
  // Two transfers per clock of the memory bus; a multiprocessor takes 64 bytes per clock from L2.
  info.peaks["memory"] = 2.0 * attribute(cudaDevAttrMemoryClockRate, ordinal) * 1e3 *
                         attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8;
  info.peaks["l2"] = 64.0 * info.compute_units * info.clock;
  vendor::describe(properties, info);
  int runtime = 0, driver = 0;
  check(cudaRuntimeGetVersion(&runtime), "runtime version");
  check(cudaDriverGetVersion(&driver), "driver version");
  info.versions.insert({{vendor::runtime + "_runtime", vendor::version(runtime)},
                        {vendor::runtime + "_driver", vendor::version(driver)},
                        {"driver", vendor::driver_version()}});
  const std::string pci = pci_bus_id(ordinal);
  info.versions.merge(vendor::settings(pci));
  info.versions.merge(topology(pci));
  return info;
}

/// Device ordinals that this build has code for; `why` says why there are none.
std::vector<int> usable(std::string& why) {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count == 0) {
    ignore(cudaGetLastError());
    why = fmt::format("no {} GPU here ({})", vendor::name,
                      code == cudaSuccess ? "none is listed" : cudaGetErrorString(code));
    return {};
  }
  std::vector<int> ordinals;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const CurrentDevice scope(ordinal);
    if (this_build_has_code()) {
      ordinals.push_back(ordinal);
    } else {
      const cudaDeviceProp properties = properties_of(ordinal);
      why = fmt::format("this build has no code for {}; {}", properties.name, vendor::how_to_build_for(properties));
    }
  }
  return ordinals;
}

void destroy_graph(cudaGraph_t graph) { ignore(cudaGraphDestroy(graph)); }
void destroy_executable(cudaGraphExec_t graph) { ignore(cudaGraphExecDestroy(graph)); }

const MemorySource runtime_memory{
    .allocate = [](void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); },
    .release = [](void* memory) { return cudaFree(memory); }};

class Gpu final : public GpuDevice {
 public:
  explicit Gpu(int ordinal) : GpuDevice(describe(ordinal), ordinal), bus_(pci_bus_id(ordinal)) {
    check(cudaSetDevice(ordinal), "set device");
    stream_ = new_stream();
    placements_.push_back(stream_);
    aside_ = new_stream();
    check(cudaEventCreate(&start_), "event create");
    check(cudaEventCreate(&stop_), "event create");
    check(cudaHostAlloc(&gate_, 3 * sizeof(unsigned), cudaHostAllocMapped), "host alloc");
    std::fill_n(gate_, 3, 0);
    void* gate_on_device = nullptr;
    check(cudaHostGetDevicePointer(&gate_on_device, gate_, 0), "host memory on the device");
    gate_on_device_ = static_cast<unsigned*>(gate_on_device);
    evictor_bytes_ = std::max(eviction_caches * info_.cache, std::size_t{64} << 20) / sizeof(uint4) * sizeof(uint4);
    evictor_ = allocate(evictor_bytes_);
    sink_ = static_cast<unsigned*>(allocate(2 * sizeof(unsigned)));
    fill(sink_, 0, 2 * sizeof(unsigned));
    checksum_ = static_cast<unsigned long long*>(allocate(sizeof *checksum_));
    worst_.resize(8 * compare_blocks(std::numeric_limits<std::size_t>::max(), resident_threads()));
    worst_on_device_ = static_cast<WorstElement*>(allocate(worst_.size() * sizeof(WorstElement)));
    generate({static_cast<float*>(evictor_), evictor_bytes_ / sizeof(float)}, Lattice{RandomStream(0, 1), 16});
    synchronize();
    // Loads its kernel now: where the first look is at a closed gate, loading waits for the gate to open by itself.
    has_changed({static_cast<const std::byte*>(evictor_), 1}, 0);
    state_ = vendor::state();
  }
  ~Gpu() override {
    release(evictor_);
    release(sink_);
    release(checksum_);
    release(worst_on_device_);
    ignore(cudaFreeHost(gate_));
    ignore(cudaEventDestroy(start_));
    ignore(cudaEventDestroy(stop_));
    for (cudaStream_t stream : streams_) ignore(cudaStreamDestroy(stream));
  }

  /// Allocates from `source` from now on. Each allocation is released to the source that it came from.
  void allocate_from(const MemorySource& source) { source_ = source; }

  void make_current() override { guard(cudaSetDevice(ordinal_), "set device"); }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t code = source_.allocate(&memory, bytes);
    if (code == cudaErrorMemoryAllocation) {
      ignore(cudaGetLastError());
      throw Error(fmt::format("{} has no {} MiB of memory left ({} MiB are free)", info_.name, bytes >> 20,
                              free_memory() >> 20),
                  code);
    }
    guard(code, "malloc");
    allocated_.add(memory, bytes, source_);
    return memory;
  }
  void release(void* memory) noexcept override {
    const auto* const own = allocated_.around(memory);
    const MemorySource source = own ? own->facts : source_;
    allocated_.remove(memory);
    if (lost_) return;                       // would wait for a hung kernel; the process's end frees it
    ignore(cudaStreamSynchronize(stream_));  // as cudaFree does: a library may unmap memory under a kernel
    ignore(source.release(memory));
  }
  std::size_t free_memory() const override {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "free memory");
    return free;
  }

  bool shares_memory() const override { return vendor::shares_memory(); }
  SharedMemory share(const void* within) override {
    const auto* const own = allocated_.around(within);
    if (!own) throw Error("memory that this GPU does not own cannot be shared");
    return {own->base, own->bytes, vendor::share(own->base)};
  }
  void* map_shared(const SharedMemory& memory) override { return vendor::map_shared(memory.handle); }
  /// After all work, unless a hung kernel would be waited for.
  void unmap_shared(void* memory) noexcept override {
    if (lost_) return;
    ignore(cudaStreamSynchronize(stream_));
    vendor::unmap_shared(memory);
  }

  void* allocate_on_host(std::size_t bytes) override {
    void* memory = nullptr;
    guard(cudaHostAlloc(&memory, std::max<std::size_t>(1, bytes), cudaHostAllocMapped), "host alloc");
    return memory;
  }
  void release_on_host(void* memory) noexcept override {
    if (!lost_) ignore(cudaFreeHost(memory));
  }

  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    guard(cudaMemsetAsync(memory, byte, bytes, stream_), "memset");
  }
  // Direction by address: outputs may be host memory, too.
  void read(void* to, const void* from, std::size_t bytes) override {
    guard(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "memcpy");
    synchronize();
  }
  void write(void* to, const void* from, std::size_t bytes) override {
    guard(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "memcpy");
    synchronize();
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) guard(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "copy");
  }
  void note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen) override {
    guard(launch_note_change(memory, byte, seen, resident_threads(), stream_), "note change");
  }
  bool has_changed(std::span<const std::byte> memory, unsigned char byte) override {
    std::atomic_ref(gate_[2]).store(0);
    guard(launch_note_change(memory, byte, gate_on_device_ + 2, resident_threads(), aside_), "note change");
    guard(cudaStreamSynchronize(aside_), "note change");
    return std::atomic_ref(gate_[2]).load() != 0;
  }
  bool any_has_changed(std::span<const std::span<const std::byte>> pieces, unsigned char byte) override {
    const CurrentDevice scope(ordinal_);  // of several ranks another one may be current
    std::atomic_ref(gate_[2]).store(0);
    for (; !pieces.empty(); pieces = pieces.subspan(std::min(pieces.size(), Pieces::most)))
      guard(
          launch_note_changes(pieces.first(std::min(pieces.size(), Pieces::most)), byte, gate_on_device_ + 2, stream_),
          "note changes");
    synchronize();
    return std::atomic_ref(gate_[2]).load() != 0;
  }
  void generate_elements(const TypedSpan& to, const Elements& elements) override {
    if (std::visit([](const auto& typed) { return typed.empty(); }, to)) return;
    guard(launch_generate(to, elements, resident_threads(), stream_), "generate");
  }
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override {
    if (std::visit([](const auto& typed) { return typed.empty(); }, to)) return;
    guard(launch_generate(to, numbers, resident_threads(), stream_), "generate");
  }
  void permute(std::span<std::uint32_t> to, const Permutation& order) override {
    if (to.empty()) return;
    guard(launch_permute(to, order, resident_threads(), stream_), "permute");
  }
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override {
    guard(launch_chain(memory, stride, order, origin, resident_threads(), stream_), "chain");
  }

  std::uint64_t checksum(std::span<const float> elements) override {
    std::uint64_t sum = 0;
    fill(checksum_, 0, sizeof *checksum_);
    guard(launch_checksum(elements, checksum_, resident_threads(), stream_), "checksum");
    read(&sum, checksum_, sizeof sum);
    return sum;
  }

  void reference_gemm(const Gemm& gemm, const TypedSpan& to) override {
    if (size(to) > 0) guard(launch_reference_gemm(gemm, to, stream_), "reference product");
  }
  void reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to) override {
    if (size(to) == 0) return;
    guard(launch_reference_row_sums(elements, rows, to, resident_threads(), stream_), "reference row sums");
  }
  Comparison compare(std::span<const std::pair<TypedSpan, TypedSpan>> pairs, const ErrorBound& bound) override {
    Comparison found;
    std::size_t first = 0, blocks = 0;
    const auto collect = [&] {
      read(worst_.data(), worst_on_device_, blocks * sizeof(WorstElement));
      for (std::size_t i = 0; i < blocks; ++i) found.worst.add(worst_[i]);
      blocks = 0;
    };
    for (const auto& [actual, reference] : pairs) {
      const std::size_t elements = size(actual), own = compare_blocks(elements, resident_threads());
      if (elements != size(reference)) throw Error("results are compared with a reference of another size");
      if (blocks + own > worst_.size()) collect();
      if (own > 0)
        guard(launch_compare(actual, reference, first, bound, own, worst_on_device_ + blocks, stream_), "compare");
      blocks += own;
      first += elements;
    }
    if (blocks > 0) collect();
    std::size_t i = found.worst.index;
    for (const auto& [actual, reference] : pairs) {
      if (i < size(actual)) {
        found.is = read_element(actual, i);
        found.should_be = read_element(reference, i);
        break;
      }
      i -= size(actual);
    }
    return found;
  }

  /// The driver allocates streams in chunks of sixteen. Launches cost about 0.12 µs more in some chunks than in others
  /// (H200, driver 580: docs/measuring.md), so each placement uses a chunk of its own.
  void relocate(std::size_t placement) override {
    synchronize();
    while (placements_.size() <= placement) {
      for (int i = 1; i < streams_per_chunk; ++i) new_stream();
      placements_.push_back(new_stream());
    }
    stream_ = placements_[placement];
  }

  void synchronize() override {
    guard(cudaEventRecord(stop_, stream_), "event record");
    wait();
  }

  double time(const Batch& batch) override {
    try {
      start(batch);
      for (std::size_t i = 0; i < batch.count; ++i) batch.launch(i);
      stop();
      if (batch.behind) batch.behind();
      if (batch.while_closed) batch.while_closed();
    } catch (...) {
      open_gate();
      ignore(cudaStreamSynchronize(stream_));
      throw;
    }
    open_gate();
    return finish(batch);
  }
  void start(const Batch& batch) override {
    if (batch.cold) enqueue_read({static_cast<const std::byte*>(evictor_), evictor_bytes_});
    if (batch.gated) guard(launch_gate(gate_on_device_, ++ticket_, gate_on_device_ + 1, stream_), "gate");
    guard(cudaEventRecord(start_, stream_), "event record");
  }
  void stop() override { guard(cudaEventRecord(stop_, stream_), "event record"); }
  void open_gate() noexcept override { std::atomic_ref(gate_[0]).store(ticket_); }
  double finish(const Batch& batch) override {
    wait();
    if (batch.gated && std::atomic_ref(gate_[1]).load() == ticket_)
      throw Error("the launch waits for the device; declare .result = ResultIn::host, so that it is timed so");
    float milliseconds = 0;
    guard(cudaEventElapsedTime(&milliseconds, start_, stop_), "event time");
    return milliseconds * 1e-3;
  }

  bool is_asynchronous() const override { return true; }
  bool has_own_memory() const override { return true; }
  std::string restore_state() override {
    std::string changes;
    int current = ordinal_;
    ignore(cudaGetDevice(&current));
    if (current != ordinal_) {
      guard(cudaSetDevice(ordinal_), "set device");
      changes = "the current device";
    }
    if (const cudaError_t pending = cudaGetLastError(); pending != cudaSuccess)
      changes += fmt::format("{}a pending error ({})", changes.empty() ? "" : ", ", cudaGetErrorString(pending));
    if (const std::string others = vendor::restore(state_, stream_); !others.empty())
      changes += (changes.empty() ? "" : ", ") + others;
    return changes;
  }

  /// In thread-local mode, where calls unsafe in a graph (an allocation, say) end the capture.
  std::function<void()> capture(const std::function<void(std::size_t)>& launch, std::size_t count) override {
    guard(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
    std::string why_not;
    try {
      for (std::size_t i = 0; i < count; ++i) launch(i);
    } catch (const std::exception& error) {
      why_not = error.what();
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t code = cudaStreamEndCapture(stream_, &graph);  // also ends an invalidated capture
    ignore(cudaGetLastError());
    if (code != cudaSuccess && why_not.empty())
      why_not = fmt::format("{} ({})", cudaGetErrorString(code), cudaGetErrorName(code));
    const std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, decltype(&destroy_graph)> owner(graph, destroy_graph);
    if (!why_not.empty()) throw Error("cannot be captured: " + why_not, code);
    cudaGraphExec_t executable = nullptr;
    guard(cudaGraphInstantiateWithFlags(&executable, graph, 0), "graph instantiate");
    std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> shared(executable, destroy_executable);
    guard(cudaGraphUpload(executable, stream_), "graph upload");
    return [this, shared, stream = stream_] { guard(cudaGraphLaunch(shared.get(), stream), "graph launch"); };
  }

  void launch_empty(bool pdl) override { guard(gpu::launch_empty(pdl && info_.has("pdl"), stream_), "empty kernel"); }

  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override {
    const std::function<void(std::size_t)> launch = [&](std::size_t) { enqueue_read(memory); };
    return time({.launch = launch, .count = sweeps, .cold = false, .gated = true});
  }

  Telemetry telemetry() const override { return vendor::telemetry(bus_); }
  std::optional<double> energy() const override { return vendor::energy(bus_); }
  std::optional<double> used_by_others() override { return vendor::used_by_others(bus_); }

  Counters count(const std::vector<const Counter*>& wanted, const std::function<void()>& launch, bool cold,
                 const ProfiledProcess& process) override {
    const auto from_here = [&] {
      if (cold) enqueue_read({static_cast<const std::byte*>(evictor_), evictor_bytes_});
      synchronize();
    };
    const auto launch_once = [&] {
      launch();
      synchronize();
    };
    launch_once();  // what a kernel's first launch does (loading its code) is not to be counted
    return vendor::count(ordinal_, wanted, cold ? 1 : 0, from_here, launch_once, process);
  }

  void begin_range(const std::string& name) override { vendor::begin_range(name); }
  void end_range() noexcept override { vendor::end_range(); }
  bool lost() const override { return lost_; }

 private:
  cudaStream_t new_stream() {
    cudaStream_t stream = nullptr;
    guard(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream create");
    streams_.push_back(stream);
    return stream;
  }

  double read_element(const TypedSpan& of, std::size_t i) {
    return std::visit(
        [&]<class T>(std::span<T> typed) {
          T element;
          read(&element, &typed[i], sizeof element);
          return to_double(element);
        },
        of);
  }

  int resident_threads() const { return info_.compute_units * info_.threads_per_unit; }

  void enqueue_read(std::span<const std::byte> memory) {
    guard(launch_read(memory, resident_threads(), sink_, stream_), "read");
  }

  /// As check(); also notes a lost device.
  void guard(cudaError_t code, const char* what, std::source_location where = std::source_location::current()) {
    if (code == cudaSuccess) return;
    ignore(cudaGetLastError());
    const cudaError_t after = cudaStreamQuery(stream_);
    lost_ = lost_ || (after != cudaSuccess && after != cudaErrorNotReady);
    check(code, what, where);
  }

  /// Waits for the event `stop_`.
  void wait() {
    const auto deadline = std::chrono::steady_clock::now() + hang_limit;
    for (cudaError_t code = cudaEventQuery(stop_); code != cudaSuccess; code = cudaEventQuery(stop_)) {
      if (code != cudaErrorNotReady) guard(code, "kernel");
      if (std::chrono::steady_clock::now() > deadline) {
        lost_ = true;
        throw Error("the device did not finish within two minutes");
      }
    }
  }

  MemorySource source_ = runtime_memory;
  std::string bus_;
  Allocations<MemorySource> allocated_;
  std::vector<cudaStream_t> streams_;     // all, some of them only fillers
  std::vector<cudaStream_t> placements_;  // streams in use, by placement
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
  cudaStream_t aside_ = nullptr;  // for work that must not wait for stream_
  unsigned* gate_ = nullptr;      // [0]: last ticket that may pass; [1]: last overdue ticket; [2]: has_changed()
  unsigned* gate_on_device_ = nullptr;
  unsigned ticket_ = 0;
  void* evictor_ = nullptr;
  std::size_t evictor_bytes_ = 0;
  unsigned* sink_ = nullptr;
  unsigned long long* checksum_ = nullptr;
  vendor::State state_;  // initial
  WorstElement* worst_on_device_ = nullptr;
  std::vector<WorstElement> worst_;
  bool lost_ = false;
};

}  // namespace

std::vector<DeviceInfo> devices() {
  std::string why;
  std::vector<DeviceInfo> all;
  for (const int ordinal : usable(why)) all.push_back(describe(ordinal));
  return all;
}

std::string why_none() {
  std::string why;
  usable(why);
  return why;
}

std::shared_ptr<GpuDevice> open(std::size_t index) {
  static std::map<std::size_t, std::shared_ptr<GpuDevice>> opened;
  std::string why;
  auto& device = opened[index];
  if (!device) device = std::make_shared<Gpu>(usable(why).at(index));
  return device;
}

std::shared_ptr<GpuDevice> open_rank(std::size_t index, const MemorySource& source) {
  static std::map<std::size_t, std::shared_ptr<Gpu>> opened;
  std::string why;
  auto& device = opened[index];
  if (device) return device;
  device = std::make_shared<Gpu>(usable(why).at(index));
  device->allocate_from(source);  // not for its own memory: that is freed at the program's end, behind the library
  return device;
}

}  // namespace crosswarp::gpu
