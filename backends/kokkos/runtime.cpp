// Start, stop and execution space, across the versions of Kokkos.
#include "backends/kokkos/runtime.hpp"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "backends/kokkos/queue.hpp"
#include "core/error.hpp"

#ifdef CROSSWARP_KOKKOS_ON_GPU
#include "backends/gpu/device.hpp"
#endif

namespace crosswarp::kokkos {
namespace {

std::optional<int> started_on;
std::map<const void*, Exec> instances;  // by stream

void stop() {
  instances.clear();
  Kokkos::finalize();
}

}  // namespace

void start(int device_ordinal) {
  if (started_on) {
    if (*started_on != device_ordinal) throw Error("Kokkos is already started on another device");
    return;
  }
#if KOKKOS_VERSION >= 30700
  Kokkos::initialize(Kokkos::InitializationSettings().set_device_id(device_ordinal).set_disable_warnings(true));
#else
  Kokkos::InitArguments arguments;
  arguments.device_id = device_ordinal;
  arguments.disable_warnings = true;
  Kokkos::initialize(arguments);
#endif
  started_on = device_ordinal;
  // Registered after Kokkos's statics are constructed, so that it runs before their destructors.
  std::atexit(stop);
}

const Exec& execution_space([[maybe_unused]] Device& device) {
#ifdef CROSSWARP_KOKKOS_ON_GPU
  const cudaStream_t stream = static_cast<gpu::GpuDevice&>(device).stream();
  return instances.try_emplace(stream, stream).first->second;
#else
  return instances.try_emplace(nullptr).first->second;
#endif
}

std::string space() { return Exec::name(); }

int host_threads() { return started_on && !is_asynchronous ? Exec().concurrency() : 0; }

std::map<std::string, std::string> versions() {
  constexpr int v = KOKKOS_VERSION;
  std::string version = std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
  const std::string note = CROSSWARP_KOKKOS_NOTE;
  if (!note.empty()) version += " (" + note + ")";
  return {{"kokkos", version}, {"kokkos_execution_space", Exec::name()}};
}

}  // namespace crosswarp::kokkos
