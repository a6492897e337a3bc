#include "backends/cpu/gates_backend.h"

#include <utility>

#include "backends/cpu/program_tile_pool.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {

KernelInfo GatesBackend::kernel_info() {
  KernelInfo info{
      "gates",
      "any rule of range 1 and up to 256 states, compiled to gates that are interpreted over "
      "vectors, bands over threads",
      {{&Tuning::threads, "threads", "threads that share a pass", {}, 1, kMostThreads}}};
  info.tiles = true;
  info.any_rule = info.any_edges = info.two_rules = true;
  return info;
}

GatesBackend::GatesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                           std::int64_t patience)
    : RingedBackend(spec, GateRunner::tuned(std::move(info), tuning)),
      runner_(spec, tuning, patience) {}

std::unique_ptr<TilePool> GatesBackend::tiles() {
  return std::make_unique<ProgramTilePool>(spec(), usable_threads(info().tuning),
                                           GateRunner::kPatience);
}

void GatesBackend::do_step(std::int64_t generations) {
  runner_.run(
      generations, begins_odd(),
      [this](const StateProgram&) {
        write_ring(front_, spec());
        return GateRunner::Arrays{{&front_}, {&back_}};
      },
      [this](const StateProgram&) { std::swap(front_, back_); });
}

}  // namespace tessera
