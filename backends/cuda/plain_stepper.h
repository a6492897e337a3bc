#pragma once

#include <span>

#include "backends/cuda/graph.h"
#include "backends/cuda/stepper.h"
#include "core/stepping/driver.h"

namespace tessera::cuda {

/// A kernel that writes its margins before each launch: its name, how it stores cells, and the
/// macros of its source.
struct PlainKernel {
  const char* name;
  const char* summary;
  const char* file;
  int cells;  ///< cells per word: 1, 8, 32, 64; 0: patches of 4x4. 32 also stands for "as `rows`
              ///< says" below
  bool by_columns;    ///< columns of words are contiguous, not rows
  bool table;         ///< takes the table of 4x4 cells
  bool circuit;       ///< takes the rule's circuit
  bool deep;          ///< several generations per launch
  const char* macro;  ///< one more option, or nullptr
};

/// Every kernel but strips: those of the literature.
std::span<const PlainKernel> plain_kernels();

/// Name, summary and parameters for the driver.
KernelInfo plain_kernel_info(const PlainKernel& kernel);

/// Steps with one of them.
class PlainStepper final : public Stepper {
 public:
  /// `tuning` is one that the kernel accepts. Throws UnsupportedError for values that exclude each
  /// other.
  PlainStepper(const PlainKernel& kernel, const BackendSpec& spec, const Tuning& tuning);

  KernelSource services() const override;
  KernelSource source() const override;
  std::int64_t extra_bytes() const override { return kernel_.table ? 65536 : 0; }
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void step(Cells& cells, std::int64_t generations, const Stream& stream) override;
  void check_guards(const Stream& stream) const override { table_.check_guards(stream); }

 private:
  void choose(const Tuning& tuning);
  std::vector<std::string> layout_options() const;
  // At most, for all of the grid.
  double seconds(std::int64_t generations) const;
  void queue_launch(Cells& cells, std::int64_t generations, const Stream& stream) const;

  const PlainKernel& kernel_;
  BackendSpec spec_;
  int cells_ = 1;
  unsigned threads_ = 256;
  std::int64_t units_ = 0;         // what threads, warps or blocks take one by one
  std::int64_t units_a_line_ = 1;  // of what threads take
  unsigned threads_a_unit_ = 1;
  std::shared_ptr<const CudaDevice> device_;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr, fill_margins_ = nullptr;
  DeviceMemory table_;
  Graph launches_;
  CUdeviceptr recorded_ = 0;
};

}  // namespace tessera::cuda
