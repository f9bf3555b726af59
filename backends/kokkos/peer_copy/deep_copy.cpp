// deep_copy from the peer's memory, which the receiver's process has mapped, between two barriers of processes. Bound
// by the link; small copies by the barriers: Kokkos has no order between the queues of several devices (its atomics are
// of device scope), so each rank waits for its queue on the host, then for the other ranks by MPI_Barrier.
#include "backends/kokkos/ranks.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/peer_copy.hpp"

namespace crosswarp::kokkos {
namespace {

void meet(std::size_t ranks) {
  mpi::note_collective();
  mpi::check(MPI_Barrier(mpi::communicator(ranks)), "MPI_Barrier");
}

void copy_from_peer(const RankQueue& queue, const PeerCopy::Args& args) {
  const RankSpans<float>& a = args.f32();
  queue.wait();
  meet(a.ranks);  // all inputs are there
  if (args.from != PeerCopy::nobody && a.n > 0) {
    Kokkos::deep_copy(queue.exec, array(a.out[a.rank]), array(a.in[args.from]));
    queue.wait();
  }
  meet(a.ranks);  // nobody reads this rank's input any more
}

const RegisterRanks<PeerCopy> variant{{
    .idea = "deep_copy from the peer's memory, mapped by this process, between two MPI_Barrier",
    .bound_by = "the link; small copies: two waits on the host and two MPI_Barrier",
    .counterparts = {"copy_engine"},
    .gaps = {{GapClass::no_api, "Kokkos has no order between the queues of several devices: ranks meet on the host"}},
    .result = ResultIn::host,
    .launch = copy_from_peer,
}};

}  // namespace
}  // namespace crosswarp::kokkos
