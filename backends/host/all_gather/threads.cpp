// Each rank's thread copies all ranks' arrays, between two barriers of ranks. Bound by memory; short arrays by the
// barriers, which spin.
#include <algorithm>

#include "backends/host/ranks.hpp"
#include "experiments/all_gather.hpp"

namespace crosswarp::host {
namespace {

/// In place, an array lies where it belongs.
template <class T>
void gather(const AllGather::Typed<T>& a) {
  for (std::size_t peer = 0; peer < a.ranks; ++peer) {
    T* const part = a.out[a.rank].data() + peer * a.n;
    if (part != a.in[peer].data()) std::ranges::copy(a.in[peer], part);
  }
}

void all_gather(const Queue& queue, const AllGather::Args& args) {
  enqueue_between_barriers(queue, args.rank(), [args] { std::visit([](const auto& a) { gather(a); }, args.typed); });
}

const Register<AllGather> variant{{
    .idea = "a thread per rank copies all ranks' arrays, between two barriers",
    .bound_by = "memory bandwidth; short arrays: two barriers",
    .workspace = [](const Queue&, const AllGather::Args&) { return sizeof(Flags); },
    .launch = all_gather,
}};

}  // namespace
}  // namespace crosswarp::host
