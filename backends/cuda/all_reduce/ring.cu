// Ring: an array in as many chunks as ranks; each goes around once to be added up, and once more to be stored. Each
// rank writes to the next one alone, 2 (ranks - 1) / ranks arrays, the least; short arrays are bound by 2 (ranks - 1)
// steps.
#include "backends/cuda/all_reduce/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace all_reduce_ring {

#if CROSSWARP_HAS_PEERS

constexpr unsigned max_steps = 2 * (max_ranks - 1);

/// Elements of a chunk: whole vectors, so that chunks are aligned.
std::size_t chunk_of(std::size_t bytes, std::size_t ranks, std::size_t element) {
  return (bytes + 16 * ranks - 1) / (16 * ranks) * 16 / element;
}

/// What the rank before has brought, by step.
struct Steps {
  unsigned done[max_steps][max_blocks];
};
constexpr std::size_t staging = (sizeof(Flags) + sizeof(Steps) + 15) / 16 * 16;  // where it begins in the workspace

/// One rank's block on the ring. Blocks are rings of their own: each has every gridDim.x-th part of all chunks.
template <class T>
struct Ring {
  const T* in;
  T* out;
  T* next_out;
  const T* staged;  // by the rank before: a chunk for each step of the first round
  T* next_staged;
  Steps* steps;
  Steps* next_steps;
  std::size_t n, chunk;
  unsigned epoch;

  /// Calls work(offset in the chunk, pack) for each pack of chunk `c` that is this thread's; the last may be singles.
  template <class Work>
  __device__ void for_each(unsigned c, Work work) const {
    constexpr std::size_t width = 16 / sizeof(T);
    const std::size_t first = c * chunk;
    const std::size_t size = first < n ? std::min(chunk, n - first) : 0;
    for (std::size_t i = grid_thread(); i < size / width; i += grid_threads()) work(i * width, Widest<T>());
    for (std::size_t i = size / width * width + grid_thread(); i < size; i += grid_threads()) work(i, Single<T>());
  }

  /// The own elements of chunk `c` added to what has come in `step`.
  template <class P>
  __device__ P added(unsigned c, unsigned step, std::size_t offset) const {
    return sum_over_ranks<P>(2, [&](unsigned which) {
      return which == 0 ? pack<P>(in + c * chunk + offset, 0) : pack<P>(staged + step * chunk + offset, 0);
    });
  }

  /// Tells the next rank that all threads of this block have written their part of `step`.
  __device__ void signal(unsigned step) const {
    __syncthreads();
    if (threadIdx.x == 0) store_release_system(&next_steps->done[step][blockIdx.x], epoch);
  }
  __device__ void wait(unsigned step) const {
    if (threadIdx.x == 0)
      while (!has_reached(load_acquire_system(&steps->done[step][blockIdx.x]), epoch)) spin();
    __syncthreads();
  }
};

/// In place, too, and without a barrier: a chunk comes to be stored only after every rank has added its own elements of
/// it; and a rank is through only when its last chunk has passed all others, which have then read what it had staged.
template <class T>
__global__ void __launch_bounds__(max_threads)
    ring(const __grid_constant__ Peers<const T> in, const __grid_constant__ Peers<T> out, std::size_t n,
         std::size_t chunk, unsigned rank, unsigned ranks, const __grid_constant__ Peers<Flags> flags,
         const __grid_constant__ Peers<Steps> steps, const __grid_constant__ Peers<T> staged) {
  const unsigned next = (rank + 1) % ranks, epoch = epoch_of(*flags.of[rank]);
  const Ring<T> own{in.of[rank],     out.of[rank],   out.of[next],   staged.of[rank],
                    staged.of[next], steps.of[rank], steps.of[next], n,
                    chunk,           epoch};
  unsigned c = rank;
  const auto go_on = [&] { c = (c + ranks - 1) % ranks; };  // to the chunk that the rank before has just sent
  own.for_each(
      c, [&]<class P>(std::size_t i, P) { pack<P>(own.next_staged + i, 0) = pack<P>(own.in + c * chunk + i, 0); });
  own.signal(0);
  for (unsigned step = 1; step < ranks - 1; ++step) {
    go_on();
    own.wait(step - 1);
    own.for_each(c, [&]<class P>(std::size_t i, P) {
      pack<P>(own.next_staged + step * chunk + i, 0) = own.template added<P>(c, step - 1, i);
    });
    own.signal(step);
  }
  go_on();
  own.wait(ranks - 2);
  own.for_each(c, [&]<class P>(std::size_t i, P) {
    const P sum = own.template added<P>(c, ranks - 2, i);
    pack<P>(own.out + c * chunk + i, 0) = sum;
    pack<P>(own.next_out + c * chunk + i, 0) = sum;
  });
  own.signal(ranks - 1);
  for (unsigned step = ranks; step < 2 * (ranks - 1); ++step) {
    go_on();
    own.wait(step - 1);
    own.for_each(c, [&]<class P>(std::size_t i, P) {
      pack<P>(own.next_out + c * chunk + i, 0) = pack<P>(own.out + c * chunk + i, 0);
    });
    own.signal(step);
  }
  own.wait(2 * (ranks - 1) - 1);
  end_epoch(*flags.of[rank], epoch);
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        const std::size_t chunk = chunk_of(args.bytes(), a.ranks, sizeof(T));
        const Shape shape(queue, chunk * sizeof(T) / 16);
        launch_resident(ring<T>, shape.blocks, shape.threads, 0, queue, inputs(a), outputs(a), a.size(), chunk, a.rank,
                        a.ranks, workspaces<Flags>(queue), workspaces<Steps>(queue, sizeof(Flags)),
                        workspaces<T>(queue, staging));
      },
      args.typed);
}

std::size_t workspace(const Queue&, const AllReduce::Args& args) {
  return staging + (args.ranks() - 1) * chunk_of(args.bytes(), args.ranks(), 1);
}

#endif

const Register<AllReduce> variant{{
    .idea = "chunks go around a ring of ranks: once to be added up, once to be stored",
    .bound_by = "the link: 2 (ranks - 1) / ranks arrays to each; short ones: 2 (ranks - 1) steps",
    .improves = "two_shot",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .launch = all_reduce,
#endif
}};

}  // namespace all_reduce_ring
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
