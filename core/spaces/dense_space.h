#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/spaces/grid_view.h"
#include "core/spaces/space.h"
#include "core/stepping/driver.h"

namespace tessera {

/// What spaces of one backend grid have in common: everything but stepping and growing.
class DenseSpace : public Space {
 public:
  Watch* watch() override { return &watch_; }
  const char* kind() const override { return "grid"; }
  const BackendInfo& info() const override { return backend_->info(); }
  double cells_per_generation() const override;
  std::optional<double> device_seconds() override { return backend_->device_seconds(); }
  std::vector<Shard> write_shards(const ShardOrder& order) override;
  std::int64_t memory() const override;
  void use(BackendFactory factory) override;
  /// What steps the grid.
  StepBackend& backend() { return *backend_; }

 protected:
  /// `max_memory`: as for Universe.
  DenseSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory);

  /// Makes the backend of another grid; the old one must be gone, so that no two live at a time.
  void make(const Rect& grid);
  /// Lets go of the backend. A look that it was at is ended before.
  void drop();
  /// The grid, in absolute coordinates.
  const Rect& grid() const { return place_.cells; }
  std::optional<Bounds> live_box() { return survey({.bounds = true}).bounds; }
  /// Steps what is exact and accounts for it.
  void step_grid(std::int64_t generations);
  /// Replaces the cells of a rectangle as far as it lies in the grid.
  void put(const Cell& at, const CellGrid& cells);

 private:
  // The backend's looks, in absolute coordinates.
  class GridWatch : public Watch {
   public:
    explicit GridWatch(DenseSpace& space) : space_(space) {}
    bool begin_greys(const View& view, const std::optional<DeviceIdentity>& sharing) override;
    bool keep_ages(const View& view, const AgeMap& ages) override;
    void add_ages(std::int64_t generations) override;
    void begin_ages(const std::optional<DeviceIdentity>& sharing) override;
    std::vector<std::int16_t> ages() override;
    std::shared_ptr<const SharedPicture> end(DensityImage& image) override;
    /// Ends the look under way before its backend goes; `end` gives what it saw.
    void save();

   private:
    Look* look_for(const View& view) const;

    DenseSpace& space_;
    bool begun_ = false;
    bool saved_ = false;
    DensityImage image_;  // of a look that was saved
    std::shared_ptr<const SharedPicture> shared_;
  };

  std::unique_ptr<StepBackend> made(const Rect& grid) const;

  void do_synchronize() override { backend_->synchronize(); }
  Survey do_survey(const SurveyParts& parts) override;
  CellGrid do_read(const Rect& rect) override;
  std::vector<CellGrid> do_reads(std::span<const Rect> rects) override;
  void do_clear() override { backend_->fill(Soup{0, 0}); }
  void do_look(const View& view, DensityImage& image) override;

  BackendFactory factory_;
  std::int64_t max_memory_;
  GridPlace place_;
  std::unique_ptr<StepBackend> backend_;
  GridWatch watch_{*this};
};

}  // namespace tessera
