// Bulk copies (cp.async.bulk) into a ring of stages in shared memory, started by one thread: loads in flight occupy no
// registers. Bound by memory bandwidth.
#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/reduce_sum/flagged_partials.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 256;
constexpr unsigned max_stages = 16;

/// Dynamic shared memory: `stages` of `stage_vectors` vectors, a multiple of the block. A stage holds one tile.
template <class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_bulk_copies(const T* in, std::size_t n, unsigned stages, unsigned stage_vectors,
                       FlaggedPartials<Accumulator<T>> partials, Accumulator<T>* out) {
  using A = Accumulator<T>;
  __shared__ Pipeline<max_stages> pipeline;
  const Op op;
  Vec<T>* const ring = dynamic_shared<Vec<T>>();
  const VecSplit<T> split(in, n);
  const std::size_t tiles = (split.count + stage_vectors - 1) / stage_vectors;
  const auto vectors_of = [&](std::size_t tile) {
    return static_cast<unsigned>(std::min<std::size_t>(stage_vectors, split.count - tile * stage_vectors));
  };
  PipelineState producer, consumer;
  const auto load = [&](std::size_t tile) {
    if (tile >= tiles) return;
    const unsigned bytes = vectors_of(tile) * sizeof(Vec<T>);
    Mbarrier* const full = pipeline.producer_acquire(producer, bytes);
    bulk_load(ring + std::size_t{producer.index} * stage_vectors, split.vectors + tile * stage_vectors, bytes, full);
    producer.advance(stages);
  };

  if (threadIdx.x == 0) {
    pipeline.init(block / warp_size());
    for (unsigned s = 0; s < stages; ++s) load(blockIdx.x + std::size_t{s} * gridDim.x);
  }
  A value = reduce_ends<block>(in, n, split, op);
  __syncthreads();

  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    // Thread 0 refills the stage of the tile before: by now the other warps have mostly released it.
    if (threadIdx.x == 0 && tile != blockIdx.x) load(tile + std::size_t{stages - 1} * gridDim.x);
    pipeline.consumer_wait(consumer);
    const Vec<T>* const vectors = ring + std::size_t{consumer.index} * stage_vectors;
    const unsigned count = vectors_of(tile);
    if (count == stage_vectors) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < stage_vectors; i += block) value = op(value, vec_reduce(vectors[i], op));
    } else {
      for (unsigned i = threadIdx.x; i < count; i += block) value = op(value, vec_reduce(vectors[i], op));
    }
    sync_warp();
    if (threadIdx.x % warp_size() == 0) pipeline.consumer_release(consumer.index);
    consumer.advance(stages);
  }
  grid_reduce<block>(value, partials, out, op);
}

unsigned stage_vectors(const Queue& queue) { return static_cast<unsigned>(queue.tuning["stage_kib"]) * 1024 / 16; }

unsigned max_blocks(const Queue& queue) {
  return static_cast<unsigned>(queue.device.compute_units * queue.tuning["per_unit"]);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  return FlaggedPartials<double>::bytes(max_blocks(queue));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto stages = static_cast<unsigned>(queue.tuning["stages"]);
  const std::size_t ring_bytes = stages * std::size_t{16} * stage_vectors(queue);
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    const unsigned tiles = blocks_for(a.in.size(), std::size_t{Vec<T>::size} * stage_vectors(queue));
    launch(reduce_bulk_copies<T, Op>, std::min(max_blocks(queue), tiles), block, ring_bytes, queue, a.in.data(),
           a.in.size(), stages, stage_vectors(queue), FlaggedPartials<Accumulator<T>>(queue.workspace), a.out.data());
  });
}

Tuning tuning(int stage_kib, int stages, int per_unit) {
  return {{{"stage_kib", stage_kib}, {"stages", stages}, {"per_unit", per_unit}}};
}
#endif

const Register<ReduceSum> variant{{
    .idea = "bulk copies into a ring of stages in shared memory: loads in flight occupy no registers",
    .bound_by = "memory bandwidth",
    .improves = "flagged_partials",
    .needs = {"ptx", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(32, 3, 2), tuning(16, 6, 2), tuning(8, 12, 2), tuning(16, 4, 3), tuning(32, 6, 1),
                tuning(16, 12, 1), tuning(4, 8, 4)},
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
