// An OpenMP loop over all kernels' items, a vector of chains at a time. Bound by the operations.
#include <algorithm>
#include <array>

#include "backends/host/queue.hpp"
#include "experiments/concurrent_kernels.hpp"

namespace crosswarp::host {
namespace {

constexpr std::size_t chains = 64;  // side by side

void run(const Queue&, const ConcurrentKernels::Args& args) {
  const std::size_t items = args.items(), groups = (items + chains - 1) / chains;
#pragma omp parallel for collapse(2) schedule(static)
  for (unsigned kernel = 0; kernel < args.kernels; ++kernel)
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t first = kernel * items + group * chains, count = std::min(chains, items - group * chains);
      const std::uint32_t constant = ConcurrentKernels::constant(kernel);
      std::array<std::uint32_t, chains> x{};
      std::copy_n(args.in.data() + first, count, x.begin());
      for (unsigned done = 0; done < args.work; ++done)
        for (std::uint32_t& each : x) each = ConcurrentKernels::step(each, constant);
      std::copy_n(x.begin(), count, args.out.data() + first);
    }
}

const Register<ConcurrentKernels> variant{{
    .idea = "an OpenMP loop over all kernels' items, vectorized",
    .bound_by = "integer operations",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::host
