// parallel_for with several independent accesses per iteration, a window apart, all loads before any store. Bound by
// the sectors that a warp touches: a block of 128 threads moves several times 128 elements, so that starts of blocks
// are not the bound, as they are of `range`.
#include "backends/kokkos/queue.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::kokkos {
namespace {

/// Accesses that neighbouring iterations make together: on GPUs those of a block as parallel_for makes it.
constexpr std::uint32_t window = is_asynchronous ? 128 : 1;

enum class Order { shifted, strided, random };

template <AccessOp op, Order kind, int each>
struct MoveSeveral {
  AccessOrder order;
  const std::uint32_t* index;
  const float* in;
  float* out;

  KOKKOS_FUNCTION std::uint32_t element(std::uint32_t i) const {
    if constexpr (kind == Order::random) return index[i];
    return kind == Order::strided ? order(i) : order.shifted(i);
  }

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    const auto iteration = static_cast<std::uint32_t>(k);
    const std::uint32_t first = iteration / window * (window * each) + iteration % window;
    std::uint32_t from[each], to[each];
    float value[each];
    for (int u = 0; u < each; ++u) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(u) * window, p = i < order.n ? element(i) : 0;
      from[u] = op == AccessOp::scatter ? i : p;
      to[u] = op == AccessOp::gather ? i : p;
    }
    for (int u = 0; u < each; ++u)
      value[u] = first + static_cast<std::uint32_t>(u) * window < order.n ? in[from[u]] : 0;
    for (int u = 0; u < each; ++u)
      if (first + static_cast<std::uint32_t>(u) * window < order.n) out[to[u]] = value[u];
  }
};

template <AccessOp op, Order kind, int each>
void launch(const Queue& queue, const AccessPattern::Args& args) {
  const std::size_t tile = std::size_t{window} * each, tiles = (args.order.n + tile - 1) / tile;
  Kokkos::parallel_for(range(queue, tiles * window),
                       MoveSeveral<op, kind, each>{args.order, args.index.data(), args.in.data(), args.out.data()});
}

template <AccessOp op, int each>
void launch(const Queue& queue, const AccessPattern::Args& args) {
  if (!args.index.empty()) return launch<op, Order::random, each>(queue, args);
  if (args.order.stride > 1) return launch<op, Order::strided, each>(queue, args);
  launch<op, Order::shifted, each>(queue, args);
}

template <int each>
void launch(const Queue& queue, const AccessPattern::Args& args) {
  switch (args.op) {
    case AccessOp::gather:
      return launch<AccessOp::gather, each>(queue, args);
    case AccessOp::scatter:
      return launch<AccessOp::scatter, each>(queue, args);
    case AccessOp::copy:
      return launch<AccessOp::copy, each>(queue, args);
  }
}

void run(const Queue& queue, const AccessPattern::Args& args) {
  if (queue.tuning["each"] == 8) return launch<8>(queue, args);
  launch<4>(queue, args);
}

const Register<AccessPattern> variant{{
    .idea = "parallel_for with four independent accesses per iteration, all loads before any store",
    .bound_by = "sectors that a warp touches",
    .improves = "range",
    .counterparts = {"several_per_thread"},
    .tunings = {{{{"each", 4}}}, {{{"each", 8}}}},
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
