// Parts of a plain halo exchange, by stores into the neighbours' halos.
#pragma once

#include "experiments/halo_exchange.hpp"
#include "tests/broken/cuda/plain_ranks.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

using Block = HaloExchange::Block;

/// The first `size` elements of a face, into the halo beyond face `to` of the neighbour.
__device__ inline void store_face(const Rank& own, const Block& block, unsigned face, unsigned to, unsigned size) {
  for (auto i = static_cast<unsigned>(grid_thread()); i < size; i += static_cast<unsigned>(grid_threads()))
    own.out.of[block.neighbours[face]][block.beyond(to, i)] = own.in.of[own.rank][block.inside(face, i)];
}

/// All of the first `faces` faces.
__device__ inline void store_faces(const Rank& own, const Block& block, unsigned faces) {
  for (unsigned face = 0; face < faces; ++face) store_face(own, block, face, face ^ 1, block.face_size());
}

template <void (*kernel)(Rank, Block)>
void launch_block(const Queue& queue, const HaloExchange::Args& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args), args.block);
}

#endif

}  // namespace
}  // namespace crosswarp::gpu
