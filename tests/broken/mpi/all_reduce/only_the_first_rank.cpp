// MPI_Reduce in place of MPI_Allreduce: right on the first process alone, which a check of its results would accept.
// at: --n 1003 --ranks 2
// says: on rank 1
#include "backends/host/queue.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::host {
namespace {

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  enqueue(queue, [a] {
    MPI_Reduce(a.in[a.rank].data(), a.out[a.rank].data(), static_cast<int>(a.size()), MPI_FLOAT, MPI_SUM, 0,
               mpi::communicator(a.ranks));
  });
}

const Register<AllReduce> variant{
    {.idea = "broken: reduces to the first rank alone", .launch = all_reduce, .of_peers = OfPeers::nothing}};

}  // namespace
}  // namespace crosswarp::host
