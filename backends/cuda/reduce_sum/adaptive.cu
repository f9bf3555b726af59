// The library-style entry point: dispatches by size, and by how it is launched. One block while one multiprocessor
// holds all loads in flight, one cluster while its blocks do, then a grid: float4, or flagged_partials where there is
// no atomic for the operation. float4 clears the result first. In a stream that hides behind the end of the launch
// before; in a graph it does not, and flagged_partials takes over up to the size at which a memset no longer shows.
// Bound by the launch, by latency, by memory bandwidth.
#include "backends/cuda/reduce_sum/dispatch.hpp"
#include "backends/cuda/reduce_sum/flagged_partials.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned grid_block = 512;  // threads per block of the rungs that it dispatches to

// In a graph (H200, f32, time over CUB's): clusters 0.93, 0.91, 0.88 at 2^18, 2^20, 2^22, flagged_partials 0.92, 0.94,
// 0.91; at 2^24 flagged_partials 0.99, clusters and float4 1.01.
constexpr std::size_t graph_flagged_kib = 64 << 10;
#if CROSSWARP_HAS_PTX
constexpr std::size_t graph_cluster_kib = 16 << 10;
constexpr unsigned cluster_blocks = 8;  // which every GPU with clusters has
#endif

/// By one block, of up to threads × unroll vectors.
template <unsigned threads, unsigned unroll, class T, class Op>
__global__ void __launch_bounds__(threads) reduce_in_block(const T* in, unsigned n, Accumulator<T>* out) {
  const Op op;
  const VecSplit<T> split(in, n);
  const auto ends = reduce_ends<threads>(in, n, split, op);
  const auto vectors = reduce_partial_tile<threads, unroll>(split.vectors, 0, split.count, op);
  const auto value = block_reduce<threads>(op(vectors, ends), op);
  if (threadIdx.x == 0) *out = value;
}

template <unsigned threads, unsigned unroll>
void launch_block(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    launch(reduce_in_block<threads, unroll, T, Op>, 1, threads, 0, queue, a.in.data(),
           static_cast<unsigned>(a.in.size()), a.out.data());
  });
}

/// Loads per thread, 1, 2 … `max`, with which `blocks` blocks have all vectors in flight at once, or `max`.
int unroll_for(std::size_t vectors, std::size_t blocks, int max) {
  int unroll = 1;
  while (unroll < max && vectors > blocks * grid_block * static_cast<std::size_t>(unroll)) unroll *= 2;
  return unroll;
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
#if CROSSWARP_HAS_COOPERATIVE
  return FlaggedPartials<double>::bytes(max_resident_blocks(queue, grid_block));
#else
  return reduce_sum_last_block::workspace_bytes(queue, 1);
#endif
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const std::size_t bytes = std::visit([](const auto& a) { return a.in.size_bytes(); }, args.typed);
  const std::size_t vectors = (bytes + 15) / 16, kib = vectors / 64;
  const bool captured = is_captured(queue);
  const bool is_sum = args.operation == ReduceSum::Operation::sum;

  if (vectors <= 256) return launch_block<256, 1>(queue, args);
  if (vectors <= 1024) return launch_block<256, 4>(queue, args);
#if CROSSWARP_HAS_PTX
  const auto cluster_kib = captured ? graph_cluster_kib : static_cast<std::size_t>(queue.tuning["cluster_kib"]);
  if (queue.device.has("cluster") && kib <= cluster_kib)
    return reduce_sum_cluster::reduce(queue, args, cluster_blocks, unroll_for(vectors, cluster_blocks, 4));
#endif
  if (is_sum && !(captured && kib <= graph_flagged_kib))
    return reduce_sum_float4::reduce(queue, args, queue.tuning["waves"]);
#if CROSSWARP_HAS_COOPERATIVE
  const auto units = static_cast<std::size_t>(queue.device.compute_units);
  reduce_sum_flagged_partials::reduce(queue, args, unroll_for(vectors, units, 2));
#else
  reduce_sum_last_block::reduce(queue, args, 1);
#endif
}

Tuning tuning(int cluster_kib, int waves) { return {{{"cluster_kib", cluster_kib}, {"waves", waves}}}; }

const Register<ReduceSum> variant{{
    .idea = "dispatch by size and launch: one block, a cluster, a grid with atomics or flagged partials",
    .bound_by = "the launch, then latency, then memory bandwidth",
    .improves = "flagged_partials",
    .tunings = {tuning(256, 16), tuning(128, 16), tuning(0, 16), tuning(512, 16), tuning(256, 1)},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
