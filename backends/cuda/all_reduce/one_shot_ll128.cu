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

/// What the calling lane has of the lines: eight lanes have a line each, and a warp goes on as a whole.
struct Share {
  std::size_t lines, first;  // of the warp

  __device__ explicit Share(std::size_t lines) : lines(lines), first((grid_thread() - lane()) / vectors) {}
  __device__ static unsigned lane() { return threadIdx.x % warp_size(); }
  __device__ bool is_done() const { return first >= lines; }
  __device__ void advance() { first += grid_threads() / vectors; }

  __device__ std::size_t line() const { return first + lane() / vectors; }
  __device__ bool is_inside() const { return line() < lines; }
  __device__ static bool has_flag() { return lane() % vectors == data_vectors; }
  /// Of the array; past its end in the lane of the flag.
  __device__ std::size_t vector() const { return (has_flag() ? lines : line()) * data_vectors + lane() % vectors; }
};

/// A rank stores its lines into its own box at every peer, all of them before it waits, and adds what arrives in the
/// boxes of its peers. Boxes of two epochs take turns, as in one_shot_ll.
template <class T>
__global__ void __launch_bounds__(max_threads)
    one_shot_ll128(const T* in, T* out, std::size_t n, std::size_t lines, unsigned rank, unsigned ranks, Flags* own,
                   const __grid_constant__ Peers<uint4> boxes) {
  Share share(lines);
  auto mine = load_pack<Widest<T>>(in, share.vector(), n);
  const unsigned epoch = epoch_of(*own);
  const std::size_t turn = epoch % 2 * ranks;
  const auto at = [&](unsigned of, unsigned from) {
    return boxes.of[of] + ((turn + from) * lines + share.line()) * vectors;
  };
  for (; !share.is_done(); share.advance(), mine = load_pack<Widest<T>>(in, share.vector(), n)) {
    const uint4 sent = share.has_flag() ? make_uint4(epoch, epoch, epoch, epoch) : __builtin_bit_cast(uint4, mine);
    for_each_peer(rank, ranks, [&](unsigned peer) { store_line128(at(peer, rank), sent, share.is_inside()); });
  }
  for (share = Share(lines); !share.is_done(); share.advance()) {
    const auto sum = sum_over_ranks<Widest<T>>(ranks, [&](unsigned r) {
      if (r == rank) return load_pack<Widest<T>>(in, share.vector(), n);
      uint4 seen = load_line128(at(rank, r), share.is_inside());
      while (any(share.has_flag() && share.is_inside() && seen.x != epoch)) {
        spin();
        seen = load_line128(at(rank, r), share.is_inside());
      }
      return __builtin_bit_cast(Widest<T>, seen);
    });
    store_pack(out, share.vector(), n, sum);
  }
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

/// NVLink keeps a line whole: a link with native atomics.
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
