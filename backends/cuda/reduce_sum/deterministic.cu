// Deterministic order: n alone determines which number is added to which, not the device, the alignment or the timing
// of blocks, so that every run gives the same bits. Costs one or two more launches. Bound by memory bandwidth for large
// n.
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;
constexpr unsigned group = 4;   // neighbouring elements that a thread loads at once: of f32 16 bytes
constexpr unsigned unroll = 8;  // groups per thread
constexpr std::size_t chunk = std::size_t{block} * group * unroll;

template <class T>
struct Group {
  alignas(group * sizeof(T)) T of[group];
};

/// Reduces `mine` over the block by a tree in shared memory; valid in thread 0. With shuffles the order would depend on
/// the warp size.
template <class Op, class A>
__device__ A ordered_block_reduce(A mine, Op op) {
  __shared__ A value[block];
  const unsigned tid = threadIdx.x;
  value[tid] = mine;
  for (unsigned stride = block / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (tid < stride) value[tid] = op(value[tid], value[tid + stride]);
  }
  return value[tid];
}

/// Each block reduces a chunk of `in`, of any alignment.
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
  value = ordered_block_reduce(value, op);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// One block reduces a few values.
template <class A, class Op>
__global__ void __launch_bounds__(block) reduce_rest(const A* in, std::size_t n, A* out) {
  const Op op;
  A value = Op::template identity<A>;
#pragma unroll 8
  for (std::size_t i = threadIdx.x; i < n; i += block) value = op(value, in[i]);
  value = ordered_block_reduce(value, op);
  if (threadIdx.x == 0) *out = value;
}

constexpr std::size_t max_for_one_block = 4096;

template <class T, class Op>
void reduce_levels(const Queue& queue, const T* in, std::size_t n, Accumulator<T>* space, Accumulator<T>* out) {
  const unsigned blocks = blocks_for(n, chunk);
  Accumulator<T>* const to = blocks == 1 ? out : space;
  launch(reduce_chunks<T, Op>, blocks, block, 0, queue, in, n, to);
  if (blocks == 1) return;
  using A = Accumulator<T>;
  if (blocks <= max_for_one_block)
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
    .idea = "order of additions determined by n alone, the same bits on every run",
    .bound_by = "memory bandwidth",
    .improves = "multi_kernel",
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
