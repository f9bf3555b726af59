// One loop on one core. Bound by what one core can read and write.
#include "backends/host/queue.hpp"
#include "scale.hpp"

namespace crosswarp::host {
namespace {

void scale(const Queue&, const Scale::Args& args) {
  for (std::size_t i = 0; i < args.in.size(); ++i) args.out[i] = args.factor * args.in[i];
}

const Register<Scale> variant{{.idea = "one loop on one core: bound by that core", .launch = scale}};

}  // namespace
}  // namespace crosswarp::host
