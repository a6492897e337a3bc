#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/coded_backend.h"
#include "backends/cpu/gate_runner.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Steps every rule of more than two states as a program of three-input gates over bit planes
/// (GateRunner).
class PlanesBackend final : public CodedBackend {
 public:
  /// `patience`: see GateRunner.
  PlanesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                std::int64_t patience = GateRunner::kPatience)
      : PlanesBackend(spec, std::move(info), tuning,
                      std::make_unique<GateRunner>(spec, tuning, patience)) {}
  static std::int64_t bytes_needed(const BackendSpec& spec);
  std::unique_ptr<TilePool> tiles() override;

 private:
  PlanesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                std::unique_ptr<GateRunner> runner);

  void do_step(std::int64_t generations) override;
  BitGrid cells_of(int plane, const Rect& rect) const override;
  void set_cells(int plane, const Cell& at, const BitGrid& cells) override;

  std::unique_ptr<GateRunner> runner_;
  std::vector<BitGrid> planes_;  // with a ring; only plane 0 needs it
  std::vector<BitGrid> spare_;   // as many as gates make planes
};

}  // namespace tessera
