// Programs under test as processes of mpirun.
#pragma once

#include <unistd.h>

#include <string>

#include "tests/process.hpp"

namespace crosswarp {

/// `mpirun … -n 4`, whatever the number of processors, and for root.
inline std::string mpirun(int processes) {
  return std::string("mpirun --oversubscribe ") + (geteuid() == 0 ? "--allow-run-as-root " : "") + "-n " +
         std::to_string(processes) + " ";
}

/// Why `program`, a bench, cannot be run so here; empty if it can.
inline std::string why_no_mpi(const std::string& program = sibling("bench")) {
  if (run_process("command -v mpirun").exit_code != 0) return "no mpirun here (openmpi-bin)";
  if (run_process(program + " --list --experiment all_reduce").output.find("host/all_reduce/mpi") == std::string::npos)
    return "this build has no MPI";
  return {};
}

}  // namespace crosswarp
