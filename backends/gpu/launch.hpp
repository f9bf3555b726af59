// Streams and launches where a runtime of CUDA's shape does them: CUDA's own, and HIP's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "backends/gpu/device.hpp"
#include "backends/gpu/error.hpp"
#include "core/variant.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Where a variant's launches go.
struct Queue : LaunchContext {
  static constexpr std::string_view backend = CROSSWARP_PLATFORM_NAME;

  Queue(Device& device, LaunchContext context)
      : LaunchContext(context), stream(static_cast<GpuDevice&>(device).stream()) {}

  cudaStream_t stream;
};

/// For launches of kernels that call grid_dependency_sync(): programmatic dependent launch (PDL).
inline Queue with_pdl(Queue queue) {
  queue.pdl = true;
  return queue;
}

/// Notes in the queue's log, where that is on, what a launch takes of the device.
void note_kernel(const Queue& queue, const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                 bool pdl = false);

/// More dynamic shared memory than any kernel has must be asked for. Launches do so, and questions about occupancy.
void allow_shared_bytes(const void* kernel, std::size_t shared_bytes);

#if CROSSWARP_HAS_PTX
/// For kernels that call grid_dependency_sync(): they are made ready while the launch before ends.
inline cudaLaunchAttribute programmatic_stream_serialization() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

/// Like launch(), with `attribute`, for which CUDA's launch syntax has no place.
template <class... Parameters, class... Arguments>
void launch_with(std::optional<cudaLaunchAttribute> attribute, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                 std::size_t shared_bytes, const Queue& queue, Arguments&&... arguments) {
  allow_shared_bytes(reinterpret_cast<const void*>(kernel), shared_bytes);
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = queue.stream;
  cudaLaunchAttribute attributes[2];
  config.attrs = attributes;
  if (attribute) attributes[config.numAttrs++] = *attribute;
  if (queue.pdl) attributes[config.numAttrs++] = programmatic_stream_serialization();
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(std::forward<Arguments>(arguments))...), "launch");
  note_kernel(queue, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes, queue.pdl);
}
#endif

/// Launches `kernel` with `shared_bytes` of dynamic shared memory. Arguments are converted to the kernel's parameters.
/// Begins while the launch before ends, where the queue wants that and the platform can. Throws Error where the launch
/// is refused.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, const Queue& queue,
            Arguments&&... arguments) {
#if CROSSWARP_HAS_PTX
  if (queue.pdl)
    return launch_with(std::nullopt, kernel, grid, block, shared_bytes, queue, std::forward<Arguments>(arguments)...);
#endif
  allow_shared_bytes(reinterpret_cast<const void*>(kernel), shared_bytes);
  kernel<<<grid, block, shared_bytes, queue.stream>>>(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  check(cudaGetLastError(), "launch");
  note_kernel(queue, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes);
}

/// Enqueues a copy between any two of the memories of host and device, of as many elements as `to` has.
template <class T>
void copy(const Queue& queue, std::span<T> to, std::span<const std::type_identity_t<T>> from) {
  check(cudaMemcpyAsync(to.data(), from.data(), to.size_bytes(), cudaMemcpyDefault, queue.stream), "copy");
}

/// Enqueues `byte` over `memory`.
template <class T>
void fill(const Queue& queue, std::span<T> memory, unsigned char byte) {
  check(cudaMemsetAsync(memory.data(), byte, memory.size_bytes(), queue.stream), "fill");
}

/// Like launch(), for kernels whose blocks all wait for each other: at most `resident_blocks` of them.
template <class... Parameters, class... Arguments>
void launch_cooperative(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                        const Queue& queue, Arguments&&... arguments) {
  allow_shared_bytes(reinterpret_cast<const void*>(kernel), shared_bytes);
  std::tuple<Parameters...> parameters(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  std::apply(
      [&](Parameters&... each) {
        void* pointers[] = {static_cast<void*>(&each)...};
        check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers,
                                          static_cast<unsigned>(shared_bytes), queue.stream),
              "cooperative launch");
      },
      parameters);
  note_kernel(queue, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes);
}

/// Blocks of `threads` that the device holds at once.
template <class... Parameters>
unsigned resident_blocks(void (*kernel)(Parameters...), unsigned threads, std::size_t shared_bytes,
                         const Queue& queue) {
  int of_unit = 0;
  allow_shared_bytes(reinterpret_cast<const void*>(kernel), shared_bytes);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_unit, reinterpret_cast<const void*>(kernel),
                                                      static_cast<int>(threads), shared_bytes),
        "kernel occupancy");
  return static_cast<unsigned>(of_unit * queue.device.compute_units);
}

/// Enqueues zeros over `memory`.
template <class T>
void clear(const Queue& queue, std::span<T> memory) {
  check(cudaMemsetAsync(memory.data(), 0, memory.size_bytes(), queue.stream), "clear");
}

/// Enqueues a copy of device memory into an array that is declared __constant__; it must not be longer than that.
template <class T, std::size_t count>
void fill_constant(const Queue& queue, T (&constant)[count], std::span<const std::byte> from) {
  check(cudaMemcpyToSymbolAsync(constant, from.data(), from.size(), 0, cudaMemcpyDeviceToDevice, queue.stream),
        "copy to constant memory");
}

/// Whether launches are recorded into a graph. There a memset is a node that no other launch hides.
inline bool is_captured(const Queue& queue) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(queue.stream, &status), "capture status");
  return status != cudaStreamCaptureStatusNone;
}

/// Waits on the host for all that was enqueued. Only for variants with ResultIn::host.
inline void wait(const Queue& queue) { check(cudaStreamSynchronize(queue.stream), "stream synchronize"); }

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
