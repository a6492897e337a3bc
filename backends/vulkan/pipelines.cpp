#include "backends/vulkan/pipelines.h"

#include <span>
#include <vector>

#include "backends/vulkan/pipeline_cache.h"
#include "backends/vulkan/shaders.h"

namespace tessera::vulkan {

namespace {

vk::raii::DescriptorSetLayout make_set_layout(const vk::raii::Device& device) {
  std::vector<vk::DescriptorSetLayoutBinding> bindings;
  for (std::uint32_t i = 0; i < Pipelines::kBindings; i++) {
    bindings.emplace_back(i, vk::DescriptorType::eStorageBuffer, 1,
                          vk::ShaderStageFlagBits::eCompute);
  }
  return {device, vk::DescriptorSetLayoutCreateInfo({}, bindings)};
}

vk::raii::PipelineLayout make_layout(const vk::raii::Device& device, vk::DescriptorSetLayout sets) {
  const vk::PushConstantRange push(vk::ShaderStageFlagBits::eCompute, 0, Pipelines::kPushBytes);
  return {device, vk::PipelineLayoutCreateInfo({}, sets, push)};
}

vk::raii::PipelineCache make_cache(const Gpu& gpu, const vk::raii::Device& device) {
  const std::vector<std::uint8_t> stored = load_pipeline_cache(gpu);
  return {device, vk::PipelineCacheCreateInfo({}, stored.size(), stored.data())};
}

}  // namespace

Pipelines::Pipelines(const Gpu& gpu, const vk::raii::Device& device)
    : gpu_(gpu),
      device_(device),
      set_layout_(make_set_layout(device)),
      layout_(make_layout(device, *set_layout_)),
      cache_(make_cache(gpu, device)) {}

void Pipelines::store() {
  constexpr std::chrono::seconds kApart{5};  // a test makes hundreds of pipelines per minute
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (pipelines_.size() == stored_ || (stored_ > 0 && now - stored_at_ < kApart)) return;
  store_pipeline_cache(gpu_, cache_.getData());
  stored_ = pipelines_.size();
  stored_at_ = now;
}

void Pipelines::add(const std::string& shader, const std::vector<std::uint32_t>& words) {
  const std::lock_guard lock(mutex_);
  if (modules_.contains(shader)) return;
  const vk::ShaderModuleCreateInfo info({}, 4 * words.size(), words.data());
  modules_.emplace(shader, vk::raii::ShaderModule(device_, info));
}

const vk::raii::ShaderModule& Pipelines::module(const std::string& shader) {
  const auto found = modules_.find(shader);
  if (found != modules_.end()) return found->second;
  const std::span<const std::uint32_t> words = spirv(shader);
  const vk::ShaderModuleCreateInfo info({}, words.size_bytes(), words.data());
  return modules_.emplace(shader, vk::raii::ShaderModule(device_, info)).first->second;
}

vk::Pipeline Pipelines::get(const std::string& shader, const Specialization& values) {
  const std::lock_guard lock(mutex_);
  const auto key = std::make_pair(shader, values);
  const auto found = pipelines_.find(key);
  if (found != pipelines_.end()) return *found->second;
  return *pipelines_.emplace(key, make(shader, values)).first->second;
}

vk::raii::Pipeline Pipelines::make(const std::string& shader, const Specialization& values) {
  std::vector<vk::SpecializationMapEntry> entries;
  for (std::uint32_t i = 0; i < values.size(); i++) entries.emplace_back(i, i * 4, 4);
  const vk::SpecializationInfo specialization(static_cast<std::uint32_t>(entries.size()),
                                              entries.data(), sizeof(Specialization),
                                              values.data());
  vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module(shader),
                                          "main", &specialization);
  vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo size(values[TESSERA_SPEC_SUBGROUP_SIZE]);
  const bool uses_subgroups = values[TESSERA_SPEC_SUBGROUP_SIZE] > 0;
  if (uses_subgroups && gpu_.can_require_size) stage.pNext = &size;
  if (uses_subgroups && gpu_.can_require_full) {
    stage.flags |= vk::PipelineShaderStageCreateFlagBits::eRequireFullSubgroups;
  }
  return {device_, cache_, vk::ComputePipelineCreateInfo({}, stage, *layout_)};
}

}  // namespace tessera::vulkan
