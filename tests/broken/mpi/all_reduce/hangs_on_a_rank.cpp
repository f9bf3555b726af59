// A rank never comes to the collective in which the others wait: ends at the limit of a hang, with the rank named.
// at: --n 1003 --ranks 3 --hang-limit 8
// says: rank 1 (
#include <chrono>
#include <thread>

#include "backends/host/queue.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::host {
namespace {

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  enqueue(queue, [a] {
    while (a.rank == 1) std::this_thread::sleep_for(std::chrono::seconds(1));
    mpi::note_collective();
    MPI_Allreduce(a.in[a.rank].data(), a.out[a.rank].data(), static_cast<int>(a.size()), MPI_FLOAT, MPI_SUM,
                  mpi::communicator(a.ranks));
  });
}

const Register<AllReduce> variant{{.idea = "broken: a rank hangs", .launch = all_reduce, .of_peers = OfPeers::nothing}};

}  // namespace
}  // namespace crosswarp::host
