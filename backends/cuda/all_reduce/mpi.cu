// MPI_Allreduce between processes, staged through pinned memory of the host: most builds of MPI know no GPU memory.
// Bound by the link to the host and the library's transport; short arrays by a wait on the host.
#include "backends/gpu/kernel.hpp"
#include "experiments/all_reduce.hpp"
#ifndef CROSSWARP_HAS_MPI  // by the targets of platforms that run it
#define CROSSWARP_HAS_MPI 0
#endif
#if CROSSWARP_HAS_MPI
#include "backends/mpi/processes.hpp"
#include "core/processes.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MPI

constexpr std::size_t max_bytes = std::size_t{256} << 20;  // of an array: pinned memory is the host's

bool applies(const Point& point) { return point.word("type") == "f32" && AllReduce::bytes(point) <= max_bytes; }

std::string missing() { return joined_processes() ? "" : "its ranks are processes: mpirun -n 2 bench …"; }

/// Of this process, for the longest array so far; kept until it ends, as pinning takes long.
std::span<float>& staging() {
  static std::span<float> kept;
  return kept;
}

void prepare(const Queue&, const AllReduce::Args& args) {
  const std::size_t n = std::get<AllReduce::Typed<float>>(args.typed).size();
  std::span<float>& kept = staging();
  if (kept.size() >= n) return;
  if (!kept.empty()) check(cudaFreeHost(kept.data()), "free pinned memory");
  kept = {};
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, n * sizeof(float), cudaHostAllocMapped), "pinned memory");
  kept = {static_cast<float*>(memory), n};
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  const std::span<float> on_host = staging().first(a.size());
  if (a.n > 0) copy(queue, on_host, a.in[a.rank]);
  wait(queue);
  mpi::note_collective();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, on_host.data(), static_cast<int>(a.size()), MPI_FLOAT, MPI_SUM,
                           mpi::communicator(a.ranks)),
             "MPI_Allreduce");
  if (a.n > 0) copy(queue, a.out[a.rank], on_host);
}

#endif

const Register<AllReduce> variant{{
    .idea = "MPI_Allreduce, a process per rank, through pinned memory of the host",
    .bound_by = "the link to the host and the library's transport",
    .not_expressible = CROSSWARP_HAS_MPI ? "" : "needs MPI, found when this was built, and ranks that are processes",
    .library = true,
#if CROSSWARP_HAS_MPI
    .result = ResultIn::host,
    .applies = applies,
    .prepare = prepare,
    .missing = missing,
    .launch = all_reduce,
#endif
    .of_peers = OfPeers::nothing,
}};

}  // namespace
}  // namespace crosswarp::gpu
