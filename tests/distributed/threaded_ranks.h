#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "backends/distributed/local_team.h"
#include "backends/distributed/rank_worker.h"
#include "tests/support/kernels.h"

namespace tessera::test {

inline PartDevice processor() {
  const Kernel& judge = reference();
  return {judge.driver, judge.device};
}

/// The device of every rank.
inline PartDevice found(const std::string&, const RankPlace&) { return processor(); }

/// Calls work(worker) on rank 0 while the others serve, here threads of one process that know of
/// each other what a Communicator tells; `find` makes their devices. They have one thread each, or
/// as many as `threads` says.
template <class Work>
void on_ranks(int size, const FindDevice& find, Work&& work, std::vector<int> threads = {}) {
  threads.resize(static_cast<std::size_t>(size), 1);
  LocalTeam team(size);
  team.run([&](Communicator& us) {
    const int own = threads[static_cast<std::size_t>(us.rank())];
    RankWorker worker(us, {"here", us.rank(), us.size(), own}, find);
    if (us.rank() > 0) {
      worker.serve();
      return;
    }
    work(worker);
    worker.end();
  });
}

}  // namespace tessera::test
