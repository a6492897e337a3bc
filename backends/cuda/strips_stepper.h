#pragma once

#include <optional>

#include "backends/cuda/graph.h"
#include "backends/cuda/stepper.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// How a grid is divided among tiles; see StripRun.
struct StripPlan {
  std::int64_t tiles = 0, tile_rows = 0, tile_height = 0;
  std::int64_t shared_tiles = 0, shared_by = 1, shared_lanes = 1;
};

/// The default kernel, kernels/strips.cu: shapes, memory and launches.
class StripsStepper final : public Stepper {
 public:
  /// `tuning`, which kernel_info() accepts: what is 0 is chosen for the grid and the device. Throws
  /// UnsupportedError for values that exclude each other or need a wider grid.
  StripsStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts);

  static KernelInfo kernel_info();
  /// Shapes that are chosen without a tuning: what continuous integration compiles for every
  /// architecture.
  static std::vector<Tuning> tuned_shapes();

  /// A launch of the kernel but for its buffers, and its shape.
  StripRun pass(std::int64_t generations) const;
  LaunchShape shape() const;

  KernelSource services() const override;
  std::int64_t own_row_words() const override { return grid_.units * tuning_.words; }
  std::string row_layout() const override;
  KernelSource source() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void cells_changed() override { stale_margins_ = true; }
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;

 private:
  void queue_pass(const Cells& cells, std::int64_t generations, const Stream& stream) const;

  BackendSpec spec_;
  StripPlan plan_;
  bool last_read_ = false;
  double generation_seconds_ = 0;  // roughly
  bool stale_margins_ = true;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr, fill_margins_ = nullptr;
  std::shared_ptr<const CudaDevice> device_;
  // Two passes of full depth, forth and back, repeated, so that the host pays for a launch only
  // once.
  Graph there_and_back_;
  CUdeviceptr recorded_ = 0;  // the front buffer that the graph starts from
};

}  // namespace tessera::cuda
