// Single-pass reduction by the last-block-done pattern (the CUDA samples' threadFenceReduction): each block stores its
// partial, the last block to finish reduces the partials. Bound by memory bandwidth; for small n by three trips to L2:
// fence, counter, partials. float4 pays a second launch there.
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/reduce_sum/dispatch.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace reduce_sum_last_block {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;
constexpr std::size_t counter_bytes = sizeof(double);  // the partials behind it stay aligned

template <class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_last_block(const T* in, std::size_t n, unsigned* finished, Accumulator<T>* partials, Accumulator<T>* out) {
  using A = Accumulator<T>;
  const Op op;
  A value = block_reduce<block>(thread_reduce<block, unroll>(in, n, op), op);
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) *out = value;
    return;
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
  if (!is_last_block<Writers::thread_0>(finished, gridDim.x)) return;
  value = Op::template identity<A>;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block) value = op(value, load_coherent(partials + i));
  value = block_reduce<block>(value, op);
  if (threadIdx.x == 0) *out = value;
}

std::size_t workspace_bytes(const Queue& queue, int waves) {
  return counter_bytes + max_resident_blocks(queue, block) * static_cast<std::size_t>(waves) * sizeof(double);
}

void reduce(const Queue& queue, const ReduceSum::Args& args, int waves) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
    auto* const partials = reinterpret_cast<Accumulator<T>*>(queue.workspace.data() + counter_bytes);
    launch(reduce_last_block<T, Op>, grid_size<T>(queue, a.in.size(), block, unroll, waves), block, 0, queue,
           a.in.data(), a.in.size(), finished, partials, a.out.data());
  });
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return workspace_bytes(queue, queue.tuning["waves"]);
}

void launch_tuned(const Queue& queue, const ReduceSum::Args& args) { reduce(queue, args, queue.tuning["waves"]); }

const Register<ReduceSum> variant{{
    .idea = "one launch: each block stores a partial, the last block to finish reduces them",
    .bound_by = "memory bandwidth, or three trips to L2 when small",
    .improves = "float4",
    .tunings = {{{{"waves", 1}}}, {{{"waves", 4}}}, {{{"waves", 16}}}},
    .workspace = workspace,
    .launch = launch_tuned,
}};

}  // namespace reduce_sum_last_block
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
