// What rungs over MPI need: the communicator of their ranks. Ranks are processes that mpirun started, the first `ranks`
// of all.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  // the C interface alone
#endif
#include <mpi.h>

#include <cstddef>

namespace crosswarp::mpi {

/// For data, of the first `ranks` processes. Requires that their group is formed (core/processes.hpp).
MPI_Comm communicator(std::size_t ranks);

/// To be called before each collective call: where all stand still, the rank that has entered fewer is told.
void note_collective();

/// Throws Error with MPI's message unless `result` is success.
void check(int result, const char* what);

}  // namespace crosswarp::mpi
