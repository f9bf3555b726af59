// Tells by the environment whether a launcher started several processes.
#include "core/processes.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/error.hpp"

namespace crosswarp {
namespace {

JoinProcesses join = nullptr;

/// Open MPI's mpirun, Hydra (MPICH, Intel MPI) and PMI of srun, PMIx of srun.
bool has_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* size = std::getenv(variable)) return std::atoi(size) > 1;
  if (std::getenv("PMIX_RANK"))
    if (const char* size = std::getenv("SLURM_NTASKS")) return std::atoi(size) > 1;
  return false;
}

}  // namespace

std::string needs_processes(std::size_t ranks) {
  return fmt::format("its ranks are processes: mpirun -n {} bench …", ranks);
}

void register_processes(JoinProcesses with) { join = with; }

Processes* joined_processes() {
  static Processes* const joined = [] {
    if (!has_launcher()) return static_cast<Processes*>(nullptr);
    if (!join)
      throw Error(
          "a launcher started several processes, but this build has no MPI: install libopenmpi-dev and configure "
          "again, or run one process");
    return join();
  }();
  return joined;
}

}  // namespace crosswarp
