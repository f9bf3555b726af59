// Each receiver's thread copies its peer's array, between two barriers of ranks. Bound by memory; small copies by the
// barriers, which spin.
#include <algorithm>

#include "backends/host/ranks.hpp"
#include "experiments/peer_copy.hpp"

namespace crosswarp::host {
namespace {

void copy_from_peer(const Queue& queue, const PeerCopy::Args& args) {
  enqueue_between_barriers(queue, args.rank(), [args] {
    if (args.from != PeerCopy::nobody) std::ranges::copy(args.f32().in[args.from], args.f32().out[args.rank()].begin());
  });
}

const Register<PeerCopy> variant{{
    .idea = "a thread per rank copies its peer's array, between two barriers",
    .bound_by = "memory bandwidth; small copies: two barriers",
    .workspace = [](const Queue&, const PeerCopy::Args&) { return sizeof(Flags); },
    .launch = copy_from_peer,
}};

}  // namespace
}  // namespace crosswarp::host
