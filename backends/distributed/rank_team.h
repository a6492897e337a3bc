#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/distributed/rank_worker.h"

namespace tessera {

/// The processes that one mpirun or srun started: what this one knows of them.
struct RankTeam {
  RankWorker& worker;  ///< of rank 0
  int ranks = 1;
  int hosts = 1;
  std::string mpi;  ///< "Open MPI v4.1.4"
};

/// The team, on rank 0 while run_on_ranks runs its program; null elsewhere and where the process
/// was started alone.
RankTeam* rank_team();

/// Runs `program` where the process was started alone. Where a launcher started several, `program`
/// runs on rank 0 and the others serve it; what it returns or throws is the result on rank 0. The
/// others return 0: rank 0 tells what went wrong, and a launcher that sees another rank fail may
/// end it before it has. `arguments`, as typed, must be equal on all. Throws InputError on rank 0
/// where they are not, and UnsupportedError where MPI is missing.
int run_on_ranks(const std::vector<std::string>& arguments, const FindDevice& find,
                 const std::function<int()>& program);

}  // namespace tessera
