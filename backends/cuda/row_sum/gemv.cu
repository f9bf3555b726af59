// The library: cublasSgemv of the matrix and a vector of ones. The yardstick where there is no row sum; it reads the
// ones, too, and multiplies.
#include "backends/gpu/kernel.hpp"
#include "experiments/row_sum.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUBLAS
constexpr unsigned block = 256;

__global__ void __launch_bounds__(block) fill_with_ones(float* ones, std::size_t n) {
  if (const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x; i < n) ones[i] = 1;
}

std::size_t workspace(const Queue&, const RowSum::Args& args) { return args.columns * sizeof(float); }

void prepare(const Queue& queue, const RowSum::Args& args) {
  auto* const ones = reinterpret_cast<float*>(queue.workspace.data());
  fill_with_ones<<<blocks_for(args.columns, block), block, 0, queue.stream>>>(ones, args.columns);
  check(cudaGetLastError(), "launch");
  cublas_handle(queue.stream);  // created here, not in a launch
}

/// Row-major m × n is column-major n × m, hence the transpose.
void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.columns == 0) return clear(queue, args.out);  // the library leaves the result unchanged
  if (args.rows() == 0) return;
  const auto n = static_cast<int>(args.columns), m = static_cast<int>(args.rows());
  const float one = 1, zero = 0;
  const auto* const ones = reinterpret_cast<const float*>(queue.workspace.data());
  check(cublas().sgemv(cublas_handle(queue.stream), CUBLAS_OP_T, n, m, &one, args.in.data(), n, ones, 1, &zero,
                       args.out.data(), 1),
        "cublasSgemv");
}
#endif

/// The library counts in int.
bool applies(const Point& point) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return point.integer("m") <= most && point.integer("n") <= most;
}

const Register<RowSum> variant{{
    .idea = "cublasSgemv with a vector of ones",
    .bound_by = "memory bandwidth",
    .needs = {"cublas"},
    .library = true,
    .applies = applies,
#if CROSSWARP_HAS_CUBLAS
    .workspace = workspace,
    .prepare = prepare,
    .missing = why_no_cublas,
    .launch = sum,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
