#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/vulkan/commands.h"
#include "backends/vulkan/descriptor_sets.h"
#include "backends/vulkan/device.h"
#include "core/stepping/step_backend.h"
#include "core/tiles/tile_codes.h"
#include "core/tiles/tile_device.h"

namespace tessera::vulkan {

/// Tiles in the memory of a Vulkan device (shaders/tiles.comp). Every slot of the ring is a buffer
/// of its own, so that what a binding may hold bounds the tiles and not their states together.
class VulkanTiles final : public TileDevice {
 public:
  /// Tiles under the rule of `spec`, within spec.max_memory bytes of device memory, or 0: in what
  /// is free. For a device with shuffles, ballots and arithmetic in subgroups of 4 to 64. Throws
  /// DeviceError.
  VulkanTiles(std::shared_ptr<Device> device, const BackendSpec& spec);
  /// Waits for what is under way, and stores new pipelines for the next run.
  ~VulkanTiles() override;

  int planes() const override { return codes_.planes(); }
  bool two_rules() const override { return two_rules_; }
  void set_frames(const std::vector<TileFrame>& frames) override;
  bool makes_copies() const override { return true; }
  void set_copies(const std::vector<TileCopy>& copies) override;
  void reserve(TileId end) override;
  void restart(int kept, int slots) override;
  void patch(const TilePatch& patch) override;
  bool takes_from(const StepBackend& grid) const override;
  void take_from(StepBackend& grid, int slot, std::span<const TileId> tiles) override;
  /// Takes fewer steps than given, too, where all would take long.
  DeviceProgress step(std::span<const DeviceStep> steps,
                      std::vector<MissingTiles>& missing) override;
  void look_ahead(int now, int generations, bool odd) override;
  void look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) override;
  void get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) override;
  void lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) override;
  std::int64_t bytes_per_tile() const override { return bytes_for(1, places()); }
  std::int64_t limit() const override;

  /// Throws DeviceError when anything wrote around a buffer; checks only what was allocated with
  /// guards (gpu::AllocationTrial).
  void check_guards();

 private:
  static constexpr std::int64_t kTransferWords = std::int64_t{1} << 21;

  static constexpr std::uint32_t narrow(std::int64_t n) { return static_cast<std::uint32_t>(n); }
  std::uint32_t* transferred() const { return static_cast<std::uint32_t*>(transfer_.mapped); }
  int places() const { return slots_ + 1; }
  std::int64_t state_rows() const { return codes_.own() * std::int64_t{kTileSide}; }
  std::int64_t state_bytes() const { return state_rows() * 8; }
  std::int64_t most_tiles() const;
  std::int64_t bytes_for(std::int64_t tiles, int places) const;
  void check_buffers(std::int64_t tiles) const;
  void grow(Buffer& buffer, std::int64_t bytes);
  Buffer work_for(std::int64_t room, const std::vector<std::uint32_t>& copies,
                  const std::vector<std::uint32_t>& parts);
  void replace(Buffer& buffer, Buffer next);
  void begin();
  const Buffer& place(int slot) const { return places_[static_cast<std::size_t>(slot)]; }
  vk::Pipeline pipeline(const std::string& shader);
  vk::DescriptorSet set(const Buffer& first, const Buffer& second, const Buffer& last);
  vk::DescriptorSet stepping_set(int now, int after);
  TilesParams params(std::uint32_t what) const;
  void dispatch_copies(const TilesParams& params, int after);
  void on_host_items(const TilesParams& params, vk::DescriptorSet set);
  void send(TilesParams params, int slot, std::int64_t items, std::int64_t words,
            std::int64_t invocations,
            const std::function<void(std::int64_t from, std::int64_t count)>& put);
  std::span<const DeviceStep> soon_done(std::span<const DeviceStep> steps) const;
  void read_work(std::int64_t first, std::int64_t words, std::uint32_t* to);

  std::shared_ptr<Device> device_;
  TileCodes codes_;
  bool two_rules_;
  std::int64_t limit_;
  // Of what steps, of what else looks at windows, so that no rule makes it anew, and of the rest.
  Specialization stepping_{}, looking_{}, serving_{};
  std::string stepper_;  // the shader that steps
  std::uint32_t tiles_per_group_ = 1;
  Buffer transfer_, records_, work_;
  std::vector<Buffer> places_;                          // one more than slots; none without room
  std::vector<std::uint32_t> frames_, copies_, parts_;  // as in the work buffer
  DescriptorSets made_;
  std::map<std::array<VkBuffer, Pipelines::kBindings>, vk::DescriptorSet> sets_;
  std::int64_t room_ = 0;  // tiles
  TileId end_ = 1;
  std::uint32_t clock_ = 0;  // steps since the ring was begun
  std::uint32_t epoch_ = 1;  // looks that were remembered
  int seen_slot_ = -1;       // of the last of them; -1: everything has changed
  std::int64_t active_ = 0;
  double step_seconds_ = 0;  // what a step took lately; 0: unknown
  Commands commands_;        // its destructor waits, so it is destroyed before what it uses
};

}  // namespace tessera::vulkan
