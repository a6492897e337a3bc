#include "backends/cuda/kernel_list.h"

#include "backends/cuda/cascade_stepper.h"
#include "backends/cuda/file_stepper.h"
#include "backends/cuda/literature.h"
#include "backends/cuda/march_stepper.h"
#include "backends/cuda/resident_stepper.h"
#include "backends/cuda/strips_stepper.h"
#include "backends/cuda/sums_stepper.h"
#include "backends/gpu/table_kernel.h"
#include "core/base/error.h"

namespace tessera::cuda {

std::vector<KernelInfo> kernel_list() {
  std::vector<KernelInfo> list = {StripsStepper::kernel_info(),  SumsStepper::kernel_info(),
                                  gpu::table_kernel(),           MarchStepper::kernel_info(),
                                  CascadeStepper::kernel_info(), ResidentStepper::kernel_info()};
  for (const LiteratureKernel& kernel : literature_kernels()) list.push_back(kernel.info);
  return list;
}

std::unique_ptr<Stepper> make_stepper(const std::string& kernel, const BackendSpec& spec,
                                      const Tuning& tuning, const DeviceFacts& facts) {
  for (const LiteratureKernel& each : literature_kernels()) {
    if (kernel == each.info.name) return each.make(spec, tuning);
  }
  if (kernel == "sums") return std::make_unique<SumsStepper>(spec, tuning, facts);
  if (kernel == "table") return std::make_unique<FileStepper>(spec);
  if (kernel == "march") return std::make_unique<MarchStepper>(spec, tuning, facts);
  if (kernel == "cascade") return std::make_unique<CascadeStepper>(spec, tuning, facts);
  if (kernel == "resident") return std::make_unique<ResidentStepper>(spec, tuning, facts);
  if (kernel != "strips") throw InputError("the cuda backend has no kernel '" + kernel + "'");
  return std::make_unique<StripsStepper>(spec, tuning, facts);
}

}  // namespace tessera::cuda
