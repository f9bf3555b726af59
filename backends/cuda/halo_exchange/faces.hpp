// Faces of a block by all threads of a grid, and packed into slots: contiguous, one behind the other, each aligned to
// 16 bytes.
#pragma once

#include "backends/cuda/device/ranks.hpp"
#include "experiments/halo_exchange.hpp"

#if CROSSWARP_HAS_PEERS
namespace crosswarp::gpu {
namespace {

using Block = HaloExchange::Block;

/// Elements of a slot: whole vectors.
constexpr unsigned slot_size(const Block& block) { return (block.face_size() + 3) / 4 * 4; }

/// Bytes of a slot for each face.
inline std::size_t slot_bytes(const Block& block) {
  return std::size_t{block.faces()} * slot_size(block) * sizeof(float);
}

/// Elements of all faces.
inline std::size_t work_of(const Block& block) { return std::size_t{block.faces()} * block.face_size(); }

/// Calls work(face, i) for element `i` of each face, in one thread of the grid. Which thread depends on the face and on
/// i alone.
template <class Work>
__device__ void for_each_element(const Block& block, Work work) {
  const unsigned size = block.face_size(), all = block.faces() * size;
  for (auto at = static_cast<unsigned>(grid_thread()); at < all; at += static_cast<unsigned>(grid_threads()))
    work(at / size, at % size);
}

constexpr unsigned packing_threads = 256;

__global__ void __launch_bounds__(packing_threads)
    pack_faces(const float* in, float* slots, const __grid_constant__ Block block) {
  const unsigned slot = slot_size(block);
  for_each_element(block, [&](unsigned face, unsigned i) { slots[face * slot + i] = in[block.inside(face, i)]; });
}

__global__ void __launch_bounds__(packing_threads)
    unpack_faces(const float* slots, float* out, const __grid_constant__ Block block) {
  const unsigned slot = slot_size(block);
  for_each_element(block, [&](unsigned face, unsigned i) { out[block.beyond(face, i)] = slots[face * slot + i]; });
}

/// Enqueues filling a slot for each face with the layers inside of it.
inline void launch_pack(const Queue& queue, const HaloExchange::Args& args, float* slots) {
  const RankSpans<float>& a = args.f32();
  launch(pack_faces, blocks_for(work_of(args.block), packing_threads), packing_threads, 0, queue, a.in[a.rank].data(),
         slots, args.block);
}

/// Enqueues filling the halo beyond each face from its slot. Requires preload(unpack_faces) before the first launch.
inline void launch_unpack(const Queue& queue, const HaloExchange::Args& args, const float* slots) {
  const RankSpans<float>& a = args.f32();
  launch(unpack_faces, blocks_for(work_of(args.block), packing_threads), packing_threads, 0, queue, slots,
         a.out[a.rank].data(), args.block);
}

}  // namespace
}  // namespace crosswarp::gpu
#endif
