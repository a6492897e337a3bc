#include "backends/cuda/kernel_list.h"

#include <algorithm>

#include "backends/cuda/strips_stepper.h"

namespace tessera::cuda {

std::vector<KernelInfo> kernel_list() {
  std::vector<KernelInfo> list = {StripsStepper::kernel_info()};
  return list;
}

bool is_kernel(const std::string& name) {
  const std::vector<KernelInfo> list = kernel_list();
  return std::any_of(list.begin(), list.end(), [&](const KernelInfo& info) { return info.name == name; });
}

std::unique_ptr<Stepper> make_stepper(const std::string& kernel, const BackendSpec& spec, const Tuning& tuning,
                                      const DeviceFacts& facts) {
  (void)kernel;
  return std::make_unique<StripsStepper>(spec, tuning, facts);
}

}  // namespace tessera::cuda
