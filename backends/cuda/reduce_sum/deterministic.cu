// Which number is added to which follows from n alone: not from the device, the alignment or who comes first. So every
// run gives the same bits. Costs one more launch or two, and little where memory is the bound.
#include "backends/cuda/device/reduction.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;
constexpr unsigned group = 4;   // neighbours that a thread takes at once: of f32 one 16-byte load
constexpr unsigned unroll = 8;  // groups a thread takes
constexpr std::size_t chunk = std::size_t{block} * group * unroll;

template <class T>
struct Group {
  alignas(group * sizeof(T)) T of[group];
};

/// A tree over the block in shared memory: shuffles would make the order depend on the size of a warp.
template <class Op, class A>
__device__ A ordered_block_value(A mine, Op op) {
  __shared__ A value[block];
  const unsigned me = threadIdx.x;
  value[me] = mine;
  for (unsigned stride = block / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (me < stride) value[me] = op(value[me], value[me + stride]);
  }
  return value[me];
}

/// Each block combines its chunk of `in`, aligned or not.
template <class T, class Op>
__global__ void __launch_bounds__(block) reduce_chunks(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  const Op op;
  const std::size_t begin = blockIdx.x * chunk;
  Group<T> part[unroll];
  const bool whole = begin + chunk <= n && reinterpret_cast<std::uintptr_t>(in) % sizeof(Group<T>) == 0;
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u) {
    const std::size_t first = begin + (std::size_t{u} * block + threadIdx.x) * group;
    if (whole) {
      part[u] = *reinterpret_cast<const Group<T>*>(in + first);
    } else {
#pragma unroll
      for (unsigned g = 0; g < group; ++g)
        if (first + g < n) part[u].of[g] = in[first + g];
    }
  }
  A value = Op::template identity<A>;
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u)
#pragma unroll
    for (unsigned g = 0; g < group; ++g)
      if (begin + (std::size_t{u} * block + threadIdx.x) * group + g < n) value = op(value, A{widen(part[u].of[g])});
  value = ordered_block_value(value, op);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// What few values come to, by one block.
template <class A, class Op>
__global__ void __launch_bounds__(block) reduce_rest(const A* in, std::size_t n, A* out) {
  const Op op;
  A value = Op::template identity<A>;
#pragma unroll 8
  for (std::size_t i = threadIdx.x; i < n; i += block) value = op(value, in[i]);
  value = ordered_block_value(value, op);
  if (threadIdx.x == 0) *out = value;
}

constexpr std::size_t most_for_one_block = 4096;

template <class T, class Op>
void reduce_levels(const Queue& queue, const T* in, std::size_t n, Accumulator<T>* space, Accumulator<T>* out) {
  const unsigned blocks = blocks_for(n, chunk);
  Accumulator<T>* const to = blocks == 1 ? out : space;
  launch(reduce_chunks<T, Op>, blocks, block, 0, queue, in, n, to);
  if (blocks == 1) return;
  using A = Accumulator<T>;
  if (blocks <= most_for_one_block)
    launch(reduce_rest<A, Op>, 1, block, 0, queue, to, blocks, out);
  else
    reduce_levels<A, Op>(queue, to, blocks, space + blocks, out);
}

std::size_t workspace(const Queue&, const ReduceSum::Args& args) {
  return 2 * (blocks_for(args.size(), chunk) + std::size_t{1}) * sizeof(double);
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    reduce_levels<T, Op>(queue, a.in.data(), a.in.size(), reinterpret_cast<Accumulator<T>*>(queue.workspace.data()),
                         a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "an order of additions that follows from n alone, the same bits on every run: bound by memory when large",
    .improves = "multi_kernel",
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
