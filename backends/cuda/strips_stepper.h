#pragma once

#include <optional>

#include "backends/cuda/stepper.h"
#include "core/driver.h"

namespace tessera::cuda {

/// The default kernel, kernels/strips.cu: shapes, memory and launches.
class StripsStepper final : public Stepper {
 public:
  /// Fields of `tuning` that are 0 are chosen for the grid and the device. Throws InputError outside the ranges.
  StripsStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts);

  static KernelInfo kernel_info();
  /// Shapes that are chosen without a tuning: what continuous integration compiles for every architecture.
  static std::vector<Tuning> tuned_shapes();

  KernelSource services() const override;
  KernelSource source() const override;
  std::int64_t extra_bytes() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void cells_changed() override { stale_margins_ = true; }
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;
  void check_guards(const Stream& stream) const override;

 private:
  std::uint32_t passes_a_launch() const;

  BackendSpec spec_;
  DeviceFacts facts_;
  std::int64_t tile_height_ = 0, tile_rows_ = 0;
  bool wide_ = false;
  bool stale_margins_ = true;
  std::uint32_t passes_done_ = 0;  // modulo 2^32, as the tiles count them
  std::int64_t blocks_ = 0;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr, fill_margins_ = nullptr;
  DeviceMemory done_, counter_;
  std::shared_ptr<const CudaDevice> device_;
};

}  // namespace tessera::cuda
