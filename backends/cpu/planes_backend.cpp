#include "backends/cpu/planes_backend.h"

#include <cstddef>
#include <span>
#include <utility>

#include "backends/cpu/moving_planes.h"
#include "backends/cpu/program_tile_pool.h"
#include "backends/cpu/ringed_backend.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {
namespace {

Rect in_array(const Rect& rect) { return {rect.x + 1, rect.y + 1, rect.width, rect.height}; }

}  // namespace

PlanesBackend::PlanesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                             std::unique_ptr<GateRunner> runner)
    : CodedBackend(spec, GateRunner::tuned(std::move(info), tuning), runner->program()),
      runner_(std::move(runner)) {
  const StateProgram& program = runner_->program();
  const BitGrid empty(spec.width + 2, spec.height + 2);
  planes_.assign(static_cast<std::size_t>(program.planes), empty);
  spare_.assign(runner_->most_made(), empty);
}

std::int64_t PlanesBackend::bytes_needed(const BackendSpec& spec) {
  // Up to two planes more than bits of a state, and as many again that gates make.
  return 2 * (spec.rule.planes() + 2) *
         BitGrid::bytes(spec.width + 2, spec.height + 2).value_or(std::int64_t{1} << 56);
}

std::unique_ptr<TilePool> PlanesBackend::tiles() {
  return std::make_unique<ProgramTilePool>(spec(), usable_threads(info().tuning),
                                           GateRunner::kPatience);
}

void PlanesBackend::do_step(std::int64_t generations) {
  runner_->run(
      generations, begins_odd(),
      [this](const StateProgram& program) {
        write_ring(planes_.front(), spec());
        GateRunner::Arrays arrays;
        std::size_t spare = 0;
        for (std::size_t p = 0; p < planes_.size(); p++) {
          arrays.from[p] = &planes_[p];
          if (program.makes(static_cast<int>(p))) arrays.to[p] = &spare_[spare++];
        }
        return arrays;
      },
      [this](const StateProgram& program) {
        advance_planes(program, std::span(planes_), std::span(spare_));
      });
}

BitGrid PlanesBackend::cells_of(int plane, const Rect& rect) const {
  return planes_[static_cast<std::size_t>(plane)].window(in_array(rect));
}

void PlanesBackend::set_cells(int plane, const Cell& at, const BitGrid& cells) {
  planes_[static_cast<std::size_t>(plane)].paste(at.x + 1, at.y + 1, cells);
}

}  // namespace tessera
