// MPI_Allreduce between processes. Bound by the library's transport: shared memory on one host, else the network.
#include "backends/host/queue.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::host {
namespace {

/// MPI 3.1 has no 16-bit floats, and counts by int.
bool applies(const Point& point) {
  return point.word("type") == "f32" && point.integer("n") <= std::numeric_limits<int>::max();
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  float* const to = a.out[a.rank].data();
  const void* const from = a.in[a.rank].data() == to ? MPI_IN_PLACE : a.in[a.rank].data();
  enqueue(queue, [=, n = static_cast<int>(a.size()), ranks = a.ranks] {
    mpi::note_collective();
    mpi::check(MPI_Allreduce(from, to, n, MPI_FLOAT, MPI_SUM, mpi::communicator(ranks)), "MPI_Allreduce");
  });
}

const Register<AllReduce> variant{{
    .idea = "MPI_Allreduce, a process per rank",
    .bound_by = "the library's transport",
    .library = true,
    .applies = applies,
    .launch = all_reduce,
    .of_peers = OfPeers::messages,
}};

}  // namespace
}  // namespace crosswarp::host
