// The whole reduction in one launch: each block leaves a partial and takes a ticket, the block with the last ticket
// combines the partials. Bound by memory; for small n by the ticket's trips to L2, where float4 pays a second launch.
#include "backends/cuda/reduce_sum/by_ticket.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;

template <class T, class Op>
__global__ void __launch_bounds__(block)
    add_in_one_launch(const T* in, std::size_t n, Tickets<Accumulator<T>> tickets, Accumulator<T>* out) {
  combine_by_ticket<block>(thread_value<block, unroll>(in, n, Op()), tickets, out, Op());
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  const auto waves = static_cast<unsigned>(queue.tuning["waves"]);
  return Tickets<double>::bytes(resident_blocks_of(queue, block) * waves);
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    launch(add_in_one_launch<T, Op>, grid_for<T>(queue, a.in.size(), block, unroll, queue.tuning["waves"]), block, 0,
           queue, a.in.data(), a.in.size(), Tickets<Accumulator<T>>(queue.workspace), a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "one launch: partials, a ticket, the last block finishes: bound by memory, by three trips to L2 when small",
    .improves = "float4",
    .tunings = {{{{"waves", 1}}}, {{{"waves", 4}}}, {{{"waves", 16}}}},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
