// Hopper's copies of tiles of matrices, by descriptions of the matrices that the host makes (TMA). For files that need
// "ptx". Matrices are row-major without gaps; their rows begin at multiples of 16 bytes.
#pragma once

#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/matmul_f16/mma.hpp"

#if CROSSWARP_HAS_PTX
#include <cuda.h>

namespace crosswarp::gpu {
namespace {

using EncodeTensorMap = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, which is asked for by name so that programs start where there is no driver.
inline EncodeTensorMap encode_tensor_map() {
  static const EncodeTensorMap function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
          "look for cuTensorMapEncodeTiled");
#else
    check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result),
          "look for cuTensorMapEncodeTiled");
#endif
    if (result != cudaDriverEntryPointSuccess) throw Error("the driver has no cuTensorMapEncodeTiled");
    return reinterpret_cast<EncodeTensorMap>(found);
  }();
  return function;
}

/// Describes a matrix to copies of `box_rows` rows of 128 bytes, swizzled over these in shared memory: of 64 elements
/// of 16 bits, or of 32 floats. What a box has outside of the matrix is read as zeros, and not written.
inline CUtensorMap tensor_map(const void* at, unsigned rows, unsigned columns, unsigned box_rows, bool f32 = false) {
  CUtensorMap map;
  const unsigned bytes = f32 ? 4 : 2;
  const cuuint64_t extents[] = {columns, rows}, pitches[] = {cuuint64_t{columns} * bytes};
  const cuuint32_t box[] = {row_bytes / bytes, box_rows}, every[] = {1, 1};
  const CUresult result = encode_tensor_map()(
      &map, f32 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, const_cast<void*>(at), extents,
      pitches, box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error("cuTensorMapEncodeTiled of " + std::to_string(rows) + " x " + std::to_string(columns) + " failed",
                static_cast<int>(result));
  return map;
}
inline CUtensorMap tensor_map(const Factor& factor, unsigned box_rows) {
  return tensor_map(factor.at, factor.rows, factor.columns, box_rows);
}

/// Brings what a copy needs to know of a map.
__device__ inline void prefetch_map([[maybe_unused]] const CUtensorMap& map) {
  CROSSWARP_SM90_ASM("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Starts the copy of the box whose first element is at (`row`, `column`) to shared memory, of which `barrier` is told:
/// always of the whole box's bytes. By one thread.
__device__ inline void load_box([[maybe_unused]] unsigned to_shared, [[maybe_unused]] const CUtensorMap& map,
                                [[maybe_unused]] unsigned row, [[maybe_unused]] unsigned column,
                                [[maybe_unused]] Mbarrier* barrier) {
  CROSSWARP_SM90_ASM(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          to_shared),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}
/// The same, to all blocks of the cluster whose bits are set in `blocks`; each one's own barrier is told.
__device__ inline void load_box([[maybe_unused]] unsigned to_shared, [[maybe_unused]] const CUtensorMap& map,
                                [[maybe_unused]] unsigned row, [[maybe_unused]] unsigned column,
                                [[maybe_unused]] Mbarrier* barrier, [[maybe_unused]] std::uint16_t blocks) {
  CROSSWARP_SM90_ASM(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to_shared),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

/// Brings a box as far as L2. Of what other threads write meanwhile a later copy sees what it would have seen anyway.
__device__ inline void prefetch_box([[maybe_unused]] const CUtensorMap& map, [[maybe_unused]] unsigned row,
                                    [[maybe_unused]] unsigned column) {
  CROSSWARP_SM90_ASM("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(column),
                     "r"(row)
                     : "memory");
}

/// Starts a copy to the box whose first element is at (`row`, `column`), as a group of its own: bulk_wait_group_read().
/// By one thread; what others wrote to shared memory they must have published, and a barrier lie between.
__device__ inline void store_box([[maybe_unused]] const CUtensorMap& map, [[maybe_unused]] unsigned row,
                                 [[maybe_unused]] unsigned column, [[maybe_unused]] unsigned from_shared) {
  CROSSWARP_SM90_ASM(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
      "cp.async.bulk.commit_group;" ::"l"(&map),
      "r"(column), "r"(row), "r"(from_shared)
      : "memory");
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
