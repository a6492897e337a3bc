#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/vulkan/chunks.h"
#include "backends/vulkan/commands.h"
#include "backends/vulkan/pixel_view.h"
#include "backends/vulkan/transfer.h"
#include "core/stepping/step_backend.h"

namespace tessera::vulkan {

/// Steps a grid on a Vulkan device with any of the kernels. The grid is cut into chunks of columns
/// where one buffer cannot hold it; a launch steps all chunks by up to T generations, from each
/// chunk's one buffer to its other.
///
/// Work goes to the device in submissions of about 50 ms at most, so that a desktop on the same GPU
/// stays alive and its watchdog calm: one submission holds many launches of a small grid, or a part
/// of one launch of a large one.
class VulkanBackend final : public StepBackend {
 public:
  VulkanBackend(std::shared_ptr<Device> device, const BackendSpec& spec, BackendInfo info,
                KernelShape shape, GridPlan plan);
  /// Waits for what is under way, and keeps new pipelines for the next run.
  ~VulkanBackend() override;

  /// Throws DeviceError when anything wrote around a buffer; checks only what was allocated with
  /// guards (AllocationTrial).
  void check_guards();
  /// Submissions so far.
  std::int64_t submissions() const { return commands_.submissions(); }

 private:
  void do_upload(const BitGrid& grid) override;
  void do_fill(const Soup& soup) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override;
  BitGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const BitGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, DensityImage& image) override;
  bool do_begin_view(const PixelSpans& pixels) override;
  bool do_keep_ages(const PixelSpans& pixels, const std::vector<std::int16_t>& ages) override;
  void do_add_ages(int generations) override;
  void do_begin_view_ages() override;
  void do_end_view(DensityImage& image) override;
  void do_ages(std::vector<std::int16_t>& ages) override;
  void do_share(const std::optional<DeviceIdentity>& sharing) override;
  std::shared_ptr<const SharedPicture> do_end_shared_view() override;
  bool make_room(std::unique_ptr<PixelView>& view, const PixelSpans& pixels);
  std::int64_t do_population() override;
  std::optional<Bounds> do_bounds() override;
  std::uint64_t do_hash(std::int64_t column0, std::int64_t row0) override;
  std::optional<double> do_device_seconds() override;

  void make_chunks();
  void make_sets();
  void launch(std::uint32_t generations);
  StepParams step_params(std::size_t chunk) const;
  bool keeps_margins() const;  ///< the stepping kernel writes a torus's margins itself
  std::int64_t budget() const;
  CellsView cells();

  std::shared_ptr<Device> device_;
  KernelShape shape_;
  GridPlan plan_;
  std::vector<Chunk> chunks_;
  Buffer transfer_buffer_;
  vk::raii::DescriptorPool set_pool_ = nullptr;
  std::vector<vk::DescriptorSet> step_sets_[2];  // per present buffer, per chunk
  std::vector<vk::DescriptorSet> transfer_sets_[2];
  vk::Pipeline step_pipeline_;
  int present_ = 0;                   // which buffer of each chunk holds the present generation
  std::int64_t submission_work_ = 0;  // tiles x generations recorded since the last submission
  std::unique_ptr<PixelView> greys_, ages_;
  PixelView* looked_ = nullptr;  // of them: where the look under way is
  bool share_ = false;           // the next look's picture
  Commands commands_;            // waits when it goes, so it goes before what it uses
  Transfer transfer_;
};

}  // namespace tessera::vulkan
