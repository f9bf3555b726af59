// HIP's runtime under CUDA's names, for AMD's GPUs and for NVIDIA's.
#pragma once

#if defined(__HIP_PLATFORM_NVIDIA__)
#include "platform/hip_on_nvidia.hpp"
#elif defined(__HIPCC__)
#include <hip/hip_runtime.h>
#else
#include <hip/hip_runtime_api.h>
#undef __noinline__  // a macro of HIP's, and an attribute in the headers of GCC 16
#endif

#define CROSSWARP_PLATFORM hip
#define CROSSWARP_PLATFORM_NAME "hip"

#define CROSSWARP_HAS_GRAPH 1
#if !defined(__HIP_PLATFORM_NVIDIA__)
#define CROSSWARP_HAS_MFMA 1
#endif

#if __has_include(<hipcub/hipcub.hpp>)
#define CROSSWARP_HAS_HIPCUB 1
#endif

// Headers of libraries that are loaded at run time. Without one its variants are not expressible.
#if !defined(__HIP_PLATFORM_NVIDIA__) && __has_include(<rocblas/rocblas.h>)
#define CROSSWARP_HAS_ROCBLAS 1
#else
#define CROSSWARP_HAS_ROCBLAS 0
#endif
#if !defined(__HIP_PLATFORM_NVIDIA__) && __has_include(<hipblaslt/hipblaslt.h>)
#define CROSSWARP_HAS_HIPBLASLT 1
#else
#define CROSSWARP_HAS_HIPBLASLT 0
#endif

#define CROSSWARP_HAS_COOPERATIVE 1

#define cudaDevAttrClockRate hipDeviceAttributeClockRate
#define cudaDevAttrGlobalMemoryBusWidth hipDeviceAttributeMemoryBusWidth
#define cudaDevAttrMemoryClockRate hipDeviceAttributeMemoryClockRate
#define cudaDeviceAttr hipDeviceAttribute_t
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaDeviceGetPCIBusId hipDeviceGetPCIBusId
#define cudaDeviceProp hipDeviceProp_t
#define cudaDriverGetVersion hipDriverGetVersion
#define cudaErrorMemoryAllocation hipErrorOutOfMemory
#define cudaErrorNotReady hipErrorNotReady
#define cudaError_t hipError_t
#define cudaEventCreate hipEventCreate
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy hipEventDestroy
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventQuery hipEventQuery
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaEvent_t hipEvent_t
#define cudaFree hipFree
#define cudaFreeHost hipHostFree
#define cudaFuncAttributes hipFuncAttributes
#define cudaFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaFuncGetAttributes hipFuncGetAttributes
#define cudaFuncSetAttribute hipFuncSetAttribute
#define cudaGetDevice hipGetDevice
#define cudaGetDeviceCount hipGetDeviceCount
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorName hipGetErrorName
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaGraphDestroy hipGraphDestroy
#define cudaGraphExecDestroy hipGraphExecDestroy
#define cudaGraphExec_t hipGraphExec_t
#define cudaGraphInstantiateWithFlags hipGraphInstantiateWithFlags
#define cudaGraphLaunch hipGraphLaunch
#define cudaGraphUpload(graph, stream) hipSuccess  // missing in older HIP; the first launch uploads
#define cudaGraph_t hipGraph_t
#define cudaHostAlloc hipHostMalloc
#define cudaHostGetDevicePointer hipHostGetDevicePointer
#define cudaLaunchCooperativeKernel hipLaunchCooperativeKernel
#define cudaMalloc hipMalloc
#define cudaMemGetInfo hipMemGetInfo
#define cudaMemcpyAsync hipMemcpyAsync
#define cudaMemcpyDefault hipMemcpyDefault
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyToSymbolAsync hipMemcpyToSymbolAsync
#define cudaMemsetAsync hipMemsetAsync
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor
#define cudaRuntimeGetVersion hipRuntimeGetVersion
#define cudaSetDevice hipSetDevice
#define cudaStreamBeginCapture hipStreamBeginCapture
#define cudaStreamCaptureStatus hipStreamCaptureStatus
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy hipStreamDestroy
#define cudaStreamEndCapture hipStreamEndCapture
#define cudaStreamIsCapturing hipStreamIsCapturing
#define cudaStreamQuery hipStreamQuery
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStreamWaitEvent hipStreamWaitEvent
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess
#if !defined(__HIP_PLATFORM_NVIDIA__)  // there they are macros of the same values
#define cudaEventDisableTiming hipEventDisableTiming
#define cudaHostAllocMapped hipHostMallocMapped
#define cudaStreamCaptureModeRelaxed hipStreamCaptureModeRelaxed
#define cudaStreamCaptureModeThreadLocal hipStreamCaptureModeThreadLocal
#define cudaStreamCaptureStatusNone hipStreamCaptureStatusNone
#define cudaStreamNonBlocking hipStreamNonBlocking
#endif
