// The flag in the data, of which it looks at one of two: a line whose other half has not come yet looks complete.
// at: --n 1003 --ranks 2
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void kernel(Rank own, std::size_t lines, Peers<uint4> boxes) {
  const unsigned epoch = epoch_of(*own.flags.of[own.rank]), peer = 1 - own.rank;
  const std::size_t turn = epoch % 2 * lines;
  for (std::size_t i = grid_thread(); i < lines; i += grid_threads()) {
    const float* const in = own.in.of[own.rank] + 2 * i;
    const bool both = 2 * i + 1 < own.n;
    const auto words = __builtin_bit_cast(uint2, make_float2(in[0], both ? in[1] : 0));
    store_halves_system(boxes.of[peer] + turn + i, make_uint4(words.x, epoch, words.y, epoch));
    uint4 line = load_halves_system(boxes.of[own.rank] + turn + i);
    for (; line.w != epoch; line = load_halves_system(boxes.of[own.rank] + turn + i)) spin();
    const auto other = __builtin_bit_cast(float2, make_uint2(line.x, line.z));
    own.out.of[own.rank][2 * i] = in[0] + other.x;
    if (both) own.out.of[own.rank][2 * i + 1] = in[1] + other.y;
  }
  end_epoch(*own.flags.of[own.rank], epoch);
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args), lines_of(args.bytes()),
                  workspaces<uint4>(queue, sizeof(Flags)));
}

std::size_t workspace(const Queue&, const AllReduce::Args& args) {
  return sizeof(Flags) + 2 * lines_of(args.bytes()) * sizeof(uint4);
}

const Register<AllReduce> variant{{
    .idea = "broken: looks at one of two flags",
    .not_expressible = needs_peers,
    .workspace = workspace,
    .launch = all_reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
