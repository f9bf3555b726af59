// Each rank's thread adds its part of all ranks' arrays, between two barriers of ranks. Bound by memory; short parts by
// the barriers, which spin.
#include "backends/host/ranks.hpp"
#include "experiments/reduce_scatter.hpp"

namespace crosswarp::host {
namespace {

/// In place, too: a rank's own part is read by itself alone.
template <class T>
void add_part(const ReduceScatter::Typed<T>& a) {
  for (std::size_t i = 0; i < a.n; ++i) {
    float sum = 0;
    for (std::size_t r = 0; r < a.ranks; ++r) sum += widen(a.in[r][a.rank * a.n + i]);
    a.out[a.rank][i] = narrow<T>(sum);
  }
}

void reduce_scatter(const Queue& queue, const ReduceScatter::Args& args) {
  enqueue_between_barriers(queue, args.rank(), [args] { std::visit([](const auto& a) { add_part(a); }, args.typed); });
}

const Register<ReduceScatter> variant{{
    .idea = "a thread per rank adds its part of all ranks' arrays, between two barriers",
    .bound_by = "memory bandwidth; short parts: two barriers",
    .workspace = [](const Queue&, const ReduceScatter::Args&) { return sizeof(Flags); },
    .launch = reduce_scatter,
}};

}  // namespace
}  // namespace crosswarp::host
