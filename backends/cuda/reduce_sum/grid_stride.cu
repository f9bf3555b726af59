// Grid-stride loop: a grid of fixed size, so that each thread combines many elements before its block does; two
// launches at any n. Bound by the 4-byte loads in flight, hence by the launch shape, which the tunings sweep. After
// Harris, reduction 7.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block, class T, class Op>
__global__ void __launch_bounds__(block) reduce_grid_stride(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  const Op op;
  A value = Op::template identity<A>;
  for (std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x; i < n; i += std::size_t{gridDim.x} * block)
    value = op(value, A{widen(in[i])});
  value = block_reduce<block>(value, op);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// A tuning names the blocks, or blocks per multiprocessor to suit any device.
unsigned blocks(const Queue& queue, const ReduceSum::Args& args) {
  const auto& [shape, number] = queue.tuning.values.front();
  const int blocks = shape == "blocks" ? number : number * queue.device.compute_units;
  const auto block = static_cast<std::size_t>(queue.tuning["block"]);
  return std::min(static_cast<unsigned>(blocks), blocks_for(args.size(), block));
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args& args) {
  return two_launches_workspace(queue, blocks(queue, args));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const unsigned grid = blocks(queue, args);
  with_constant<256, 512>(queue.tuning["block"], [&]<unsigned block>() {
    reduce_in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
      launch(reduce_grid_stride<block, T, Op>, grid, block, 0, queue, a.in.data(), a.in.size(), partials);
    });
  });
}

const Register<ReduceSum> variant{{
    .idea = "grid-stride loop of 4-byte loads on a grid of fixed size",
    .bound_by = "4-byte loads in flight",
    .improves = "unrolled",
    .tunings = {{{{"per_unit", 4}, {"block", 512}}},
                {{{"per_unit", 8}, {"block", 256}}},
                {{{"per_unit", 16}, {"block", 512}}},
                {{{"per_unit", 64}, {"block", 512}}},
                {{{"blocks", 512}, {"block", 256}}},
                {{{"blocks", 1024}, {"block", 256}}},
                {{{"blocks", 2048}, {"block", 256}}},
                {{{"blocks", 512}, {"block", 512}}},
                {{{"blocks", 1024}, {"block", 512}}},
                {{{"blocks", 1536}, {"block", 512}}},
                {{{"blocks", 2048}, {"block", 512}}},
                {{{"blocks", 3072}, {"block", 512}}}},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
