#include "backends/vulkan/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t kNeededVersion = VK_API_VERSION_1_2;

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                     VK_API_VERSION_PATCH(version));
}

std::string vendor_name(std::uint32_t vendor) {
  switch (vendor) {
    case 0x1002:
      return "AMD";
    case 0x106B:
      return "Apple";
    case 0x10DE:
      return "NVIDIA";
    case 0x13B5:
      return "Arm";
    case 0x1414:
      return "Microsoft";
    case 0x1AE0:
      return "Google";
    case 0x5143:
      return "Qualcomm";
    case 0x8086:
      return "Intel";
    case VK_VENDOR_ID_MESA:
      return "Mesa";
    default:
      return fmt::format("{:#06x}", vendor);
  }
}

const char* type_name(vk::PhysicalDeviceType type) {
  switch (type) {
    case vk::PhysicalDeviceType::eDiscreteGpu:
      return "discrete GPU";
    case vk::PhysicalDeviceType::eIntegratedGpu:
      return "integrated GPU";
    case vk::PhysicalDeviceType::eVirtualGpu:
      return "virtual GPU";
    case vk::PhysicalDeviceType::eCpu:
      return "software";
    default:
      return "other";
  }
}

int preference(vk::PhysicalDeviceType type) {
  switch (type) {
    case vk::PhysicalDeviceType::eDiscreteGpu:
      return 0;
    case vk::PhysicalDeviceType::eIntegratedGpu:
      return 1;
    case vk::PhysicalDeviceType::eVirtualGpu:
      return 2;
    case vk::PhysicalDeviceType::eCpu:
      return 4;
    default:
      return 3;
  }
}

std::string subgroup_text(const Gpu& gpu) {
  if (gpu.subgroup_size == 0) return "none in compute shaders";
  std::string text = std::to_string(gpu.subgroup_size);
  if (gpu.min_subgroup_size != gpu.max_subgroup_size) {
    text += fmt::format(" ({} to {})", gpu.min_subgroup_size, gpu.max_subgroup_size);
  }
  text += gpu.shuffles ? ", shuffles" : ", no shuffles";
  if (gpu.can_require_size) text += ", size can be required";
  if (gpu.can_require_full) text += ", full subgroups can be required";
  return text;
}

void read_memory(Gpu& gpu) {
  const vk::PhysicalDeviceMemoryProperties memory = gpu.handle.getMemoryProperties();
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; i++) {
    const vk::MemoryHeap& heap = memory.memoryHeaps[i];
    const bool local = bool(heap.flags & vk::MemoryHeapFlagBits::eDeviceLocal);
    const auto size =
        static_cast<std::int64_t>(std::min<std::uint64_t>(heap.size, std::uint64_t{1} << 62));
    if (!local || size <= gpu.memory) continue;
    gpu.memory = size;
    gpu.heap = i;
  }
}

void read_queues(Gpu& gpu) {
  const std::vector<vk::QueueFamilyProperties> families = gpu.handle.getQueueFamilyProperties();
  for (std::uint32_t i = 0; i < families.size(); i++) {
    if (!(families[i].queueFlags & vk::QueueFlagBits::eCompute)) continue;
    gpu.queue_family = i;
    gpu.timestamp_bits = families[i].timestampValidBits;
    return;
  }
  gpu.missing = "it has no queue that computes";
}

// Subgroup properties need Vulkan 1.1; where the size varies, 1.3 or the extension gives its range.
void read_subgroups(Gpu& gpu) {
  const auto chain =
      gpu.handle.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceVulkan11Properties,
                                vk::PhysicalDeviceDriverProperties>();
  const auto& eleven = chain.get<vk::PhysicalDeviceVulkan11Properties>();
  const auto& driver = chain.get<vk::PhysicalDeviceDriverProperties>();
  gpu.driver = fmt::format("{} {}", driver.driverName.data(), driver.driverInfo.data());
  gpu.endless_loops = driver.driverID != vk::DriverId::eMesaLlvmpipe;
  gpu.max_allocation = static_cast<std::int64_t>(
      std::min<std::uint64_t>(eleven.maxMemoryAllocationSize, std::uint64_t{1} << 62));
  if (!(eleven.subgroupSupportedStages & vk::ShaderStageFlagBits::eCompute)) return;
  gpu.subgroup_size = gpu.min_subgroup_size = gpu.max_subgroup_size = eleven.subgroupSize;
  gpu.max_subgroups = gpu.max_group_size / std::max(1u, gpu.subgroup_size);
  gpu.shuffles =
      bool(eleven.subgroupSupportedOperations & vk::SubgroupFeatureFlagBits::eShuffleRelative);
  gpu.free_shuffles =
      bool(eleven.subgroupSupportedOperations & vk::SubgroupFeatureFlagBits::eShuffle);
  constexpr vk::SubgroupFeatureFlags kGathers =
      vk::SubgroupFeatureFlagBits::eBallot | vk::SubgroupFeatureFlagBits::eArithmetic;
  gpu.gathers = (eleven.subgroupSupportedOperations & kGathers) == kGathers;
}

void read_size_control(Gpu& gpu, const std::set<std::string>& extensions) {
  gpu.size_control_extension = gpu.api_version < VK_API_VERSION_1_3;
  if (gpu.size_control_extension &&
      extensions.count(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME) == 0)
    return;
  const auto features = gpu.handle
                            .getFeatures2<vk::PhysicalDeviceFeatures2,
                                          vk::PhysicalDeviceSubgroupSizeControlFeatures>()
                            .get<vk::PhysicalDeviceSubgroupSizeControlFeatures>();
  const auto sizes = gpu.handle
                         .getProperties2<vk::PhysicalDeviceProperties2,
                                         vk::PhysicalDeviceSubgroupSizeControlProperties>()
                         .get<vk::PhysicalDeviceSubgroupSizeControlProperties>();
  gpu.can_require_full = features.computeFullSubgroups;
  gpu.can_require_size = features.subgroupSizeControl &&
                         (sizes.requiredSubgroupSizeStages & vk::ShaderStageFlagBits::eCompute);
  gpu.min_subgroup_size = sizes.minSubgroupSize;
  gpu.max_subgroup_size = sizes.maxSubgroupSize;
  if (sizes.maxComputeWorkgroupSubgroups > 0)
    gpu.max_subgroups = sizes.maxComputeWorkgroupSubgroups;
}

void read_identity(Gpu& gpu, const std::set<std::string>& extensions) {
  const auto id =
      gpu.handle.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceIDProperties>()
          .get<vk::PhysicalDeviceIDProperties>();
  std::ranges::copy(id.deviceUUID, gpu.identity.device.begin());
  std::ranges::copy(id.driverUUID, gpu.identity.driver.begin());
  if (extensions.count(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) == 0) return;
  const vk::ExternalMemoryFeatureFlags features =
      gpu.handle.getExternalBufferProperties({{}, kSharedUsage, kSharedHandle})
          .externalMemoryProperties.externalMemoryFeatures;
  gpu.exports = bool(features & vk::ExternalMemoryFeatureFlagBits::eExportable);
}

Gpu read(const vk::raii::PhysicalDevice& handle) {
  const vk::PhysicalDeviceProperties properties = handle.getProperties();
  Gpu gpu(handle);
  gpu.name = properties.deviceName.data();
  gpu.vendor = vendor_name(properties.vendorID);
  gpu.type = properties.deviceType;
  gpu.multiplies_beside_logic = properties.vendorID == 0x10DE;  // NVIDIA since Volta
  gpu.api_version = properties.apiVersion;
  const vk::PhysicalDeviceLimits& limits = properties.limits;
  gpu.timestamp_seconds = static_cast<double>(limits.timestampPeriod) * 1e-9;
  gpu.max_buffer_range = limits.maxStorageBufferRange;
  gpu.max_group_size =
      std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  gpu.max_group_memory = limits.maxComputeSharedMemorySize;
  gpu.max_groups = std::min(limits.maxComputeWorkGroupCount[0], limits.maxComputeWorkGroupCount[1]);
  read_memory(gpu);
  read_queues(gpu);
  if (gpu.api_version < kNeededVersion) {
    gpu.missing = "it supports Vulkan " + version_text(gpu.api_version) + "; 1.2 is needed";
    return gpu;
  }
  std::set<std::string> extensions;
  for (const vk::ExtensionProperties& extension : handle.enumerateDeviceExtensionProperties()) {
    extensions.insert(extension.extensionName.data());
  }
  gpu.has_memory_budget = extensions.count(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) > 0;
  gpu.addresses = handle
                      .getFeatures2<vk::PhysicalDeviceFeatures2,
                                    vk::PhysicalDeviceBufferDeviceAddressFeatures>()
                      .get<vk::PhysicalDeviceBufferDeviceAddressFeatures>()
                      .bufferDeviceAddress;
  read_identity(gpu, extensions);
  read_subgroups(gpu);
  if (gpu.subgroup_size > 0) read_size_control(gpu, extensions);
  return gpu;
}

// Outlives everything that was made from it.
struct Instance {
  std::unique_ptr<vk::raii::Context> context;
  std::unique_ptr<vk::raii::Instance> instance;
};

void find(Instance& owner, Gpus& gpus) {
  try {
    owner.context = std::make_unique<vk::raii::Context>();
  } catch (const std::exception&) {
    gpus.missing = "the Vulkan loader, libvulkan.so.1, is not installed";
    return;
  }
  try {
    // A 1.0 loader refuses any other version.
    const bool old_loader = owner.context->getDispatcher()->vkEnumerateInstanceVersion == nullptr;
    const std::uint32_t loader =
        old_loader ? VK_API_VERSION_1_0 : owner.context->enumerateInstanceVersion();
    if (loader < kNeededVersion) {
      gpus.missing = "the Vulkan loader supports " + version_text(loader) + "; 1.2 is needed";
      return;
    }
    const vk::ApplicationInfo application("tessera", 1, "tessera", 1,
                                          std::min<std::uint32_t>(loader, VK_API_VERSION_1_3));
    std::vector<const char*> extensions;
    vk::InstanceCreateFlags flags;
    for (const vk::ExtensionProperties& extension :
         owner.context->enumerateInstanceExtensionProperties()) {
      if (std::string_view(extension.extensionName.data()) !=
          VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)
        continue;
      extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
      flags |= vk::InstanceCreateFlagBits::eEnumeratePortabilityKHR;
    }
    owner.instance = std::make_unique<vk::raii::Instance>(
        *owner.context, vk::InstanceCreateInfo(flags, &application, {}, extensions));
    for (const vk::raii::PhysicalDevice& device : vk::raii::PhysicalDevices(*owner.instance)) {
      gpus.list.push_back(read(device));
    }
  } catch (const vk::SystemError& error) {
    // The loader's answer when it finds no driver.
    gpus.list.clear();
    gpus.missing = std::string("no Vulkan driver works here: ") + error.what();
    return;
  }
  std::stable_sort(gpus.list.begin(), gpus.list.end(), [](const Gpu& a, const Gpu& b) {
    return preference(a.type) < preference(b.type);
  });
  if (gpus.list.empty()) gpus.missing = "the Vulkan loader found no device";
}

}  // namespace

std::int64_t Gpu::free_memory() const {
  if (!has_memory_budget) return memory;
  const auto budget = handle
                          .getMemoryProperties2<vk::PhysicalDeviceMemoryProperties2,
                                                vk::PhysicalDeviceMemoryBudgetPropertiesEXT>()
                          .get<vk::PhysicalDeviceMemoryBudgetPropertiesEXT>();
  const std::uint64_t total = budget.heapBudget[heap], used = budget.heapUsage[heap];
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(total > used ? total - used : 0, memory));
}

DeviceInfo Gpu::describe(int index) const {
  DeviceInfo info;
  info.index = index;
  info.name = name;
  info.memory = memory;
  info.software = software();
  info.properties = {
      {"vendor", vendor},
      {"driver", driver},
      {"type", type_name(type)},
      {"vulkan", version_text(api_version)},
      {"subgroups", subgroup_text(*this)},
      {"largest storage buffer", fmt::format("{} MiB", max_buffer_range >> 20)},
      {"largest allocation", fmt::format("{} MiB", max_allocation >> 20)},
      {"larger grids", addresses ? "buffers by their addresses" : "buffers as chunks"},
      {"workgroup",
       fmt::format("{} invocations, {} KiB of shared memory, {} per side of a dispatch",
                   max_group_size, max_group_memory >> 10, max_groups)},
      {"device clock", timestamp_bits == 0 ? "none" : fmt::format("{} bits", timestamp_bits)}};
  return info;
}

const Gpus& Gpus::get() {
  // Neither is ever destroyed: when the program ends, drivers clean up and may be gone before our
  // statics.
  static const Gpus* const gpus = [] {
    auto* const found = new Gpus;
    static Instance* const instance = new Instance;
    find(*instance, *found);
    return found;
  }();
  return *gpus;
}

}  // namespace tessera::vulkan
