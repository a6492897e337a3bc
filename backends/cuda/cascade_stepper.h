#pragma once

#include "backends/cuda/graph.h"
#include "backends/cuda/march_plan.h"
#include "backends/cuda/program_search.h"
#include "backends/cuda/stepper.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// The kernel for large grids of rules of several states, kernels/cascade.cu: segments, memory and
/// launches.
class CascadeStepper final : public Stepper {
 public:
  /// `tuning`, which kernel_info() accepts: what is 0 is chosen for the rule. Throws
  /// UnsupportedError for two rules in turns, for rows that are too long, and where a block has too
  /// little shared memory.
  CascadeStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts);

  static KernelInfo kernel_info();
  /// Whether it is the fastest kernel for a grid on that device, as far as has been measured.
  static bool suits(const BackendSpec& spec, const DeviceFacts& facts);

  /// A launch of the kernel but for its buffers, and its shape.
  CascadeRun pass(std::int64_t generations) const;
  LaunchShape shape() const;
  /// Whether the columns beside a torus's edges must be filled before each pass, and in how many
  /// rows: those of all planes.
  bool fills_sides() const { return layout_.fills; }
  u32 rows_filled() const { return static_cast<u32>(planes_ * grid_.height); }

  int planes() const override { return planes_; }
  std::vector<std::uint16_t> codes() const override;
  KernelSource services() const override;
  KernelSource source() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;

 private:
  void load();
  void queue_pass(Cells& cells, std::int64_t generations, const Stream& stream);

  BackendSpec spec_;
  MarchLayout layout_;
  MarchPlan plan_;
  int planes_ = 1;
  int batch_ = 4;                  // rows that a warp takes at a time
  double generation_seconds_ = 0;  // roughly
  ProgramSearch search_;
  std::shared_ptr<const CudaDevice> device_;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr, step_some_ = nullptr, fill_sides_ = nullptr;
  // Passes of full depth, an even number, so that the host pays for a launch only once.
  Graph passes_;
  CUdeviceptr recorded_ = 0;  // the front buffer that the graph starts from
};

}  // namespace tessera::cuda
