// Two-shot by threads: each rank's thread adds its share of all arrays and stores the sum to every rank, between two
// barriers of ranks. Bound by memory; short arrays by the barriers, which spin.
#include <algorithm>

#include "backends/host/ranks.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::host {
namespace {

/// In place, too: an element is read by one rank alone, which then overwrites it.
template <class T>
void add_share(const AllReduce::Typed<T>& a) {
  const std::size_t share = (a.size() + a.ranks - 1) / a.ranks;
  const std::size_t first = std::min(a.rank * share, a.size()), last = std::min(first + share, a.size());
  for (std::size_t i = first; i < last; ++i) {
    float sum = 0;
    for (std::size_t r = 0; r < a.ranks; ++r) sum += widen(a.in[r][i]);
    for (std::size_t r = 0; r < a.ranks; ++r) a.out[r][i] = narrow<T>(sum);
  }
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  enqueue_between_barriers(queue, args.rank(), [args] { std::visit([](const auto& a) { add_share(a); }, args.typed); });
}

const Register<AllReduce> variant{{
    .idea = "a thread per rank adds its share of all arrays and stores it to all ranks, between two barriers",
    .bound_by = "memory bandwidth; short arrays: two barriers",
    .workspace = [](const Queue&, const AllReduce::Args&) { return sizeof(Flags); },
    .launch = all_reduce,
}};

}  // namespace
}  // namespace crosswarp::host
