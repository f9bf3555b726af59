// HIP's headers for NVIDIA's GPUs. Before HIP 6.3 they use functions that CUDA 13 removed or gave more parameters;
// macros restore the old meaning while the headers are read. Removed functions return an error.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000

namespace crosswarp::hip_on_nvidia {

struct DeviceProperties : cudaDeviceProp {
  int clockRate, memoryClockRate, computeMode, cooperativeMultiDeviceLaunch, kernelExecTimeoutEnabled;
};

inline cudaError_t device_properties(DeviceProperties* properties, int device) {
  *properties = {};
  cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&properties->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&properties->computeMode, cudaDevAttrComputeMode, device);
  cudaDeviceGetAttribute(&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout, device);
  return cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(properties), device);
}

inline cudaMemLocation location(int device) {
  return device < 0 ? cudaMemLocation{cudaMemLocationTypeHost, 0} : cudaMemLocation{cudaMemLocationTypeDevice, device};
}

template <class... Any>
cudaError_t gone(Any&&...) {
  return cudaErrorNotSupported;
}

}  // namespace crosswarp::hip_on_nvidia

template <class T, int dimension = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture;

#define cudaDeviceProp crosswarp::hip_on_nvidia::DeviceProperties
#define cudaGetDeviceProperties crosswarp::hip_on_nvidia::device_properties
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrCooperativeLaunch
#define cudaMemAdvise(p, n, advice, d) cudaMemAdvise(p, n, advice, crosswarp::hip_on_nvidia::location(d))
#define cudaMemPrefetchAsync(p, n, d, s) cudaMemPrefetchAsync(p, n, crosswarp::hip_on_nvidia::location(d), 0, s)
#define cudaLaunchCooperativeKernelMultiDevice crosswarp::hip_on_nvidia::gone
#define cudaBindTexture crosswarp::hip_on_nvidia::gone
#define cudaBindTexture2D crosswarp::hip_on_nvidia::gone
#define cudaBindTextureToArray crosswarp::hip_on_nvidia::gone
#define cudaUnbindTexture crosswarp::hip_on_nvidia::gone
#define cudaGetTextureAlignmentOffset crosswarp::hip_on_nvidia::gone
#define cudaGraphAddDependencies(g, f, t, n) cudaGraphAddDependencies(g, f, t, nullptr, n)
#define cudaGraphRemoveDependencies(g, f, t, n) cudaGraphRemoveDependencies(g, f, t, nullptr, n)
#define cudaGraphGetEdges(g, f, t, n) cudaGraphGetEdges(g, f, t, nullptr, n)
#define cudaGraphNodeGetDependencies(g, d, n) cudaGraphNodeGetDependencies(g, d, nullptr, n)
#define cudaGraphNodeGetDependentNodes(g, d, n) cudaGraphNodeGetDependentNodes(g, d, nullptr, n)
#define cudaStreamUpdateCaptureDependencies(s, d, n, f) cudaStreamUpdateCaptureDependencies(s, d, nullptr, n, f)
#define cudaStreamGetCaptureInfo_v2(s, st, i, g, d, n) cudaStreamGetCaptureInfo(s, st, i, g, d, nullptr, n)
#undef cuCtxCreate
#define cuCtxCreate(c, f, d) cuCtxCreate_v4(c, nullptr, f, d)
#undef cuStreamGetCaptureInfo_v2
#define cuStreamGetCaptureInfo_v2(s, st, i, g, d, n) cuStreamGetCaptureInfo_v3(s, st, i, g, d, nullptr, n)
#endif

#include <hip/hip_runtime.h>

#undef cudaDeviceProp
#undef cudaGetDeviceProperties
#undef cudaDevAttrCooperativeMultiDeviceLaunch
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaLaunchCooperativeKernelMultiDevice
#undef cudaBindTexture
#undef cudaBindTexture2D
#undef cudaBindTextureToArray
#undef cudaUnbindTexture
#undef cudaGetTextureAlignmentOffset
#undef cudaGraphAddDependencies
#undef cudaGraphRemoveDependencies
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaStreamUpdateCaptureDependencies
#undef cudaStreamGetCaptureInfo_v2
