#pragma once

#include <optional>

#include "backends/cuda/stepper.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// The kernel for grids that fit the registers of a device, kernels/resident.cu: regions, memory
/// and launches.
class ResidentStepper final : public Stepper {
 public:
  /// `tuning`, which kernel_info() accepts: what is 0 is chosen for the grid and the device. Throws
  /// UnsupportedError where the grid does not fit the device's registers, and for planes smaller
  /// than a region.
  ResidentStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts);

  static KernelInfo kernel_info();
  /// Whether it is the fastest kernel for a grid on that device, as far as has been measured.
  static bool suits(const BackendSpec& spec, const DeviceFacts& facts);
  /// Shapes that are chosen without a tuning: rows, words and warps.
  static std::vector<Tuning> shapes();

  /// A launch of the kernel but for its memory, and its shape; it is so many rounds.
  ResidentRun run(std::int64_t generations) const;
  LaunchShape shape() const;
  std::int64_t rounds(std::int64_t generations) const;
  /// Bytes of its memory: letters of rows, and of columns.
  std::int64_t row_bytes() const;
  std::int64_t column_bytes() const;

  KernelSource services() const override;
  KernelSource source() const override;
  std::int64_t extra_bytes() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;

 private:
  std::vector<std::string> layout_options() const;

  BackendSpec spec_;
  double generation_seconds_ = 0;  // roughly
  u32 met_ = 0;                    // the mark of the last letters
  std::shared_ptr<const CudaDevice> device_;
  std::unique_ptr<Module> module_;
  CUfunction kernel_ = nullptr;
  DeviceMemory rows_, columns_;
};

}  // namespace tessera::cuda
