// MPI_Allreduce without a wait for the rank's queue, which has not written the input yet.
// at: --n 4194304 --ranks 3
// needs: host
// runs: 6
#include "backends/kokkos/ranks.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::kokkos {
namespace {

void all_reduce(const RankQueue&, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  MPI_Allreduce(a.in[a.rank].data(), a.out[a.rank].data(), static_cast<int>(a.size()), MPI_FLOAT, MPI_SUM,
                mpi::communicator(a.ranks));
}

const RegisterRanks<AllReduce> variant{{.idea = "broken: does not wait for its queue",
                                        .result = ResultIn::host,
                                        .launch = all_reduce,
                                        .of_peers = OfPeers::nothing}};

}  // namespace
}  // namespace crosswarp::kokkos
