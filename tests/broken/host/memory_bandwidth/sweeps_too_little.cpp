// Multiplies one sum by one sweep too few: must be wrong.
// at: --level l2 --op read --bytes 1008 --sweeps 5
#include "backends/host/queue.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::host {
namespace {

void run(const Queue&, const MemoryBandwidth::Args& args) {
  std::uint32_t sum = 0;
  for (const float x : args.a) sum += std::bit_cast<std::uint32_t>(x);
  args.sum[0] = sum * static_cast<std::uint32_t>(args.sweeps - 1);
}

const Register<MemoryBandwidth> variant{{.idea = "broken: sweeps too little", .launch = run}};

}  // namespace
}  // namespace crosswarp::host
