// Launches, copies and occupancy by the CUDA runtime, or by HIP under CUDA's names.
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

/// The stream of a variant's launches, with its tuning and workspace.
struct Queue : LaunchContext {
  static constexpr std::string_view backend = CROSSWARP_PLATFORM_NAME;

  Queue(Device& device, LaunchContext context)
      : LaunchContext(context), stream(static_cast<GpuDevice&>(device).stream()) {}

  cudaStream_t stream;
};

/// For launches of kernels that wait for the grid before: programmatic dependent launch (PDL).
inline Queue with_pdl(Queue queue) {
  queue.pdl = true;
  return queue;
}

/// Records a launch's resources in the queue's log, if that is on.
void note_kernel(const Queue& queue, const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                 bool pdl = false);

/// Opts the kernel in to more dynamic shared memory than the default limit. Launches and occupancy queries call it.
void allow_shared_bytes(const void* kernel, std::size_t shared_bytes);

#if CROSSWARP_HAS_PTX
/// Launch attribute of programmatic dependent launch (PDL), for kernels that wait for the grid before.
inline cudaLaunchAttribute programmatic_stream_serialization() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

/// As launch(), with an attribute that the <<<>>> syntax cannot pass.
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
/// By programmatic dependent launch where `queue.pdl` is set. Throws Error where the launch is refused.
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

/// Enqueues a copy of to.size() elements between any of host and device memory.
template <class T>
void copy(const Queue& queue, std::span<T> to, std::span<const std::type_identity_t<T>> from) {
  check(cudaMemcpyAsync(to.data(), from.data(), to.size_bytes(), cudaMemcpyDefault, queue.stream), "copy");
}

/// Enqueues a fill of `memory` with `byte`.
template <class T>
void fill(const Queue& queue, std::span<T> memory, unsigned char byte) {
  check(cudaMemsetAsync(memory.data(), byte, memory.size_bytes(), queue.stream), "fill");
}

/// As launch(), for kernels with a grid-wide barrier: max `resident_blocks` blocks.
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

/// Blocks of `threads` threads that are resident on the device at once.
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

/// Enqueues a fill of `memory` with zeros.
template <class T>
void clear(const Queue& queue, std::span<T> memory) {
  check(cudaMemsetAsync(memory.data(), 0, memory.size_bytes(), queue.stream), "clear");
}

/// Enqueues a copy of device memory into a __constant__ array, which must be large enough.
template <class T, std::size_t count>
void fill_constant(const Queue& queue, T (&constant)[count], std::span<const std::byte> from) {
  check(cudaMemcpyToSymbolAsync(constant, from.data(), from.size(), 0, cudaMemcpyDeviceToDevice, queue.stream),
        "copy to constant memory");
}

/// Whether launches are being captured into a graph, where a memset becomes a node of its own.
inline bool is_captured(const Queue& queue) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(queue.stream, &status), "capture status");
  return status != cudaStreamCaptureStatusNone;
}

/// Waits on the host for the stream. Only for variants with ResultIn::host.
inline void wait(const Queue& queue) { check(cudaStreamSynchronize(queue.stream), "stream synchronize"); }

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
