// Runs on the default instance of the execution space, as a policy without an instance does: on a GPU another stream than
// the queue's.
// needs: GPU
// caught by: timed run
// says: ran outside of queue.stream
#include "tests/broken/kokkos/plain_sum.hpp"

namespace crosswarp::kokkos {
namespace {

void sum(const Queue&, const ReduceSum::Args& args) { add_on(Exec(), args.f32()); }

const Register<ReduceSum> variant{{.idea = "broken: runs on the default instance", .launch = sum}};

}  // namespace
}  // namespace crosswarp::kokkos
