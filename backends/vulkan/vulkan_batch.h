#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/vulkan/batch_plan.h"
#include "backends/vulkan/commands.h"
#include "backends/vulkan/descriptor_sets.h"
#include "backends/vulkan/params.h"
#include "core/stepping/batch.h"

namespace tessera::vulkan {

/// Many universes on a Vulkan device by the kernel whole, or, where they do not fit registers, by
/// sliced. Work goes to the device in submissions of at most about 50 ms. Soups and surveys are
/// made by the host.
class VulkanBatch final : public Batch {
 public:
  VulkanBatch(std::shared_ptr<Device> device, const BatchSpec& spec, BatchInfo info,
              BatchPlan plan);
  /// Waits for what is under way, and stores new pipelines for the next run.
  ~VulkanBatch() override;

  /// Throws DeviceError when anything wrote around a buffer, as VulkanBackend's.
  void check_guards();
  /// Submissions so far.
  std::int64_t submissions() const { return commands_.submissions(); }

 private:
  // A part's two buffers, the second of sliced alone, and what is bound to step from either and to
  // move cells of either.
  struct Place {
    Buffer buffers[2];
    vk::DescriptorSet step[2], move[2];
    int present = 0;
  };

  void do_load(const CellsOf& cells) override;
  void do_step(std::int64_t generations, bool odd) override;
  void do_synchronize() override { commands_.wait(); }
  CellGrid do_download(std::int64_t universe) override;
  std::vector<Survey> do_survey(SurveyParts parts) override;
  std::optional<double> do_device_seconds() override;

  void make_places();
  void make_sets();
  void make_pipelines();
  BatchParams params_of(const BatchPart& part) const;
  void for_each_slice(const std::function<void(std::size_t part, std::int64_t first,
                                               std::int64_t end)>& body) const;
  void pack(std::size_t part, std::int64_t first, std::int64_t end);
  void unpack(std::size_t part, std::int64_t first, std::int64_t end);
  CellGrid staged(std::int64_t index) const;
  std::int64_t budget(std::int64_t item_cells) const;
  void make_room(std::int64_t cells);
  void step_whole(std::size_t part, std::int64_t generations);
  void step_sliced(std::size_t part, std::int64_t generations);

  std::shared_ptr<Device> device_;
  BatchPlan plan_;
  std::vector<Place> places_;
  Buffer transfer_;
  DescriptorSets sets_;
  vk::Pipeline step_, move_;
  std::int64_t submission_cells_ = 0;  // cell updates recorded since the last submission
  std::int64_t submission_launches_ = 0;
  Commands commands_;  // its destructor waits, so it is destroyed before what it uses
};

}  // namespace tessera::vulkan

namespace tessera {

/// Why no batch of this kind is stepped as one job on a device by `kernel` ("auto", "whole" or
/// "sliced"); nothing where one is. Allocates nothing.
std::optional<std::string> vulkan_batch_unsupported(int device, const BatchSpec& spec,
                                                    const std::string& kernel);

/// The batch, all cells dead. Throws UnsupportedError, also where it needs more memory than there
/// is, and DeviceError.
std::unique_ptr<Batch> make_vulkan_batch(int device, const BatchSpec& spec,
                                         const std::string& kernel, const Tuning& tuning);

}  // namespace tessera
