#pragma once

#include <cstdint>
#include <memory>

#include "backends/cpu/gate_runner.h"
#include "backends/cpu/ringed_backend.h"
#include "core/stepping/kernel_info.h"

namespace tessera {

/// Steps every rule of two states as a program of three-input gates (GateRunner).
class GatesBackend final : public RingedBackend {
 public:
  /// `patience`: see GateRunner.
  GatesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
               std::int64_t patience = GateRunner::kPatience);

  static KernelInfo kernel_info();
  std::unique_ptr<TilePool> tiles() override;

 private:
  void do_step(std::int64_t generations) override;

  GateRunner runner_;
};

}  // namespace tessera
