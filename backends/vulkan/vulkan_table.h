#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/vulkan/chunks.h"
#include "backends/vulkan/commands.h"
#include "backends/vulkan/descriptor_sets.h"
#include "core/stepping/table_steps.h"

namespace tessera::vulkan {

/// The kernel table (shaders/table.comp) over the one chunk of a grid: copies of the graphs of its
/// rules, and notes of what these lack.
class VulkanTable final : public TableDevice {
 public:
  /// `chunk`, which must stay, is in the layout of `shape`. Throws DeviceError.
  VulkanTable(std::shared_ptr<Device> device, Commands& commands, const BackendSpec& spec,
              const KernelShape& shape, const GridPlan& plan, const Chunk& chunk);

  /// Bytes of device memory besides the graphs.
  static std::int64_t bytes_needed();
  /// Steps from the buffer `present` on, waits, and tells which one is present now. `odd`: whether
  /// the first generation is an odd one.
  int step(int present, std::int64_t generations, bool odd);
  /// All that it has, to look at guards.
  std::vector<const Buffer*> buffers() const;

  std::int64_t words() const override { return words_; }
  void make_room(int rule, std::int64_t entries) override;
  void send(int rule, const TransitionGraph::Piece& piece) override;
  void begin_steps() override;
  void queue(int rule, std::uint32_t generation, std::int64_t first, std::int64_t end) override;
  Stop stopped() override;
  void put(const std::vector<UnknownCell>& cells) override;
  void advance(std::int64_t generations) override {
    if (generations % 2 != 0) present_ = 1 - present_;
  }

 private:
  // Of each rule: its graph, and the sets that bind it, by the buffer from which it steps.
  struct Side {
    Buffer entries;
    vk::Pipeline pipeline;
    DescriptorSets made;
    std::array<vk::DescriptorSet, 2> sets;
  };

  Side& side(int rule) { return sides_[static_cast<std::size_t>(rule)]; }
  vk::Pipeline make_pipeline(const BackendSpec& spec, const KernelShape& shape, int rule);
  void bind(Side& side);
  std::int64_t words_of_submission() const;
  void read(std::int64_t words);

  std::shared_ptr<Device> device_;
  Commands& commands_;
  const Chunk& chunk_;
  TableSteps steps_;
  TableParams params_{};
  std::int64_t words_ = 0, group_ = 1;
  std::int64_t submitted_ = 0;  // words since the last submission
  int present_ = 0;
  Buffer notes_, seen_;  // the latter for the host
  std::array<Side, 2> sides_;
};

}  // namespace tessera::vulkan
