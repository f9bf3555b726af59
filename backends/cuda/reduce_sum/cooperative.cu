// One launch whose blocks are all resident and wait for each other once: each leaves a partial, and behind the barrier
// of the grid one of them combines these. Bound by memory; for small n by the barrier's trips to L2, and the launch
// costs more than a plain one.
#include "backends/cuda/device/reduction.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;

#if CROSSWARP_HAS_COOPERATIVE
/// A barrier of the whole grid, for grids that are resident: those who have arrived, and how often it opened.
struct GridBarrier {
  unsigned arrived, opened;

  /// Thread 0 of every block calls it.
  __device__ void wait() {
    const unsigned before = load_coherent(&opened);
    __threadfence();  // what was written is visible, and `opened` was read, before this block arrives
    if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1)
      atomicAdd(&opened, 1u);
    else
      while (atomicAdd(&opened, 0u) == before) {
      }
    __threadfence();
  }
};

template <class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_together(const T* in, std::size_t n, GridBarrier* barrier, Accumulator<T>* partials, Accumulator<T>* out) {
  using A = Accumulator<T>;
  const Op op;
  A value = block_reduce<block>(thread_value<block, unroll>(in, n, op), op);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    barrier->wait();
  }
  __syncthreads();
  if (blockIdx.x != 0) return;
  value = Op::template identity<A>;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block) value = op(value, load_coherent(partials + i));
  value = block_reduce<block>(value, op);
  if (threadIdx.x == 0) *out = value;
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return sizeof(GridBarrier) + resident_blocks_of(queue, block) * sizeof(double);
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    const auto kernel = reduce_together<T, Op>;
    const unsigned grid = std::min(resident_blocks(kernel, block, 0, queue), tiles_of<T>(a.in.size(), block, unroll));
    launch_cooperative(kernel, grid, block, 0, queue, a.in.data(), a.in.size(),
                       reinterpret_cast<GridBarrier*>(queue.workspace.data()),
                       reinterpret_cast<Accumulator<T>*>(queue.workspace.data() + sizeof(GridBarrier)), a.out.data());
  });
}
#endif

const Register<ReduceSum> variant{{
    .idea =
        "one cooperative launch, a barrier of the grid before the partials are combined: bound by memory when large",
    .improves = "last_block",
    .needs = {"cooperative"},
#if CROSSWARP_HAS_COOPERATIVE
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
