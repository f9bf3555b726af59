// Captures one launch, and reads the kernel nodes of the graph. The graph is never launched.
#include "backends/gpu/captured_kernels.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>

#include "backends/gpu/error.hpp"
#include "backends/gpu/name_of_kernel.hpp"

#ifdef __HIP_PLATFORM_AMD__
#define cudaGraphGetNodes hipGraphGetNodes
#define cudaGraphKernelNodeGetParams hipGraphKernelNodeGetParams
#define cudaGraphNodeGetType hipGraphNodeGetType
#define cudaGraphNodeType hipGraphNodeType
#define cudaGraphNodeTypeKernel hipGraphNodeTypeKernel
#define cudaGraphNode_t hipGraphNode_t
#define cudaKernelNodeParams hipKernelNodeParams
#endif

namespace crosswarp::gpu {
namespace {

void destroy_graph(cudaGraph_t graph) { ignore(cudaGraphDestroy(graph)); }
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, decltype(&destroy_graph)>;

/// Null where `launch` cannot be captured: it waits for the device, or allocates.
Graph captured(cudaStream_t stream, const std::function<void()>& launch) {
  cudaGraph_t graph = nullptr;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return {nullptr, destroy_graph};
  bool is_enqueued = true;
  try {
    launch();
  } catch (const std::exception&) {
    is_enqueued = false;
  }
  const bool is_captured = cudaStreamEndCapture(stream, &graph) == cudaSuccess;  // also ends an invalidated capture
  Graph owner(graph, destroy_graph);
  if (!is_enqueued || !is_captured) owner.reset();
  return owner;
}

/// Zeros for a node that is no kernel. Throws Error for a kernel that this runtime does not know: a library's own.
KernelUse use_of(cudaGraphNode_t node, const DeviceInfo& device) {
  cudaGraphNodeType type{};
  check(cudaGraphNodeGetType(node, &type), "type of a graph's node");
  if (type != cudaGraphNodeTypeKernel) return {};
  cudaKernelNodeParams launch{};
  check(cudaGraphKernelNodeGetParams(node, &launch), "kernel of a graph's node");
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, launch.func), "kernel attributes");
  const std::size_t threads = std::size_t{launch.blockDim.x} * launch.blockDim.y * launch.blockDim.z;
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, launch.func, static_cast<int>(threads),
                                                      launch.sharedMemBytes),
        "kernel occupancy");
  return {.registers = attributes.numRegs,
          .shared_bytes = attributes.sharedSizeBytes + launch.sharedMemBytes,
          .occupancy = static_cast<double>(resident) * static_cast<double>(threads) /
                       static_cast<double>(device.threads_per_unit),
          .blocks = std::size_t{launch.gridDim.x} * launch.gridDim.y * launch.gridDim.z,
          .threads = threads,
          .name = name_of_kernel(launch.func)};
}

}  // namespace

std::vector<KernelUse> captured_kernels(GpuDevice& device, const std::function<void()>& launch) try {
  device.synchronize();
  const Graph graph = captured(device.stream(), launch);
  ignore(cudaGetLastError());  // what the attempt left behind
  std::size_t count = 0;
  if (!graph) return {};
  check(cudaGraphGetNodes(graph.get(), nullptr, &count), "nodes of a graph");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph.get(), nodes.data(), &count), "nodes of a graph");
  std::vector<KernelUse> kernels;
  for (const cudaGraphNode_t node : nodes)
    if (const KernelUse use = use_of(node, device.info()); use.threads > 0) kernels.push_back(use);
  return kernels;
} catch (const std::exception&) {
  return {};
}

}  // namespace crosswarp::gpu
