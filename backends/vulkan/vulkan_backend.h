#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/vulkan/chunks.h"
#include "backends/vulkan/commands.h"
#include "backends/vulkan/descriptor_sets.h"
#include "backends/vulkan/pixel_view.h"
#include "backends/vulkan/transfer.h"
#include "backends/vulkan/vulkan_table.h"
#include "core/stepping/step_backend.h"

namespace tessera::vulkan {

/// Steps a grid on a Vulkan device with any of the kernels. The grid is cut into chunks of columns
/// where one buffer cannot hold it; a launch steps all chunks by up to T generations, from one
/// buffer of each chunk to the other: by a dispatch for each chunk, or by one that has the
/// addresses of all.
///
/// Work goes to the device in submissions of at most about 50 ms, so that a desktop on the same GPU
/// stays responsive and its watchdog does not act. A submission holds many launches of a small
/// grid, or a part of one launch of a large one.
class VulkanBackend final : public StepBackend {
 public:
  VulkanBackend(std::shared_ptr<Device> device, const BackendSpec& spec, BackendInfo info,
                KernelShape shape, GridPlan plan);
  /// Waits for what is under way, and stores new pipelines for the next run.
  ~VulkanBackend() override;

  /// Throws DeviceError when anything wrote around a buffer; checks only what was allocated with
  /// guards (gpu::AllocationTrial).
  void check_guards();
  /// Submissions so far.
  std::int64_t submissions() const { return commands_.submissions(); }
  /// For a strips shape.
  std::unique_ptr<TileDevice> tile_device() override;
  const Device& device() const { return *device_; }
  /// Rows whose canonical words its transfer buffer holds; 0: not those of one.
  std::int64_t rows_at_a_time() const;
  /// The buffer that begins with those of some rows, until anything else is asked for. Of two
  /// states. Waits.
  const Buffer& rows_as_words(std::int64_t y, std::int64_t rows);

 private:
  Look* look() override { return &look_; }
  void do_upload(const CellGrid& cells) override;
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override;
  CellGrid do_download(const Rect& rect) override;
  std::vector<CellGrid> do_downloads(std::span<const Rect> rects) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  std::optional<double> do_device_seconds() override;

  std::unique_ptr<LookRoom> make_room(const PixelSpans& pixels);
  void make_tables();
  void make_places();
  void make_chunks();
  void make_chained(Chunk& chunk);
  void make_columns();
  void make_sets();
  // The shader of that name that reads cells as this grid's must be.
  std::string variant_of(const std::string& shader) const {
    if (plan_.reach > 0) return "chained_" + shader;
    return plan_.addressed ? "addressed_" + shader : shader;
  }
  vk::Pipeline make_step();
  vk::Pipeline make_sums(Specialization values);
  void search_when_due(std::int64_t generations);
  void write_sum_margins();
  void launch(std::uint32_t generations);
  void chain(std::int64_t generations);
  void launch_chained(std::uint32_t generations);
  void check_turns() const;
  StepParams step_params(std::size_t part) const;
  bool keeps_margins() const { return writes_margins(spec(), shape_); }
  std::int64_t budget() const;
  CellsView cells();

  std::shared_ptr<Device> device_;
  KernelShape shape_;
  GridPlan plan_;
  std::vector<Chunk> chunks_;
  Buffer transfer_buffer_;
  Buffer
      tables_;  // the code of every state, the state of every code; where a code has several bits
  Buffer places_;      // what the kernel sums looks up
  Buffer columns_[2];  // where chunks have addresses: of every macro-column's present buffer, next
  // Where many passes are one dispatch: the cells of both generations, bytes between them, by what
  // tiles wait for each other, and what of it the host sees.
  Buffer both_;
  std::int64_t apart_ = 0;
  Buffer turns_, seen_turns_;
  DescriptorSets sets_;
  std::vector<std::int64_t> parts_;  // widths of what is dispatched: of chunks, or of all
  std::vector<vk::DescriptorSet> step_sets_[2];  // per present buffer, per part
  std::vector<vk::DescriptorSet> transfer_sets_[2];
  vk::Pipeline step_pipeline_, margins_pipeline_;  // the latter of sums
  // Cell updates by a program that is found at once before a shorter one is searched for, which
  // takes about a second: so that a new rule steps within that.
  double patience_ = 5e10;
  static constexpr double kBetweenLooks = 1e12;
  bool short_program_ = false;          // whether it is what steps
  bool odd_ = false;                    // the next launch begins at an odd generation
  int present_ = 0;                     // which buffer of each chunk holds the present generation
  std::int64_t submission_work_ = 0;    // tiles x generations recorded since the last submission
  std::unique_ptr<VulkanTable> table_;  // what steps under rules of files
  Commands commands_;  // its destructor waits, so it is destroyed before what it uses
  Transfer transfer_;
  Look look_;
};

}  // namespace tessera::vulkan
