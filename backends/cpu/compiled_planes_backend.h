#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "backends/cpu/coded_backend.h"
#include "backends/cpu/compiled_stepper.h"

namespace tessera {

/// Steps every rule of more than two states by machine code (CompiledStepper).
class CompiledPlanesBackend final : public CodedBackend {
 public:
  /// As CompiledBackend's.
  CompiledPlanesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                        std::int64_t patience = CompiledStepper::kPatience);

  std::int64_t room() const override { return stepper_->cells().room(); }

 private:
  CompiledPlanesBackend(const BackendSpec& spec, BackendInfo info,
                        std::unique_ptr<CompiledStepper> stepper)
      : CodedBackend(spec, std::move(info), stepper->program()), stepper_(std::move(stepper)) {}

  void do_step(std::int64_t generations) override { stepper_->step(generations, begins_odd()); }
  bool do_slide(std::int64_t first, std::int64_t height) override {
    return stepper_->cells().slide(first, height);
  }
  BitGrid cells_of(int plane, const Rect& rect) const override {
    return stepper_->cells().download(rect, plane);
  }
  void set_cells(int plane, const Cell& at, const BitGrid& cells) override {
    stepper_->cells().edit(at, cells, plane);
  }

  std::unique_ptr<CompiledStepper> stepper_;
};

}  // namespace tessera
