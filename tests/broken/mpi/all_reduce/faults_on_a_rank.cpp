// A rank reads through a null pointer: its cell fails, and the rank is named.
// at: --n 1003 --ranks 3
// caught by: verification
// says: rank 2 (
#include "backends/host/queue.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::host {
namespace {

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  enqueue(queue, [a] {
    const volatile float* nowhere = nullptr;
    if (a.rank == 2) a.out[2][0] = *nowhere;
    MPI_Allreduce(a.in[a.rank].data(), a.out[a.rank].data(), static_cast<int>(a.size()), MPI_FLOAT, MPI_SUM,
                  mpi::communicator(a.ranks));
  });
}

const Register<AllReduce> variant{
    {.idea = "broken: a rank faults", .launch = all_reduce, .of_peers = OfPeers::nothing}};

}  // namespace
}  // namespace crosswarp::host
