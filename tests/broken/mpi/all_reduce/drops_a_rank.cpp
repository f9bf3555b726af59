// MPI_Allreduce in which the last rank gives zeros instead of its share.
// at: --n 1003 --ranks 3
#include <vector>

#include "backends/host/queue.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::host {
namespace {

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  enqueue(queue, [a] {
    const std::vector<float> zeros(a.size());
    const float* const from = a.rank == a.ranks - 1 ? zeros.data() : a.in[a.rank].data();
    MPI_Allreduce(from, a.out[a.rank].data(), static_cast<int>(a.size()), MPI_FLOAT, MPI_SUM,
                  mpi::communicator(a.ranks));
  });
}

const Register<AllReduce> variant{{.idea = "broken: drops a rank", .launch = all_reduce, .of_peers = OfPeers::nothing}};

}  // namespace
}  // namespace crosswarp::host
