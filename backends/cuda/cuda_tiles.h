#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/kernel_params.h"
#include "backends/cuda/module.h"
#include "core/stepping/step_backend.h"
#include "core/tiles/tile_codes.h"
#include "core/tiles/tile_device.h"

namespace tessera::cuda {

/// The kernels of tiles for a spec's rule.
KernelSource tiles_source(const BackendSpec& spec);

/// Tiles in the memory of a GPU (kernels/tiles.cu).
class CudaTiles final : public TileDevice {
 public:
  /// Tiles under the rule of `spec`, within spec.max_memory bytes of device memory, or 0: in what
  /// is free. Throws DeviceError.
  CudaTiles(std::shared_ptr<const CudaDevice> device, const BackendSpec& spec);
  ~CudaTiles() override;

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
  DeviceProgress step(std::span<const DeviceStep> steps,
                      std::vector<MissingTiles>& missing) override;
  void look_ahead(int now, int generations, bool odd) override;
  void look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) override;
  void get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) override;
  void lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) override;
  std::int64_t bytes_per_tile() const override { return bytes_for(1, places()); }
  std::int64_t limit() const override { return limit_; }

  /// Throws DeviceError when any buffer was overrun; see gpu::AllocationTrial.
  void check_guards();

 private:
  int places() const { return slots_ + 1; }
  std::int64_t state_bytes() const { return codes_.own() * std::int64_t{kTileSide} * 8; }
  std::int64_t bytes_for(std::int64_t tiles, int places) const;
  TileRing ring() const;
  LaunchShape renewing() const;
  template <class T>
  void send(const std::vector<T>& values, DeviceMemory& to, const char* what);
  void stage(std::int64_t bytes);
  void copy_back(void* to, CUdeviceptr from, std::int64_t bytes, const char* what);

  std::shared_ptr<const CudaDevice> device_;
  Stream stream_;
  TileCodes codes_;
  bool two_rules_;
  std::int64_t limit_;
  std::unique_ptr<Module> module_;
  CUfunction step_ = nullptr, look_ahead_ = nullptr, restart_ = nullptr, patch_ = nullptr,
             renew_ = nullptr, look_ = nullptr, take_ = nullptr, lone_ = nullptr,
             take_band_ = nullptr;
  std::int64_t most_blocks_ = 1;  // of step_ that the device runs at a time
  std::vector<u32> patch_words_;  // what patch() sends, of whose size the next ones are
  DeviceMemory cells_, tiles_, lists_[2], missing_, control_, facts_, staging_, copies_, parts_,
      frames_;
  u32 copy_count_ = 0;
  void* host_ = nullptr;   // page-locked: where what is small arrives
  std::int64_t room_ = 0;  // tiles
  TileId end_ = 1;
  u32 clock_ = 0;       // steps since the ring was begun
  u32 epoch_ = 1;       // looks that were remembered
  int seen_slot_ = -1;  // of the last of them; -1: everything has changed
  std::int64_t active_ = 0;
};

}  // namespace tessera::cuda
