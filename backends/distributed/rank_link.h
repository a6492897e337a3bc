#pragma once

#include <string>
#include <vector>

#include "backends/distributed/communicator.h"
#include "backends/distributed/distributed_plan.h"
#include "core/stepping/row_port.h"

namespace tessera {

/// How the ranks of a grid exchange rows: "peer", from device to device of one host; "nccl", by the
/// library of the devices' maker; "mpi", through the hosts' memories.
struct RankLink {
  std::string name = "mpi";
  RowPort* port = nullptr;  ///< of this rank's device, where it has one that knows of its halos
  std::vector<std::string> forms;  ///< RowForm::name by rank; empty where a rank has none
  bool trades() const { return name != "mpi"; }
};

/// Joins the bands of a grid, each of which a rank steps by a backend of its own; null where a rank
/// has none. All ranks call it, and find the same: with LinkChoice::automatic the first of the ways
/// that all can go. `one_host`: all ranks are processes of one host. Throws UnsupportedError with
/// the first rank's reason, on all, where `plan.link` asks for a way that is not there.
RankLink join_ranks(Communicator& us, const DistributedPlan& plan, const BackendSpec& spec,
                    StepBackend* backend, bool one_host);

}  // namespace tessera
