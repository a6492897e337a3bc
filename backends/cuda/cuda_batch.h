#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/batch_shape.h"
#include "backends/cuda/cuda_device.h"
#include "backends/cuda/device_memory.h"
#include "backends/cuda/module.h"
#include "backends/cuda/step_clock.h"
#include "core/stepping/batch.h"

namespace tessera::cuda {

/// Many universes on a GPU by the kernel whole, or, where they do not fit registers, by sliced.
class CudaBatch final : public Batch {
 public:
  /// Throws UnsupportedError where the device has less free memory than is needed.
  CudaBatch(const BatchSpec& spec, BackendInfo info, std::shared_ptr<const CudaDevice> device,
            const BatchShape& shape);
  ~CudaBatch() override;

  /// Device memory of a batch, bytes.
  static std::int64_t bytes_needed(const BatchSpec& spec, const BatchShape& shape);

 private:
  void do_load(const CellsOf& cells) override;
  void do_fill(const Soup& first) override;
  void do_step(std::int64_t generations, bool odd) override;
  void do_synchronize() override;
  CellGrid do_download(std::int64_t universe) override;
  std::vector<Survey> do_survey(SurveyParts parts) override;
  std::optional<double> do_device_seconds() override;

  void pack();
  void unpack(std::int64_t first, std::int64_t universes);
  void launch_steps(std::int64_t generations);

  std::shared_ptr<const CudaDevice> device_;
  Stream stream_;
  BatchShape shape_;
  DeviceMemory front_, back_;  // back_ of the kernel sliced alone
  DeviceMemory staged_, findings_;
  std::unique_ptr<Module> kernel_, services_;
  CUfunction step_ = nullptr;
  StepClock clock_{stream_};
};

}  // namespace tessera::cuda

namespace tessera {

/// Why no batch of this kind is stepped as one job on a device by `kernel` ("auto", "whole" or
/// "sliced"); nothing where one is. Allocates nothing.
std::optional<std::string> cuda_batch_unsupported(int device, const BatchSpec& spec,
                                                  const std::string& kernel);

/// The batch, all cells dead. Throws UnsupportedError, also where it needs more memory than there
/// is, and DeviceError.
std::unique_ptr<Batch> make_cuda_batch(int device, const BatchSpec& spec, const std::string& kernel,
                                       const Tuning& tuning);

}  // namespace tessera
