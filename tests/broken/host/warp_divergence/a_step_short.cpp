// Runs one step too few: less work must not look like more speed.
// at: --n 1003 --factor 3 --work 128
#include "backends/host/queue.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::host {
namespace {

void run(const Queue&, const WarpDivergence::Args& args) {
  for (std::size_t i = 0; i < args.in.size(); ++i)
    args.out[i] = divergent::switch_path<1>(static_cast<unsigned>(i % args.factor), args.in[i], args.work - 1);
}

const Register<WarpDivergence> variant{{.idea = "broken: a step short", .launch = run}};

}  // namespace
}  // namespace crosswarp::host
