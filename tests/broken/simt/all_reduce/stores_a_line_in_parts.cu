// A line of 128 bytes with one flag, whose vectors eight lanes store and load one by one: the flag may come before the
// data.
// at: --n 57344 --ranks 2
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(Rank own, std::size_t lines, Peers<uint4> boxes) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]), peer = 1 - own.rank;
  const std::size_t turn = epoch % 2 * lines * 8;
  const bool has_flag = threadIdx.x % 8 == 7;
  for (std::size_t i = grid_thread(); i < lines * 8; i += grid_threads()) {
    const std::size_t vector = i / 8 * 7 + i % 8;
    uint4 mine = make_uint4(epoch, epoch, epoch, epoch);
    if (!has_flag) mine = reinterpret_cast<const uint4*>(own.in.of[own.rank])[vector];
    store_halves_system(boxes.of[peer] + turn + i, mine);
    uint4 seen = load_halves_system(boxes.of[own.rank] + turn + i);
    while (any(has_flag && seen.x != epoch)) {
      spin();
      seen = load_halves_system(boxes.of[own.rank] + turn + i);
    }
    const auto addend = __builtin_bit_cast(float4, mine), other = __builtin_bit_cast(float4, seen);
    if (!has_flag)
      reinterpret_cast<float4*>(own.out.of[own.rank])[vector] =
          make_float4(addend.x + other.x, addend.y + other.y, addend.z + other.z, addend.w + other.w);
  }
  end_epoch(*own.flags.of[own.rank], epoch);
}

/// Whole lines of 28 floats.
void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args), args.bytes() / 112,
                  workspaces<uint4>(queue, sizeof(Flags)));
}

std::size_t workspace(const Queue&, const AllReduce::Args& args) {
  return sizeof(Flags) + 2 * args.bytes() / 112 * 128;
}

const Register<AllReduce> variant{{
    .idea = "broken: stores a line in parts",
    .not_expressible = needs_peers,
    .workspace = workspace,
    .launch = all_reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
