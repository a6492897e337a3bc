#pragma once

#include <array>

#include "backends/cuda/stepper.h"
#include "core/stepping/table_steps.h"

namespace tessera::cuda {

/// Steps rules of files with the kernel table (kernels/table.cu): a walk through a graph of tables
/// for each cell, bit planes of states, one generation per launch. Waits until all is done, because
/// the host makes what the graph lacks.
class FileStepper final : public Stepper {
 public:
  /// Throws UnsupportedError for more than 2^32 columns.
  explicit FileStepper(const BackendSpec& spec);

  int planes() const override { return spec_.rule.planes(); }
  std::vector<std::uint16_t> codes() const override;
  KernelSource services() const override;
  /// For the first of two rules in turns.
  KernelSource source() const override;
  std::int64_t extra_bytes() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void begin(bool odd) override { odd_ = odd; }
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;
  void check_guards(const Stream& stream) const override;

 private:
  class OnDevice;

  // Of each rule.
  struct Side {
    std::unique_ptr<Module> module;
    CUfunction step = nullptr;
    DeviceMemory entries;
    u32 root = 0;
  };

  std::vector<std::string> layout_options() const;
  KernelSource source_of(const Rule& rule, const TransitionGraph& graph) const;

  BackendSpec spec_;
  std::unique_ptr<TableSteps> steps_;  // made when it is prepared: tables take a while
  std::shared_ptr<const CudaDevice> device_;
  std::array<Side, 2> sides_;
  CUfunction put_ = nullptr;
  DeviceMemory notes_;  // TableNotes and what they count
  bool odd_ = false;
};

}  // namespace tessera::cuda
