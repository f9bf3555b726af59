// Kernels over ranks: peers' arrays by vectors of elements, flags in every rank's workspace, a barrier of ranks, lines
// with the flag in the data.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "backends/gpu/peers.hpp"
#include "core/half.hpp"
#include "core/ranks.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned max_ranks = most_ranks;
constexpr unsigned max_blocks = 128;
constexpr unsigned max_threads = 512;
constexpr std::size_t max_line_bytes = std::size_t{4}
                                       << 20;  // of an array by lines: its boxes take 4 · ranks times as much

/// Ranks' arrays, passed to a kernel by value.
template <class T>
struct Peers {
  T* of[max_ranks];
};

#if CROSSWARP_HAS_PEERS

/// `count` elements of T, one access.
template <class T, unsigned count>
struct alignas(count * sizeof(T)) Pack {
  T of[count];
};

/// 16 bytes, the widest access.
template <class T>
using Widest = Pack<T, 16 / sizeof(T)>;
template <class T>
using Single = Pack<T, 1>;

__device__ inline float as_float(float value) { return value; }
__device__ inline float as_float(Half value) { return half_value(value); }
__device__ inline float as_float(Bfloat16 value) { return to_float(value); }

template <class T>
__device__ T rounded_to(float value) {
  if constexpr (sizeof(T) == sizeof(float))
    return value;
  else if constexpr (std::same_as<T, Half>)
    return to_half(value);
  else
    return to_bfloat16(value);
}

/// The sum of a pack from each of `ranks`, in float, in the order of ranks: the same bits wherever it is computed.
template <class P, class Load>
__device__ P sum_over_ranks(unsigned ranks, Load load) {
  constexpr unsigned count = sizeof(P{}.of) / sizeof(P{}.of[0]);
  float sum[count] = {};
  for (unsigned r = 0; r < ranks; ++r) {
    const P addend = load(r);
    for (unsigned e = 0; e < count; ++e) sum[e] += as_float(addend.of[e]);
  }
  P result;
  for (unsigned e = 0; e < count; ++e) result.of[e] = rounded_to<std::remove_cvref_t<decltype(result.of[0])>>(sum[e]);
  return result;
}

/// The pack with index `i` of an array that is aligned to one.
template <class P, class T>
__device__ auto& pack(T* array, std::size_t i) {
  if constexpr (std::is_const_v<T>)
    return reinterpret_cast<const P*>(array)[i];
  else
    return reinterpret_cast<P*>(array)[i];
}

/// Calls `use` with the other ranks in turn, from the one behind `rank` on, so that they are not all at the same one.
template <class Use>
__device__ void for_each_peer(unsigned rank, unsigned ranks, Use use) {
#pragma unroll 1
  for (unsigned step = 1, peer = rank; step < ranks; ++step) {
    peer = peer + 1 < ranks ? peer + 1 : 0;
    use(peer);
  }
}

/// Index and number of the grid's threads.
__device__ inline std::size_t grid_thread() { return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline std::size_t grid_threads() { return std::size_t{gridDim.x} * blockDim.x; }

/// Whether `width` bytes from here on are one access.
template <unsigned width>
__device__ bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % width == 0;
}

/// The pack with index `i` of an array of n elements, whose last one may be short; zeros past its end.
template <class P, class T>
__device__ P load_pack(const T* in, std::size_t i, std::size_t n) {
  constexpr std::size_t width = sizeof(P) / sizeof(T);
  if ((i + 1) * width <= n && is_aligned<sizeof(P)>(in)) return pack<P>(in, i);
  P loaded{};
  for (std::size_t e = 0; e < width && i * width + e < n; ++e) loaded.of[e] = in[i * width + e];
  return loaded;
}

template <class P, class T>
__device__ void store_pack(T* out, std::size_t i, std::size_t n, const P& stored) {
  constexpr std::size_t width = sizeof(P) / sizeof(T);
  if ((i + 1) * width <= n && is_aligned<sizeof(P)>(out)) {
    pack<P>(out, i) = stored;
    return;
  }
  for (std::size_t e = 0; e < width && i * width + e < n; ++e) out[i * width + e] = stored.of[e];
}

/// Copies n elements by all threads of the grid, `unroll` loads of 16 bytes in flight in each, or one element at a time
/// where the arrays are not aligned to 16 bytes. Which thread copies an element depends on n and on this alone.
template <unsigned unroll, class T>
__device__ void copy_by_grid(T* to, const T* from, std::size_t n) {
  constexpr std::size_t width = 16 / sizeof(T);
  const std::size_t packs = is_aligned<16>(to) && is_aligned<16>(from) ? n / width : 0, all = grid_threads();
  std::size_t i = grid_thread();
  for (; i + (unroll - 1) * all < packs; i += unroll * all) {
    Widest<T> loaded[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) loaded[u] = pack<Widest<T>>(from, i + u * all);
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) pack<Widest<T>>(to, i + u * all) = loaded[u];
  }
  for (; i < packs; i += all) pack<Widest<T>>(to, i) = pack<Widest<T>>(from, i);
  for (i = packs * width + grid_thread(); i < n; i += all) to[i] = from[i];
}

/// At the start of each rank's workspace. The same block of every rank talks to each other alone, so that all of a
/// block's words have its index. They count launches from 1 on; 32 bits wrap.
struct Flags {
  unsigned launches[max_blocks];               // of this rank, so far
  unsigned arrived[2][max_blocks][max_ranks];  // by barrier; the last epoch in which a rank came
};

/// The number of this launch, on all ranks. To be called before the first barrier. It is in memory: what does not
/// depend on it had better be loaded first, so that both are on their way together.
__device__ inline unsigned epoch_of(const Flags& own) { return own.launches[blockIdx.x] + 1; }

/// To be called by all threads of a block, behind their last use of the epoch.
__device__ inline void end_epoch(Flags& own, unsigned epoch) {
  __syncthreads();
  if (threadIdx.x == 0) own.launches[blockIdx.x] = epoch;
}

/// Whether a word that counts up has reached `epoch`.
__device__ inline bool has_reached(unsigned word, unsigned epoch) { return static_cast<int>(word - epoch) >= 0; }

/// Barrier of the same block of all ranks: what any of their threads wrote before, all threads see behind it. Max one
/// for each `barrier` (0 and 1) in a launch. Requires `ranks` threads.
__device__ inline void sync_ranks(const Peers<Flags>& flags, unsigned barrier, unsigned rank, unsigned ranks,
                                  unsigned epoch) {
  __syncthreads();
  if (threadIdx.x < ranks) {
    store_release_system(&flags.of[threadIdx.x]->arrived[barrier][blockIdx.x][rank], epoch);
    const unsigned* const own = &flags.of[rank]->arrived[barrier][blockIdx.x][threadIdx.x];
    while (!has_reached(load_acquire_system(own), epoch)) spin();
  }
  __syncthreads();
}

/// The barrier as a kernel of one block, between work that is no kernel: an epoch of its own.
template <class F>
__global__ void meet(const __grid_constant__ Peers<F> flags, unsigned rank, unsigned ranks) {
  const unsigned epoch = epoch_of(*flags.of[rank]);
  sync_ranks(flags, 0, rank, ranks, epoch);
  end_epoch(*flags.of[rank], epoch);
}

// A line: 8 bytes of elements, and in memory each word beside the number of the launch (NCCL's LL protocol).

template <class T>
using Line = Pack<T, 8 / sizeof(T)>;

inline std::size_t lines_of(std::size_t bytes) { return (bytes + 7) / 8; }

template <class T>
__device__ void send_line(uint4* to, const Line<T>& line, unsigned epoch) {
  const auto words = __builtin_bit_cast(uint2, line);
  store_halves_system(to, make_uint4(words.x, epoch, words.y, epoch));
}

/// Waits until both words are of this epoch.
template <class T>
__device__ Line<T> receive_line(const uint4* from, unsigned epoch) {
  uint4 line = load_halves_system(from);
  for (; line.y != epoch || line.w != epoch; line = load_halves_system(from)) spin();
  return __builtin_bit_cast(Line<T>, make_uint2(line.x, line.z));
}

#endif

/// Of a launch's arguments (RankSpans).
template <class A>
auto inputs(const A& a) {
  Peers<std::remove_pointer_t<decltype(a.in[0].data())>> peers{};
  for (std::size_t r = 0; r < a.ranks; ++r) peers.of[r] = a.in[r].data();
  return peers;
}

template <class A>
auto outputs(const A& a) {
  Peers<std::remove_pointer_t<decltype(a.out[0].data())>> peers{};
  for (std::size_t r = 0; r < a.ranks; ++r) peers.of[r] = a.out[r].data();
  return peers;
}

/// Each rank's workspace from byte `first` on. Requires that T fits.
template <class T>
Peers<T> workspaces(const Queue& queue, std::size_t first = 0) {
  Peers<T> peers{};
  for (std::size_t r = 0; r < queue.workspaces.size(); ++r)
    peers.of[r] = reinterpret_cast<T*>(queue.workspaces[r].data() + first);
  return peers;
}

/// Launch of `work` threads or more; a thread for each, up to the grid's and a block's limit. The same on all ranks.
struct Shape {
  unsigned blocks, threads;

  static unsigned warps(const Queue& queue, std::size_t work) {
    return blocks_for(work, static_cast<std::size_t>(queue.device.warp_size));
  }
  Shape(const Queue& queue, std::size_t work)
      : blocks(
            std::min({blocks_for(work, max_threads), max_blocks, static_cast<unsigned>(queue.device.compute_units)})),
        threads(std::min(warps(queue, work) * static_cast<unsigned>(queue.device.warp_size), max_threads)) {}
};

#if CROSSWARP_HAS_PEERS

/// Enqueues a barrier of ranks. Requires Flags at the start of each rank's workspace.
inline void launch_meeting(const Queue& queue, std::size_t rank, std::size_t ranks) {
  launch_resident(meet<Flags>, 1, static_cast<unsigned>(queue.device.warp_size), 0, queue, workspaces<Flags>(queue),
                  rank, ranks);
}

#endif

}  // namespace
}  // namespace crosswarp::gpu
