#pragma once

#include "backends/cuda/graph.h"
#include "backends/cuda/stepper.h"

namespace tessera::cuda {

/// Steps with a kernel that reads margins around packed cells, which are written before each
/// launch: what the kernels of the literature have in common. Each of them is a class of its own
/// (literature.cpp), whose constructor sets the layout, the work of a launch and the tuning.
class PlainStepper : public Stepper {
 public:
  KernelSource services() const final;
  KernelSource source() const final;
  void prepare(std::shared_ptr<const CudaDevice> device, const Stream& stream) override;
  void step(Cells& cells, std::int64_t generations, const Stream& stream) final;

 protected:
  enum class Order { rows, columns };  ///< of words, one behind the other

  /// What a launch does.
  struct Work {
    std::int64_t units = 0;         ///< what threads, warps or blocks take one by one
    std::int64_t units_a_line = 1;  ///< of what threads take
    unsigned threads_a_unit = 1;
    unsigned threads = 256;  ///< per block
  };

  PlainStepper(const char* name, const BackendSpec& spec) : spec_(spec), name_(name) {
    tuning_.generations = 1;
  }
  /// Lays out words of 1, 8, 32 or 64 cells, with a margin of one word on either side and of as
  /// many rows as there are generations per launch. A unit is a word.
  void pack(int cells, Order order);

  /// The kernel's file, what it includes, and its options besides those that all of them have.
  virtual KernelSource own_source() const = 0;
  /// Queues a launch for a part of the grid.
  virtual void queue_part(const LaunchShape& shape, const Stream& stream, const Cells& cells,
                          std::int64_t generations, const Part& part) const;

  const BackendSpec spec_;
  const char* const name_;
  const char* layout_ = "layout_packed.cuh";
  std::vector<std::string> layout_options_;
  Work work_;
  std::shared_ptr<const CudaDevice> device_;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr;

 private:
  // At most, for all of the grid.
  double seconds(std::int64_t generations) const;
  void queue_launch(Cells& cells, std::int64_t generations, const Stream& stream) const;

  CUfunction fill_margins_ = nullptr;
  Graph launches_;
  CUdeviceptr recorded_ = 0;
};

}  // namespace tessera::cuda
