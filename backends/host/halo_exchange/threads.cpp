// Each rank's thread copies its neighbours' faces into its halo, between two barriers of ranks. Bound by strided loads
// and stores; small faces by the barriers, which spin.
#include "backends/host/ranks.hpp"
#include "experiments/halo_exchange.hpp"

namespace crosswarp::host {
namespace {

void exchange_halos(const Queue& queue, const HaloExchange::Args& args) {
  enqueue_between_barriers(queue, args.rank(), [args] {
    const RankSpans<float>& a = args.f32();
    const HaloExchange::Block& block = args.block;
    for (unsigned face = 0; face < block.faces(); ++face) {
      const std::span<const float> neighbour = a.in[block.neighbours[face]];
      for (unsigned i = 0; i < block.face_size(); ++i)
        a.out[a.rank][block.beyond(face, i)] = neighbour[block.inside(face ^ 1, i)];
    }
  });
}

const Register<HaloExchange> variant{{
    .idea = "a thread per rank copies its neighbours' faces into its halo, between two barriers",
    .bound_by = "strided loads and stores; small faces: two barriers",
    .workspace = [](const Queue&, const HaloExchange::Args&) { return sizeof(Flags); },
    .launch = exchange_halos,
}};

}  // namespace
}  // namespace crosswarp::host
