// deep_copy from the peer's memory without a barrier behind it: a slow rank reads what its peer has overwritten.
// at: --bytes 4096 --ranks 2 --ways both
#include <chrono>
#include <thread>

#include "backends/kokkos/ranks.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/peer_copy.hpp"

namespace crosswarp::kokkos {
namespace {

void copy_from_peer(const RankQueue& queue, const PeerCopy::Args& args) {
  const RankSpans<float>& a = args.f32();
  queue.wait();
  MPI_Barrier(mpi::communicator(a.ranks));
  if (a.rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Kokkos::deep_copy(queue.exec, array(a.out[a.rank]), array(a.in[args.from]));
  queue.wait();
}

const RegisterRanks<PeerCopy> variant{
    {.idea = "broken: no barrier behind", .result = ResultIn::host, .launch = copy_from_peer}};

}  // namespace
}  // namespace crosswarp::kokkos
