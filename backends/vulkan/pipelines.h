#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/params.h"

namespace tessera::vulkan {

/// Values of the specialization constants, by their number in shaders/params.inl.
using Specialization = std::array<std::uint32_t, TESSERA_SPEC_COUNT>;

/// The compute pipelines of one device, one for every shader and set of specialization constants,
/// each made once. All share one layout: four storage buffers and 128 bytes of push constants, the
/// minimum that every device has.
class Pipelines {
 public:
  static constexpr std::uint32_t kBindings = 4;
  static constexpr std::uint32_t kPushBytes = 128;

  Pipelines(const Gpu& gpu, const vk::raii::Device& device);
  ~Pipelines() = default;
  Pipelines(const Pipelines&) = delete;
  Pipelines& operator=(const Pipelines&) = delete;

  /// The pipeline of a shader, "strips" for shaders/strips.comp, or of one that was added. Throws
  /// vk::SystemError when the driver fails.
  vk::Pipeline get(const std::string& shader, const Specialization& values);

  /// Makes `words` known as the shader of that name; nothing happens where it is.
  void add(const std::string& shader, const std::vector<std::uint32_t>& words);

  /// Stores what was compiled in the user's cache folder for the next run. Does nothing when
  /// nothing is new, or when it did so within the last seconds. Throws vk::SystemError when the
  /// driver fails.
  void store();

  vk::PipelineLayout layout() const { return *layout_; }
  vk::DescriptorSetLayout set_layout() const { return *set_layout_; }

 private:
  const vk::raii::ShaderModule& module(const std::string& shader);
  vk::raii::Pipeline make(const std::string& shader, const Specialization& values);

  const Gpu& gpu_;
  const vk::raii::Device& device_;
  vk::raii::DescriptorSetLayout set_layout_;
  vk::raii::PipelineLayout layout_;
  vk::raii::PipelineCache cache_;
  std::map<std::string, vk::raii::ShaderModule> modules_;
  std::map<std::pair<std::string, Specialization>, vk::raii::Pipeline> pipelines_;
  std::size_t stored_ = 0;  // pipelines that the cache folder knows
  std::chrono::steady_clock::time_point stored_at_{};
  std::mutex mutex_;
};

}  // namespace tessera::vulkan
