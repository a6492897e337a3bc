#pragma once

#include <optional>
#include <string>

namespace tessera {

/// This process's place among those that mpirun, mpiexec or srun started together.
struct Launch {
  int rank = 0;
  int size = 1;
  int local = 0;  ///< among those of its host
};

/// What the launcher's environment says (Open MPI's, PMI's of MPICH and Slurm, PMIx's); nothing
/// where the process was started alone, or is the only one.
std::optional<Launch> launched();

/// For a handler of signals: someone, perhaps the launcher, asks this process to end.
void ask_to_end();
/// Whether that has happened.
bool asked_to_end();

/// Why one grid cannot be stepped by several processes here, or nothing when it can. Starts no
/// MPI: only looks whether the module and the library that it needs are there.
std::optional<std::string> mpi_missing();

}  // namespace tessera
