// Reduces in order into its workspace, and copies the result from there on another instance, with no fence between.
// needs: GPU
// caught by: timed run
#include "tests/broken/kokkos/plain_sum.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const View<float> partial(reinterpret_cast<float*>(queue.workspace.data()));
  add_on(queue.exec, array(args.f32().in), partial);
  Kokkos::deep_copy(Exec(), scalar(args.f32().out), partial);
}

const Register<ReduceSum> variant{{
    .idea = "broken: copies on another instance without a fence",
    .workspace = [](const Queue&, const ReduceSum::Args&) { return sizeof(float); },
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
