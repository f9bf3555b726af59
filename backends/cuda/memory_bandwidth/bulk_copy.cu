// Bulk copies of 8 KiB by the copy unit of each multiprocessor (TMA, one dimension), a ring of them for each block; an
// arriving chunk flips a barrier in shared memory. Bound by memory: threads only start copies, and add where asked to.
#include "backends/cuda/device/sweep.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned stages = 4, chunk = 8192;  // bytes; 32 KiB a block, so that six fit on a multiprocessor
constexpr unsigned chunk_vectors = chunk / sizeof(uint4), chunk_floats = chunk / sizeof(float);

__device__ unsigned shared_address(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

/// Of one thread's signal and `chunk` bytes. Phases alternate.
struct Arrivals {
  std::uint64_t word;

  __device__ void init() {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&word)) : "memory");
  }
  __device__ void wait(unsigned phase) {
    asm volatile(
        "{\n.reg .pred done;\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(shared_address(&word)),
        "r"(phase)
        : "memory");
  }
};

struct alignas(128) Ring {
  uint4 slots[stages][chunk_vectors];
  Arrivals arrived[stages];
};

/// By one thread: chunk by chunk into the ring's slots.
__device__ void fetch(Ring& ring, unsigned slot, const float* from) {
  const unsigned barrier = shared_address(&ring.arrived[slot]);
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(chunk) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(ring.slots[slot])),
               "l"(from), "r"(chunk), "r"(barrier)
               : "memory");
}
__device__ void store(float* to, const uint4* slot) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
               "r"(shared_address(slot)), "r"(chunk)
               : "memory");
}
/// Until all but the last `pending` stores of the calling thread have read their slots.
template <unsigned pending>
__device__ void wait_for_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
/// What threads wrote to shared memory, or set up there, is seen by copies that are started after it.
__device__ void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ void init(Ring& ring) {
  if (threadIdx.x == 0) {
    for (Arrivals& arrived : ring.arrived) arrived.init();
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    publish();
  }
  __syncthreads();
}

/// What is left behind the last whole chunk, float by float.
template <class Each>
__device__ void for_the_rest(std::size_t n, const Each& each) {
  for (std::size_t i = n / chunk_floats * chunk_floats + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    each(i);
}

/// The k-th chunk of the calling block.
__device__ std::size_t chunk_of_block(std::size_t k) { return k * gridDim.x + blockIdx.x; }

template <unsigned block>
__global__ void __launch_bounds__(block) bulk_read(StreamArrays arrays) {
  __shared__ Ring ring;
  init(ring);
  const std::size_t chunks = arrays.n / chunk_floats;
  const auto fetch_next = [&](std::size_t k) {
    if (const std::size_t c = chunk_of_block(k); threadIdx.x == 0 && c < chunks)
      fetch(ring, k % stages, arrays.a + c * chunk_floats);
  };
  for (unsigned k = 0; k < stages; ++k) fetch_next(k);
  unsigned sum = 0;
  for (std::size_t k = 0; chunk_of_block(k) < chunks; ++k) {
    const unsigned slot = k % stages;
    ring.arrived[slot].wait(k / stages % 2);
#pragma unroll
    for (unsigned i = 0; i < chunk_vectors; i += block) sum += sum_of(ring.slots[slot][i + threadIdx.x]);
    __syncthreads();  // all have read the slot before it is filled anew
    fetch_next(k + stages);
  }
  for_the_rest(arrays.n, [&](std::size_t i) { sum += bits_of(arrays.a[i]); });
  leave_sum<block>(sum, arrays.sum);
}

/// One thread does all of it but for the rest: what arrives leaves from where it lies.
template <unsigned block>
__global__ void __launch_bounds__(block) bulk_copy(StreamArrays arrays) {
  __shared__ Ring ring;
  init(ring);
  const std::size_t chunks = arrays.n / chunk_floats;
  const auto fetch_next = [&](std::size_t k) {
    if (const std::size_t c = chunk_of_block(k); c < chunks) fetch(ring, k % stages, arrays.a + c * chunk_floats);
  };
  if (threadIdx.x == 0) {
    for (unsigned k = 0; k < stages; ++k) fetch_next(k);
    for (std::size_t k = 0; chunk_of_block(k) < chunks; ++k) {
      ring.arrived[k % stages].wait(k / stages % 2);
      store(arrays.out + chunk_of_block(k) * chunk_floats, ring.slots[k % stages]);
      if (k == 0) continue;
      wait_for_reads<1>();  // the store before this one has left its slot
      fetch_next(k - 1 + stages);
    }
    wait_for_reads<0>();  // shared memory ends with the block
  }
  for_the_rest(arrays.n, [&](std::size_t i) { arrays.out[i] = arrays.a[i]; });
}

template <unsigned block>
__global__ void __launch_bounds__(block) bulk_write(StreamArrays arrays) {
  __shared__ alignas(128) uint4 filled[chunk_vectors];
  const unsigned word = bits_of(arrays.scalar);
  for (unsigned i = threadIdx.x; i < chunk_vectors; i += block) filled[i] = make_uint4(word, word, word, word);
  publish();
  __syncthreads();
  const std::size_t chunks = arrays.n / chunk_floats;
  if (threadIdx.x == 0) {
    for (std::size_t c = blockIdx.x; c < chunks; c += gridDim.x) {
      store(arrays.out + c * chunk_floats, filled);
      wait_for_reads<stages>();
    }
    wait_for_reads<0>();
  }
  for_the_rest(arrays.n, [&](std::size_t i) { arrays.out[i] = arrays.scalar; });
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  const unsigned grid = std::min(static_cast<unsigned>(queue.device.compute_units * queue.tuning["per_unit"]),
                                 blocks_for(elements(args), chunk_floats * stages));
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
    .idea = "bulk copies of 8 KiB by TMA, four in flight per block, threads only start them: bound by memory",
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
