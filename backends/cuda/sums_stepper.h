#pragma once

#include "backends/cuda/graph.h"
#include "backends/cuda/stepper.h"
#include "core/rules/count_edges.h"
#include "core/stepping/kernel_info.h"

namespace tessera::cuda {

/// Steps rules of longer range with the kernel sums (kernels/sums.cu): counts that run down the
/// columns, bit-sliced, one generation per launch.
class SumsStepper final : public Stepper {
 public:
  SumsStepper(const BackendSpec& spec, const Tuning& tuning, const DeviceFacts& facts);

  static KernelInfo kernel_info();

  int planes() const override { return static_cast<int>(planes_); }
  std::vector<std::uint16_t> codes() const override;
  KernelSource services() const override;
  KernelSource source() const override;
  std::int64_t extra_bytes() const override;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;
  void check_guards(const Stream& stream) const override;

 private:
  std::int64_t lanes() const { return tuning_.group; }
  std::int64_t threads() const;
  double seconds() const;
  void choose_lanes(const Tuning& tuning);
  void lay_out();
  void choose_rows(const Tuning& tuning, const DeviceFacts& facts);
  std::vector<i64> offsets() const;
  void queue_generation(Cells& cells, const Stream& stream) const;

  BackendSpec spec_;
  CountEdges right_, down_;
  std::vector<CellOffset> cells_;  // that count
  std::int64_t planes_ = 1, columns_ = 1;
  std::int64_t blocks_ = 1;  // of a multiprocessor, that its registers have room for
  SumsRun run_{};
  double first_work_ = 0, row_work_ = 0;  // of a thread's first row and of each, in instructions
  double speed_ = 1;                      // instructions of threads per second, roughly
  std::shared_ptr<const CudaDevice> device_;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr, fill_margins_ = nullptr;
  DeviceMemory offsets_, table_;
  // An even number of generations, so that the host pays for a launch only once.
  Graph generations_;
  CUdeviceptr recorded_ = 0;  // the front buffer that the graph starts from
};

}  // namespace tessera::cuda
