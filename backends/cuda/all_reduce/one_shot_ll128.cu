// One-shot by lines of 128 bytes, as NCCL's LL128 protocol: eight lanes store a line in one instruction, the data in
// seven of its vectors of 16 bytes and the epoch in the last, and load it so. Rests on what CUDA's memory model does
// not promise and NCCL relies upon over NVLink: the 128 bytes arrive together, and a warp's load of them sees all or
// none. (Over PCIe and through a processor they do not: NCCL 2.18.1's release notes.) No barrier: bound by one trip
// over the link, and by 8/7 of the bytes.
#include "backends/cuda/all_reduce/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace all_reduce_one_shot_ll128 {

#if CROSSWARP_HAS_PEERS
constexpr unsigned vectors = 8, data_vectors = vectors - 1;  // of a line; a lane each

/// Vector `i` of an array of n elements, whose last one may be short; zeros past its end.
template <class T>
__device__ Widest<T> load_vector(const T* in, std::size_t i, std::size_t n) {
  constexpr std::size_t width = 16 / sizeof(T);
  if ((i + 1) * width <= n && is_aligned<16>(in)) return pack<Widest<T>>(in, i);
  Widest<T> vector{};
  for (std::size_t e = 0; e < width && i * width + e < n; ++e) vector.of[e] = in[i * width + e];
  return vector;
}

template <class T>
__device__ void store_vector(T* out, std::size_t i, std::size_t n, const Widest<T>& vector) {
  constexpr std::size_t width = 16 / sizeof(T);
  if ((i + 1) * width <= n && is_aligned<16>(out)) {
    pack<Widest<T>>(out, i) = vector;
    return;
  }
  for (std::size_t e = 0; e < width && i * width + e < n; ++e) out[i * width + e] = vector.of[e];
}

// Stores and loads the calling lane's vector of a line; all lanes of the warp call them. In the emulation, whose lanes
// run one after the other, the first of the eight stores and loads the line.
#ifdef CROSSWARP_WARP_SIZE
void store_line128(uint4* line, const uint4& own, bool is_inside) {
  const unsigned lane = threadIdx.x % warp_size(), part = lane % vectors;
  std::uint64_t halves[2 * vectors];
  for (unsigned v = 0; v < vectors; ++v) {
    const uint4 of_lane = shuffle(own, lane - part + v);
    std::memcpy(halves + 2 * v, &of_lane, sizeof of_lane);
  }
  if (part != 0 || !is_inside) return;
  for (unsigned i = 0; i < 2 * vectors; ++i)
    std::atomic_ref(reinterpret_cast<std::uint64_t*>(line)[i]).store(halves[i], std::memory_order_relaxed);
  simt::note_store();
}
uint4 load_line128(const uint4* line, bool is_inside) {
  const unsigned lane = threadIdx.x % warp_size(), part = lane % vectors;
  uint4 whole[vectors] = {}, own{};
  if (part == 0 && is_inside)
    for (unsigned v = 0; v < vectors; ++v) whole[v] = load_halves_system(line + v);
  for (unsigned v = 0; v < vectors; ++v)
    if (const uint4 of_first = shuffle(whole[v], lane - part); v == part) own = of_first;
  return own;
}
#else
__device__ void store_line128(uint4* line, const uint4& own, bool is_inside) {
  if (is_inside) store_halves_system(line + threadIdx.x % vectors, own);
}
__device__ uint4 load_line128(const uint4* line, bool is_inside) {
  return is_inside ? load_halves_system(line + threadIdx.x % vectors) : uint4{};
}
#endif

/// Calls `use`(line, vector of the array, is_inside) for the lines of an array in turn: eight lanes each, whole warps
/// at once. `vector` is past the array's end in the lane of the flag.
template <class Use>
__device__ void for_each_line(std::size_t lines, Use use) {
  const unsigned lane = threadIdx.x % warp_size(), part = lane % vectors;
  for (std::size_t first = (grid_thread() - lane) / vectors; first < lines; first += grid_threads() / vectors) {
    const std::size_t line = first + lane / vectors;
    use(line, part < data_vectors ? line * data_vectors + part : lines * data_vectors, line < lines);
  }
}

/// A rank stores its lines into its own box at every peer, all of them before it waits, and adds what arrives in the
/// boxes of its peers. Boxes of two epochs take turns, as in one_shot_ll.
template <class T>
__global__ void __launch_bounds__(max_threads)
    one_shot_ll128(const T* in, T* out, std::size_t n, std::size_t lines, unsigned rank, unsigned ranks, Flags* own,
                   const __grid_constant__ Peers<uint4> boxes) {
  const unsigned epoch = epoch_of(*own);
  const std::size_t turn = epoch % 2 * ranks;
  const bool has_flag = threadIdx.x % vectors == data_vectors;
  const auto at = [&](unsigned of, unsigned from, std::size_t line) {
    return boxes.of[of] + ((turn + from) * lines + line) * vectors;
  };
  for_each_line(lines, [&](std::size_t line, std::size_t vector, bool is_inside) {
    const uint4 mine =
        has_flag ? make_uint4(epoch, epoch, epoch, epoch) : __builtin_bit_cast(uint4, load_vector(in, vector, n));
    for (unsigned step = 1; step < ranks; ++step) store_line128(at((rank + step) % ranks, rank, line), mine, is_inside);
  });
  for_each_line(lines, [&](std::size_t line, std::size_t vector, bool is_inside) {
    const auto sum = sum_over_ranks<Widest<T>>(ranks, [&](unsigned r) {
      if (r == rank) return load_vector(in, vector, n);
      uint4 seen = load_line128(at(rank, r, line), is_inside);
      while (any(has_flag && is_inside && seen.x != epoch)) {
        spin();
        seen = load_line128(at(rank, r, line), is_inside);
      }
      return __builtin_bit_cast(Widest<T>, seen);
    });
    store_vector(out, vector, n, sum);
  });
  end_epoch(*own, epoch);
}

std::size_t lines128_of(std::size_t bytes) {
  constexpr std::size_t in_line = 16 * data_vectors;
  return (bytes + in_line - 1) / in_line;
}

/// Behind the flags, where a line begins: workspaces are aligned to 128 bytes.
constexpr std::size_t boxes_at = (sizeof(Flags) + 127) / 128 * 128;

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        const std::size_t lines = lines128_of(a.size() * sizeof(T));
        const Shape shape(queue, lines * vectors);
        launch_resident(one_shot_ll128<T>, shape.blocks, shape.threads, 0, queue, a.in[a.rank].data(),
                        a.out[a.rank].data(), a.size(), lines, a.rank, a.ranks, workspaces<Flags>(queue).of[a.rank],
                        workspaces<uint4>(queue, boxes_at));
      },
      args.typed);
}

std::size_t workspace(const Queue&, const AllReduce::Args& args) {
  return boxes_at + 2 * args.ranks() * lines128_of(args.bytes()) * vectors * sizeof(uint4);
}

/// Only links with native atomics keep a line whole: NVLink.
std::string missing() {
#ifndef CROSSWARP_WARP_SIZE
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess) return "";
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (int peer = 0; peer < gpus; ++peer) {
      int has_atomics = 1;
      if (peer != gpu)
        check(cudaDeviceGetP2PAttribute(&has_atomics, cudaDevP2PAttrNativeAtomicSupported, gpu, peer), "link of GPUs");
      if (!has_atomics) return "needs NVLink between all GPUs, which keeps a line of 128 bytes whole";
    }
#endif
  return "";
}

#endif

const Register<AllReduce> variant{{
    .idea = "every rank stores its array to all ranks, a flag in each line of 128 bytes: no barrier",
    .bound_by = "one trip over the link; long arrays: 8/7 (ranks - 1) arrays to each",
    .improves = "one_shot_ll",
    .not_expressible = needs_peers,
    .applies = [](const Point& point) { return AllReduce::bytes(point) <= max_line_bytes; },
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .missing = missing,
    .launch = all_reduce,
#endif
}};

}  // namespace all_reduce_one_shot_ll128
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
