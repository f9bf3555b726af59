// The libraries: ncclAllGather, arrays not registered, NVLink multicast off, then cublasGemmEx. The yardstick.
#include "backends/cuda/device/ranks.hpp"
#include "experiments/all_gather_matmul.hpp"

#if CROSSWARP_HAS_NCCL && CROSSWARP_HAS_CUBLAS
#include <vector>

#include "backends/cuda/cublas.hpp"
#include "backends/cuda/nccl_calls.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL && CROSSWARP_HAS_CUBLAS

Bfloat16* gathered(const Queue& queue) { return reinterpret_cast<Bfloat16*>(queue.workspace.data()); }

/// Row-major C = A·B is column-major Cᵀ = Bᵀ·Aᵀ. On the current device.
void multiply(const Queue& queue, const AllGatherMatmul::Args& args) {
  if (args.k == 0) return clear(queue, args.c);
  if (args.c.empty()) return;
  const auto m = static_cast<int>(args.ranks * args.rows), n = static_cast<int>(args.columns),
             k = static_cast<int>(args.k);
  const float one = 1, zero = 0;
  const cublasHandle_t handle = cublas_handle(queue.stream);
  // By default it may add split-K's partial sums in the output's type, and exceed the error bound.
  check(cublas().set_math_mode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION), "cublasSetMathMode");
  check(
      cublas().gemm_ex(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, args.b.data(), CUDA_R_16BF, k, gathered(queue),
                       CUDA_R_16BF, k, &zero, args.c.data(), CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
  check(cublas().set_math_mode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");  // the handle is shared
}

/// A rank whose all-gather is enqueued when the group of all ranks' calls ends: only then its product can be.
struct Rank {
  int device;
  Queue queue;
  AllGatherMatmul::Args args;
};

void gather_and_multiply(const Queue& queue, const AllGatherMatmul::Args& args) {
  static std::vector<Rank> group;
  if (begins_nccl_calls(args.rank)) group.clear();
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  group.push_back({device, queue, args});
  in_nccl_group(args.rank, args.ranks, [&](ncclComm_t communicator) {
    check(nccl().all_gather(args.a[args.rank].data(), gathered(queue), args.part(), nccl_type<Bfloat16>, communicator,
                            queue.stream),
          "ncclAllGather");
  });
  if (!ends_nccl_calls(args.rank, args.ranks)) return;
  for (const Rank& rank : group) {
    check(cudaSetDevice(rank.device), "current device");
    multiply(rank.queue, rank.args);
  }
}

void prepare(const Queue& queue, const AllGatherMatmul::Args& args) {
  make_nccl_communicator(args.rank, args.ranks);
  cublas_handle(queue.stream);
}

std::string why_none() {
  const std::string why = why_no_nccl();
  return why.empty() ? why_no_cublas() : why;
}

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "NCCL, then cuBLAS: ncclAllGather, arrays not registered, then cublasGemmEx",
    .bound_by = "the link, then the matrix units",
    .needs = {"cublas"},
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL && CROSSWARP_HAS_CUBLAS
    .workspace = [](const Queue&,
                    const AllGatherMatmul::Args& args) { return args.ranks * args.part() * sizeof(Bfloat16); },
    .prepare = prepare,
    .missing = why_none,
    .launch = gather_and_multiply,
#endif
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::gpu
