// TMA: asynchronous copies of boxes of a matrix (Hopper), by a tensor map that the host encodes. For files that need
// "ptx". Matrices are row-major; rows begin at multiples of 16 bytes.
#pragma once

#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

#if CROSSWARP_HAS_PTX
#include <cuda.h>

namespace crosswarp::gpu {
namespace {

using EncodeTensorMap = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, looked up at run time so that programs start without a driver.
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

/// Boxes of `box_rows` rows of 128 bytes (64 elements of 16 bits, 32 floats, or 16 doubles, by their `bytes`), swizzled
/// in shared memory. Outside of the matrix loads give zeros, and stores write nothing. `pitch`: elements from one row
/// to the next.
inline CUtensorMap tensor_map(const void* data, unsigned rows, unsigned columns, unsigned pitch, unsigned box_rows,
                              unsigned bytes = 2) {
  CUtensorMap map;
  const CUtensorMapDataType type = bytes == 8   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
                                   : bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                                : CU_TENSOR_MAP_DATA_TYPE_UINT16;
  const cuuint64_t extents[] = {columns, rows}, pitches[] = {cuuint64_t{pitch} * bytes};
  const cuuint32_t box[] = {row_bytes / bytes, box_rows}, strides[] = {1, 1};
  // Where rows begin within lines, boxes that ask L2 for 256 bytes cost a tenth of a product's time and more.
  const auto promotion =
      pitches[0] % row_bytes == 0 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  const CUresult result = encode_tensor_map()(&map, type, 2, const_cast<void*>(data), extents, pitches, box, strides,
                                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, promotion,
                                              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw Error("cuTensorMapEncodeTiled of " + std::to_string(rows) + " x " + std::to_string(columns) + " failed",
                static_cast<int>(result));
  return map;
}
inline CUtensorMap tensor_map(const Operand& operand, unsigned box_rows) {
  return tensor_map(operand.data, operand.rows, operand.columns, operand.pitch, box_rows);
}

/// Prefetches the descriptor itself.
__device__ inline void prefetch_tensor_map([[maybe_unused]] const CUtensorMap& map) {
  CROSSWARP_SM90_ASM("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Starts a load of the box at (`row`, `column`) that completes on `barrier`, always with the whole box's bytes. By one
/// thread.
__device__ inline void tma_load([[maybe_unused]] unsigned to_shared, [[maybe_unused]] const CUtensorMap& map,
                                [[maybe_unused]] unsigned row, [[maybe_unused]] unsigned column,
                                [[maybe_unused]] Mbarrier* barrier) {
  CROSSWARP_SM90_ASM(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          to_shared),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}
/// The same to every block of the cluster whose bit is set in `blocks`, at the same address; completes on each one's
/// own barrier.
__device__ inline void tma_load_multicast([[maybe_unused]] unsigned to_shared, [[maybe_unused]] const CUtensorMap& map,
                                          [[maybe_unused]] unsigned row, [[maybe_unused]] unsigned column,
                                          [[maybe_unused]] Mbarrier* barrier, [[maybe_unused]] std::uint16_t blocks) {
  CROSSWARP_SM90_ASM(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to_shared),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}

/// Brings a box into L2. Safe before the wait for the grid before: L2 is coherent with what that still writes.
__device__ inline void tma_prefetch([[maybe_unused]] const CUtensorMap& map, [[maybe_unused]] unsigned row,
                                    [[maybe_unused]] unsigned column) {
  CROSSWARP_SM90_ASM("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(column),
                     "r"(row)
                     : "memory");
}

/// Starts a store to the box at (`row`, `column`), a bulk group of its own: bulk_wait_group_read(). By one thread,
/// after fence_proxy_async() by the threads that wrote there and a barrier.
__device__ inline void tma_store([[maybe_unused]] const CUtensorMap& map, [[maybe_unused]] unsigned row,
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
