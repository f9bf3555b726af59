// Cooperative launch: all blocks are resident and meet at one grid barrier, then one block reduces the partials. Bound
// by memory bandwidth; for small n by the barrier's trips to L2 and by the launch, which costs more than a plain one.
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;

#if CROSSWARP_HAS_COOPERATIVE
/// A barrier of a resident grid.
struct GridBarrier {
  unsigned arrived;  ///< Blocks, in the current phase.
  unsigned phase;

  /// By thread 0 of every block.
  __device__ void arrive_and_wait() {
    const unsigned current = load_coherent(&phase);
    __threadfence();  // release, and `phase` is read before this block arrives
    if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1)
      atomicAdd(&phase, 1u);
    else
      while (atomicAdd(&phase, 0u) == current) {
      }
    __threadfence();  // acquire
  }
};

template <class T, class Op>
__global__ void __launch_bounds__(block) reduce_cooperative(const T* in, std::size_t n, GridBarrier* barrier,
                                                            Accumulator<T>* partials, Accumulator<T>* out) {
  using A = Accumulator<T>;
  const Op op;
  A value = block_reduce<block>(thread_reduce<block, unroll>(in, n, op), op);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    barrier->arrive_and_wait();
  }
  __syncthreads();
  if (blockIdx.x != 0) return;
  value = Op::template identity<A>;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block) value = op(value, load_coherent(partials + i));
  value = block_reduce<block>(value, op);
  if (threadIdx.x == 0) *out = value;
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return sizeof(GridBarrier) + max_resident_blocks(queue, block) * sizeof(double);
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    const auto kernel = reduce_cooperative<T, Op>;
    const unsigned grid = std::min(resident_blocks(kernel, block, 0, queue), tile_count<T>(a.in.size(), block, unroll));
    launch_cooperative(kernel, grid, block, 0, queue, a.in.data(), a.in.size(),
                       reinterpret_cast<GridBarrier*>(queue.workspace.data()),
                       reinterpret_cast<Accumulator<T>*>(queue.workspace.data() + sizeof(GridBarrier)), a.out.data());
  });
}
#endif

const Register<ReduceSum> variant{{
    .idea = "one cooperative launch, a grid barrier before one block reduces the partials",
    .bound_by = "memory bandwidth, or barrier and launch when small",
    .improves = "last_block",
    .needs = {"cooperative"},
#if CROSSWARP_HAS_COOPERATIVE
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
