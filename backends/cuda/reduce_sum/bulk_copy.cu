// The array comes through a ring of stages in shared memory by bulk copies, started by one thread: loads in flight take
// no registers. Bound by memory.
#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/reduce_sum/by_mail.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 256;
constexpr unsigned most_stages = 16;

/// Dynamic shared memory: `stages` of `stage_packs` packs, a multiple of the block.
template <class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_copied(const T* in, std::size_t n, unsigned stages, unsigned stage_packs, Mail<Accumulator<T>> mail,
                  Accumulator<T>* out) {
  using A = Accumulator<T>;
  __shared__ Mbarrier full[most_stages], empty[most_stages];
  const Op op;
  Vec<T>* const ring = dynamic_shared<Vec<T>>();
  const VecSplit<T> split(in, n);
  const auto* const packs = reinterpret_cast<const Vec<T>*>(in + split.head);
  const std::size_t tiles = (split.packs + stage_packs - 1) / stage_packs;
  const auto packs_in = [&](std::size_t tile) {
    return static_cast<unsigned>(std::min<std::size_t>(stage_packs, split.packs - tile * stage_packs));
  };
  const auto fetch = [&](std::size_t tile, unsigned stage) {
    const unsigned bytes = packs_in(tile) * sizeof(Vec<T>);
    full[stage].arrive_expect_tx(bytes);
    bulk_load(ring + std::size_t{stage} * stage_packs, packs + tile * stage_packs, bytes, &full[stage]);
  };

  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < stages; ++s) {
      full[s].init(1);
      empty[s].init(block / warp_size());
    }
    fence_mbarrier_init();
    for (unsigned s = 0; s < stages; ++s)
      if (const std::size_t tile = blockIdx.x + std::size_t{s} * gridDim.x; tile < tiles) fetch(tile, s);
  }
  A value = edge_value<block>(in, n, split, op);
  __syncthreads();

  unsigned stage = 0, parity = 0;            // of this turn
  unsigned last_stage = 0, last_parity = 0;  // of the turn before, whose stage is filled again now
  for (std::size_t tile = blockIdx.x, turn = 0; tile < tiles; tile += gridDim.x, ++turn) {
    // Thread 0 waits for the other warps one turn behind them, so that it seldom waits at all.
    if (threadIdx.x == 0 && turn > 0) {
      if (const std::size_t next = tile + std::size_t{stages - 1} * gridDim.x; next < tiles) {
        empty[last_stage].wait(last_parity);
        fetch(next, last_stage);
      }
    }
    full[stage].wait(parity);
    const Vec<T>* const at = ring + std::size_t{stage} * stage_packs;
    const unsigned here = packs_in(tile);
    if (here == stage_packs) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < stage_packs; i += block) value = op(value, reduced(at[i], op));
    } else {
      for (unsigned i = threadIdx.x; i < here; i += block) value = op(value, reduced(at[i], op));
    }
    sync_warp();
    if (threadIdx.x % warp_size() == 0) empty[stage].arrive();
    last_stage = stage;
    last_parity = parity;
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  combine_by_mail<block, false>(value, mail, out, op);
}

unsigned stage_packs(const Queue& queue) { return static_cast<unsigned>(queue.tuning["stage_kib"]) * 1024 / 16; }

unsigned most_blocks(const Queue& queue) {
  return static_cast<unsigned>(queue.device.compute_units * queue.tuning["per_unit"]);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) { return Mail<double>::bytes(most_blocks(queue)); }

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto stages = static_cast<unsigned>(queue.tuning["stages"]);
  const std::size_t ring = stages * std::size_t{16} * stage_packs(queue);
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    const auto kernel = reduce_copied<T, Op>;
    const unsigned tiles = blocks_for(a.in.size(), std::size_t{Vec<T>::size} * stage_packs(queue));
    launch(kernel, std::min(most_blocks(queue), tiles), block, ring, queue, a.in.data(), a.in.size(), stages,
           stage_packs(queue), Mail<Accumulator<T>>(queue.workspace), a.out.data());
  });
}

Tuning tuning(int stage_kib, int stages, int per_unit) {
  return {{{"stage_kib", stage_kib}, {"stages", stages}, {"per_unit", per_unit}}};
}
#endif

const Register<ReduceSum> variant{{
    .idea = "bulk copies into a ring in shared memory, no register for a load in flight: bound by memory",
    .improves = "mailbox",
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
