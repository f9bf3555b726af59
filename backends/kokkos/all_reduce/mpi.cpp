// MPI_Allreduce between processes; a GPU's arrays are staged through pinned memory of the host: most builds of MPI know
// no GPU memory. Bound by the link to the host and the library's transport; short arrays by a wait on the host.
#include "backends/kokkos/ranks.hpp"
#include "backends/mpi/processes.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::kokkos {
namespace {

#if KOKKOS_VERSION >= 30700
using Pinned = Kokkos::SharedHostPinnedSpace;  // without a GPU, ordinary memory
#else
using Pinned = Kokkos::HostSpace;  // an older Kokkos has a name for it in each of its GPU backends alone
#endif

constexpr std::size_t max_bytes = std::size_t{256} << 20;  // of an array: pinned memory is the host's

bool applies(const Point& point) { return point.word("type") == "f32" && AllReduce::bytes(point) <= max_bytes; }

/// Of this process, for the longest array so far; kept until it ends, as pinning takes long.
Kokkos::View<float*, Pinned>& staging() {
  static Kokkos::View<float*, Pinned> kept;
  return kept;
}

void prepare(const RankQueue&, const AllReduce::Args& args) {
  const std::size_t n = std::get<AllReduce::Typed<float>>(args.typed).size();
  if (is_asynchronous && staging().extent(0) < n) {
    staging() = Kokkos::View<float*, Pinned>();
    staging() = Kokkos::View<float*, Pinned>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "staging"), n);
  }
}

void add_up(const void* from, float* to, std::size_t n, std::size_t ranks) {
  mpi::note_collective();
  mpi::check(MPI_Allreduce(from, to, static_cast<int>(n), MPI_FLOAT, MPI_SUM, mpi::communicator(ranks)),
             "MPI_Allreduce");
}

void all_reduce(const RankQueue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  const auto in = array(a.in[a.rank]);
  const auto out = array(a.out[a.rank]);
  if constexpr (is_asynchronous) {
    const auto on_host = Kokkos::subview(staging(), Kokkos::make_pair(std::size_t{0}, a.size()));
    Kokkos::deep_copy(queue.exec, on_host, in);
    queue.wait();
    add_up(MPI_IN_PLACE, on_host.data(), a.size(), a.ranks);
    Kokkos::deep_copy(queue.exec, out, on_host);
  } else {
    queue.wait();
    add_up(in.data() == out.data() ? MPI_IN_PLACE : in.data(), out.data(), a.size(), a.ranks);
  }
}

const RegisterRanks<AllReduce> variant{{
    .idea = "MPI_Allreduce, a process per rank; of GPUs through pinned memory of the host",
    .bound_by = "the link to the host and the library's transport",
    .counterparts = {"mpi"},
    .library = true,
    .result = ResultIn::host,
    .applies = applies,
    .prepare = prepare,
    .launch = all_reduce,
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::kokkos
