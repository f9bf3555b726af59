// Entry points of the kernels that `adaptive` and `autotuned` dispatch to. Each stands in its variant's file, gemv's in
// backends/cuda/gemv/. Expected cycles are those of a multiprocessor, with a launch's, which `small_k` and `few_rows`
// do not count in full: choices between them and gemv favour them.
#pragma once

#include <optional>
#include <vector>

#include "backends/cuda/matmul_f32/register_prefetch.hpp"
#include "backends/gpu/candidate.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Cycles that programmatic dependent launch saves of a launch. Clusters may lose more by it: they begin where blocks
/// of the launch before end, so that of a grid that does not fill the device some multiprocessors get a block more.
/// Fitted before their kernel started the next launch late.
constexpr double pdl_cycles = 2200;

namespace matmul_f32_stream_k {

/// For WideTile. Requires m, n > 0 and a workspace of workspace_bytes().
template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args);
template <class Tile>
std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_stream_k

#if CROSSWARP_HAS_PTX
namespace matmul_f32_cluster_split_k {

constexpr unsigned max_splits = 8;  // what every device with clusters has room for

/// For a tile of multistage. Requires m, n > 0 and at most max_splits.
struct ClusterGemm {
  unsigned (*active_clusters)(const MatmulF32::Args& args, unsigned splits);  ///< On the current device at once.
  void (*launch)(const Queue& queue, const MatmulF32::Args& args, unsigned splits);
};
/// For multistage tiles up to 128 x 128.
template <class Tile>
ClusterGemm entry_of();

}  // namespace matmul_f32_cluster_split_k
#endif

namespace matmul_f32_small_k {

constexpr unsigned max_k = 128;

double expected_cycles(const Queue& queue, const MatmulF32::Args& args);
/// Requires k <= max_k.
void gemm(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_small_k

namespace matmul_f32_few_columns {

bool is_for(std::size_t m, std::size_t n, std::size_t k);
double expected_cycles(const Queue& queue, const MatmulF32::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args);
/// Requires is_for() and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_few_columns

namespace matmul_f32_few_rows {

bool is_for(std::size_t m, std::size_t n, std::size_t k);
double expected_cycles(const Queue& queue, const MatmulF32::Args& args);
std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args);
/// Requires is_for() and a workspace of workspace_bytes().
void gemm(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_few_rows

namespace matmul_f32_gemv {

/// The cheapest launch. None where it is not for this shape: more than one row and column, or an empty product.
std::optional<Choice<MatmulF32>> choice(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_gemv

#if CROSSWARP_HAS_PTX
namespace matmul_f32_cluster_gemv {

/// As above, for one row. None, too, on a device without clusters.
std::optional<Choice<MatmulF32>> choice(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_cluster_gemv
#endif

namespace matmul_f32_adaptive {

/// Each tile with its best splits, by a second pass or in a cluster, stream-K, and the kernels for special shapes that
/// can multiply these matrices. Requires elements of C.
std::vector<Choice<MatmulF32>> choices(const Queue& queue, const MatmulF32::Args& args);

}  // namespace matmul_f32_adaptive

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
