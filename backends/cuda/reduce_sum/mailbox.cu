// One launch without tickets or fences: each block posts its partial and a flag as one word, and the last block waits
// for the words. Bound by memory; for small n by one load, one store to L2 and the load that finds it.
#include "backends/cuda/reduce_sum/by_mail.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_COOPERATIVE
unsigned blocks(const Queue& queue) {
  return resident_blocks_of(queue, static_cast<unsigned>(queue.tuning["block"])) *
         static_cast<unsigned>(queue.tuning["waves"]);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) {
  const bool of_warps = queue.tuning["of_warps"] != 0;
  return Mail<double>::bytes(std::size_t{blocks(queue)} * (of_warps ? 32 : 1));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto run = [&]<unsigned block, unsigned unroll, bool of_warps>() {
    dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
      const unsigned grid = std::min(blocks(queue), tiles_of<T>(a.in.size(), block, unroll));
      launch(reduce_by_mail<block, unroll, of_warps, T, Op>, grid, block, 0, queue, a.in.data(), a.in.size(),
             Mail<Accumulator<T>>(queue.workspace), a.out.data());
    });
  };
  const bool of_warps = queue.tuning["of_warps"] != 0;
  with_constant<512, 1024>(static_cast<unsigned>(queue.tuning["block"]), [&]<unsigned block>() {
    with_constant<4, 2, 1>(static_cast<unsigned>(queue.tuning["unroll"]), [&]<unsigned unroll>() {
      if (of_warps)
        run.template operator()<block, unroll, true>();
      else
        run.template operator()<block, unroll, false>();
    });
  });
}

Tuning tuning(int block, int unroll, int of_warps, int waves) {
  return {{{"block", block}, {"unroll", unroll}, {"of_warps", of_warps}, {"waves", waves}}};
}
#endif

const Register<ReduceSum> variant{{
    .idea =
        "one launch, partial and flag posted as one word, the last block waits: bound by memory, or two trips to L2",
    .improves = "last_block",
    .needs = {"cooperative"},
#if CROSSWARP_HAS_COOPERATIVE
    .tunings = {tuning(512, 2, 0, 1), tuning(512, 4, 0, 1), tuning(512, 1, 0, 1), tuning(1024, 1, 0, 1),
                tuning(1024, 2, 0, 1), tuning(512, 4, 1, 1), tuning(512, 1, 1, 1), tuning(512, 4, 0, 4),
                tuning(512, 4, 0, 16)},
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
