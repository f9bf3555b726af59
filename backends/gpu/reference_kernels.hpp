// Reference results and their comparison on the GPU, for the host compiler. Each returns the launch's error code.
#pragma once

#include <cstddef>
#include <span>

#include "core/reference.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {

/// As Device::reference_gemm. Requires m, n > 0.
cudaError_t launch_reference_gemm(const Gemm& gemm, const TypedSpan& to, cudaStream_t stream);

/// As Device::reference_row_sums, on `threads` resident threads. Requires a row.
cudaError_t launch_reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to,
                                      int threads, cudaStream_t stream);

/// Blocks for a comparison of so many elements on `threads` resident threads; 0 for none.
std::size_t compare_blocks(std::size_t elements, int threads);

/// Writes the worst element of each block's share to worst[block], in device memory. `first`: index of the first
/// element.
cudaError_t launch_compare(const TypedSpan& actual, const TypedSpan& reference, std::uint64_t first,
                           const ErrorBound& bound, std::size_t blocks, WorstElement* worst, cudaStream_t stream);

}  // namespace crosswarp::gpu
