// Bulk copies (one-dimensional TMA) of 8 KiB through a ring in shared memory, full stages signalled by mbarriers. Bound
// by memory bandwidth: threads only start copies, and sum for read.
#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned stages = 4, chunk = 8192;  // bytes; 32 KiB per block, so that six fit on a multiprocessor
constexpr unsigned chunk_vectors = chunk / sizeof(uint4), chunk_floats = chunk / sizeof(float);

struct alignas(128) Ring {
  uint4 stage[stages][chunk_vectors];
  Mbarrier full[stages];
};

/// By one thread.
__device__ void fetch(Ring& ring, unsigned stage, const float* from) {
  ring.full[stage].arrive_expect_tx(chunk);
  bulk_load(ring.stage[stage], from, chunk, &ring.full[stage]);
}

__device__ void init(Ring& ring) {
  if (threadIdx.x == 0) {
    for (Mbarrier& full : ring.full) full.init(1);
    fence_mbarrier_init();
  }
  __syncthreads();
}

/// Calls `each` with the indices of the floats behind the last full chunk.
template <class Each>
__device__ void for_remainder(std::size_t n, const Each& each) {
  for (std::size_t i = n / chunk_floats * chunk_floats + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    each(i);
}

/// Index of the calling block's k-th chunk.
__device__ std::size_t chunk_index(std::size_t k) { return k * gridDim.x + blockIdx.x; }

template <unsigned block>
__global__ void __launch_bounds__(block) bulk_read(StreamArrays arrays) {
  __shared__ Ring ring;
  init(ring);
  const std::size_t chunks = arrays.n / chunk_floats;
  const auto fetch_next = [&](std::size_t k) {
    if (const std::size_t c = chunk_index(k); threadIdx.x == 0 && c < chunks)
      fetch(ring, k % stages, arrays.a + c * chunk_floats);
  };
  for (unsigned k = 0; k < stages; ++k) fetch_next(k);
  unsigned sum = 0;
  for (std::size_t k = 0; chunk_index(k) < chunks; ++k) {
    const unsigned stage = k % stages;
    ring.full[stage].wait(k / stages % 2);
#pragma unroll
    for (unsigned i = 0; i < chunk_vectors; i += block) sum += sum_of(ring.stage[stage][i + threadIdx.x]);
    __syncthreads();  // all threads have read the stage
    fetch_next(k + stages);
  }
  for_remainder(arrays.n, [&](std::size_t i) { sum += bits_of(arrays.a[i]); });
  add_block_sum<block>(sum, arrays.sum);
}

/// One thread copies all chunks: it stores each from the stage that it was loaded into.
template <unsigned block>
__global__ void __launch_bounds__(block) bulk_copy(StreamArrays arrays) {
  __shared__ Ring ring;
  init(ring);
  const std::size_t chunks = arrays.n / chunk_floats;
  const auto fetch_next = [&](std::size_t k) {
    if (const std::size_t c = chunk_index(k); c < chunks) fetch(ring, k % stages, arrays.a + c * chunk_floats);
  };
  if (threadIdx.x == 0) {
    for (unsigned k = 0; k < stages; ++k) fetch_next(k);
    for (std::size_t k = 0; chunk_index(k) < chunks; ++k) {
      ring.full[k % stages].wait(k / stages % 2);
      bulk_store(arrays.out + chunk_index(k) * chunk_floats, ring.stage[k % stages], chunk);
      if (k == 0) continue;
      bulk_wait_group_read<1>();  // the store before this one has read its stage
      fetch_next(k - 1 + stages);
    }
    bulk_wait_group_read<0>();  // before the block's shared memory ends
  }
  for_remainder(arrays.n, [&](std::size_t i) { arrays.out[i] = arrays.a[i]; });
}

template <unsigned block>
__global__ void __launch_bounds__(block) bulk_write(StreamArrays arrays) {
  __shared__ alignas(128) uint4 filled[chunk_vectors];
  const unsigned word = bits_of(arrays.scalar);
  for (unsigned i = threadIdx.x; i < chunk_vectors; i += block) filled[i] = make_uint4(word, word, word, word);
  fence_proxy_async();
  __syncthreads();
  const std::size_t chunks = arrays.n / chunk_floats;
  if (threadIdx.x == 0) {
    for (std::size_t c = blockIdx.x; c < chunks; c += gridDim.x) {
      bulk_store(arrays.out + c * chunk_floats, filled, chunk);
      bulk_wait_group_read<stages>();
    }
    bulk_wait_group_read<0>();
  }
  for_remainder(arrays.n, [&](std::size_t i) { arrays.out[i] = arrays.scalar; });
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  const unsigned grid = grid_for(queue, args, chunk_floats * stages, queue.tuning["per_unit"]);
  switch (args.op) {
    case StreamOp::read:
      return launch(bulk_read<256>, grid, 256, 0, queue, arrays_of(args));
    case StreamOp::write:
      return launch(bulk_write<64>, grid, 64, 0, queue, arrays_of(args));
    default:
      return launch(bulk_copy<64>, grid, 64, 0, queue, arrays_of(args));
  }
}
#endif

const Register<MemoryBandwidth> variant{{
    .idea = "bulk copies (TMA) of 8 KiB, four in flight per block",
    .bound_by = "memory bandwidth",
    .improves = "cp_async",
    .needs = {"tma", "ptx"},
    .tunings = {{{{"per_unit", 6}}}, {{{"per_unit", 3}}}, {{{"per_unit", 24}}}},
    .applies =
        [](const Point& point) {
          const std::string& op = point.word("op");
          return in_memory(point) && (op == "read" || op == "write" || op == "copy");
        },
#if CROSSWARP_HAS_PTX
    .launch = run,
    .instructions = {{"UBLKCP", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
