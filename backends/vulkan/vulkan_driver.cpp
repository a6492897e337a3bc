#include "backends/vulkan/vulkan_driver.h"

#include <fmt/format.h>

#include "backends/gpu/batch_fit.h"
#include "backends/vulkan/gpu.h"
#include "backends/vulkan/kernel_list.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_ceiling.h"
#include "core/base/error.h"
#include "core/base/memory_text.h"
#include "core/stepping/backend_spec.h"

namespace tessera {

namespace {

using namespace vulkan;

const Gpu* gpu_at(int device) {
  const Gpus& gpus = Gpus::get();
  const auto index = static_cast<std::size_t>(device);
  return device >= 0 && index < gpus.list.size() ? &gpus.list[index] : nullptr;
}

std::string no_such(int device) {
  const Gpus& gpus = Gpus::get();
  if (gpus.list.empty()) return "vulkan: " + gpus.missing;
  return fmt::format("there are {} vulkan devices, numbered from 0; not vulkan:{}",
                     gpus.list.size(), device);
}

// The names of the kernels that it can run, or why there are none.
std::string kernels_of(const Gpu& gpu) {
  if (!gpu.missing.empty()) return "none: " + gpu.missing;
  std::string names;
  for (const KernelInfo& kernel : kernel_infos()) {
    if (!missing_for(gpu, kernel.name)) names += (names.empty() ? "" : ", ") + kernel.name;
  }
  return names;
}

// Throws UnsupportedError for too much memory, or where there is no way to cut the grid.
void check_fit(const Gpu& gpu, const BackendSpec& spec, const KernelShape& shape,
               const GridPlan& plan) {
  const std::int64_t free = gpu.free_memory();
  const std::int64_t limit = spec.max_memory > 0 ? std::min(spec.max_memory, free) : free;
  const bool fits = plan.bytes <= limit || spec.tiles;  // those ask for no grid
  if (fits && !plan.problem.empty())
    throw UnsupportedError("vulkan: " + gpu.name + ": " + plan.problem);
  if (fits) return;
  throw UnsupportedError(fmt::format(
      "vulkan: {}: a grid of {}x{} cells needs {} with kernel {}; {} {}", gpu.name, spec.width,
      spec.height, memory_text(plan.bytes), shape.kernel, memory_text(limit),
      limit == free ? "of device memory are free" : "is the limit"));
}

class VulkanDriver final : public Driver {
 public:
  const char* name() const override { return "vulkan"; }

  DeviceList devices() const override {
    const Gpus& gpus = Gpus::get();
    DeviceList list;
    list.missing = gpus.missing;
    for (const Gpu& gpu : gpus.list) {
      DeviceInfo device = gpu.describe(static_cast<int>(list.devices.size()));
      device.properties.emplace_back("kernels", kernels_of(gpu));
      list.devices.push_back(std::move(device));
    }
    return list;
  }

  std::vector<KernelInfo> kernels() const override { return kernel_infos(); }
  std::vector<KernelInfo> batch_kernels() const override { return gpu::batch_kernels(); }

  std::string default_kernel(int device, const BackendSpec& spec) const override {
    const Gpu* gpu = gpu_at(device);
    return gpu && !spec.rule.from_file() ? vulkan::default_kernel(*gpu, spec.rule.ranged())
                                         : Driver::default_kernel(device, spec);
  }

  std::optional<Ceiling> measure_ceiling(int device) const override {
    if (!gpu_at(device)) throw UnsupportedError(no_such(device));
    return vulkan::measure_ceiling(Device::get(device));
  }

 private:
  BackendPlan plan(int device, const BackendSpec& spec, const std::string& kernel,
                   const Tuning& tuning) const override {
    const Gpu* gpu = gpu_at(device);
    if (!gpu) throw UnsupportedError(no_such(device));
    if (const std::optional<std::string> why = missing_for(*gpu, kernel))
      throw UnsupportedError(*why);
    if (spec.tiles && !gpu->gathers) {
      throw UnsupportedError("vulkan: " + gpu->name +
                             ": tiles need subgroups with ballots and arithmetic");
    }
    if (spec.rule.states() > 2 && kernel != "strips" && kernel != "sums" && kernel != "table") {
      throw UnsupportedError(
          fmt::format("the kernel {} of vulkan steps rules of two states, not of {}", kernel,
                      spec.rule.states()));
    }
    if (const std::optional<std::string> problem = size_problem(spec))
      throw UnsupportedError("vulkan: " + gpu->name + ": " + *problem);
    KernelShape shape = choose_shape(*gpu, kernel, spec, tuning);
    GridPlan grid = plan_grid(spec, shape, largest_chunk(*gpu), gpu->addresses);
    check_fit(*gpu, spec, shape, grid);
    return [=, name = gpu->name, shape = std::move(shape), grid = std::move(grid)] {
      return std::make_unique<VulkanBackend>(Device::get(device), spec,
                                             BackendInfo{"vulkan", name, kernel, shape.tuning},
                                             shape, grid);
    };
  }
};

}  // namespace

const Driver& vulkan_driver() {
  static const VulkanDriver kDriver;
  return kDriver;
}

}  // namespace tessera
