// Strides by i·stride modulo n, no bijection where they have a common factor: elements that no thread writes stay
// poisoned.
// at: --pattern strided --stride 8 --op scatter --n 1000000
#include "backends/host/queue.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::host {
namespace {

void run(const Queue&, const AccessPattern::Args& args) {
  const std::size_t n = args.order.n;
  for (std::size_t i = 0; i < n; ++i) args.out[i * args.order.stride % n] = args.in[i];
}

const Register<AccessPattern> variant{{.idea = "broken: writes one element twice", .launch = run}};

}  // namespace
}  // namespace crosswarp::host
