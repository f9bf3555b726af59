// Right but for one chain, whose last step omits the addition: must be wrong.
// at: --type f64 --chains 1003 --steps 50
#include <cmath>

#include "backends/host/queue.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::host {
namespace {

void multiply_add(const Queue&, const PeakCompute::Args& args) {
  for (std::size_t c = 0; c < args.chains; ++c) {
    double x = args.starts_as<double>()[c % PeakCompute::start_count];
    for (unsigned s = 0; s < args.steps; ++s) x = std::fma(x, args.a, c == 777 && s + 1 == args.steps ? 0 : args.b);
    args.ends_as<double>()[c] = x;
  }
}

const Register<PeakCompute> variant{{.idea = "broken: one chain's last addition", .launch = multiply_add}};

}  // namespace
}  // namespace crosswarp::host
