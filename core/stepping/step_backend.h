#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/cells/bit_grid.h"
#include "core/cells/soup.h"
#include "core/pictures/age_map.h"
#include "core/pictures/density_image.h"
#include "core/pictures/shared_picture.h"
#include "core/rules/rule.h"
#include "core/stepping/tuning.h"

namespace tessera {

/// What surrounds a backend's grid; the infinite plane is built from `plane` by Universe.
enum class Boundary { torus, plane };

/// What a backend is asked to step.
struct BackendSpec {
  std::int64_t width = 0;   ///< cells, from 1
  std::int64_t height = 0;  ///< cells, from 1
  Boundary boundary = Boundary::torus;
  Rule rule;
  /// Where this grid is a part of a larger one: the row of that one which is this grid's first own
  /// row, and the rows above and below the own ones (within `height`) that repeat its neighbours'.
  /// Surveys leave ghost rows out and count rows from `first_row`; a soup fills the own rows with
  /// what the larger grid has there.
  std::int64_t first_row = 0;
  std::int64_t ghost_rows = 0;
  /// Bytes of device memory (host memory for the CPU) that may be taken; 0: what the device has
  /// free.
  std::int64_t max_memory = 0;
};

/// Who steps, for reports.
struct BackendInfo {
  std::string backend;  ///< "cpu", "cuda", "vulkan"
  std::string device;   ///< as the vendor names it
  std::string kernel;   ///< the kernel's name, never "auto"
  Tuning tuning;        ///< the values in force
};

/// Steps one grid of fixed size, boundary and rule. One interface for every device; all
/// implementations give the same bits.
///
/// The public calls check their arguments once and then call a private virtual. Coordinates are the
/// grid's own: (0, 0) is its top-left cell. After a DeviceError the object can only be destroyed.
/// Not thread-safe: one thread at a time.
class StepBackend {
 public:
  virtual ~StepBackend() = default;
  StepBackend(const StepBackend&) = delete;
  StepBackend& operator=(const StepBackend&) = delete;

  const BackendSpec& spec() const { return spec_; }
  const BackendInfo& info() const { return info_; }

  /// Replaces all cells. Throws InputError when the size differs from the spec's.
  void upload(const BitGrid& grid);
  /// Replaces all cells by a soup, made on the device where the backend can.
  void fill(const Soup& soup);
  /// Queues `generations` >= 0 generations; may return before they are done.
  void step(std::int64_t generations);
  /// Returns when everything queued is done; throws DeviceError when it failed.
  void synchronize();
  /// All cells.
  BitGrid download();
  /// The cells of `rect`, which must lie inside the grid and not be empty.
  BitGrid download(const Rect& rect);
  /// Replaces the cells of a rectangle of the size of `cells` whose top-left cell is `at`.
  void edit(const Cell& at, const BitGrid& cells);
  /// Reduces `rect` (inside the grid, not empty) to ceil(width/scale) x ceil(height/scale) pixels
  /// of scale x scale cells (fewer at the right and bottom edge); pixel = density_grey(live, area).
  void view(const Rect& rect, std::int64_t scale, DensityImage& image);
  /// Cells a side of the pixels that devices look at by spans; one thread looks at all of them.
  static constexpr std::int64_t kMostSpan = 64;
  /// Queues a look at the cells as they are after what was queued before; steps queued from now on
  /// need not wait until end_view has given the picture: greys as view() defines them. False, and
  /// nothing is queued, where the backend or the device does not do that. Spans lie inside the
  /// grid, sides are kMostSpan at most.
  /// `sharing`: who draws the picture, by another API; it may stay on the device when that is the
  /// same, see end_view.
  bool begin_view(const PixelSpans& pixels, const std::optional<DeviceIdentity>& sharing = {});
  /// From now on keeps on the device the ages of a picture's pixels, as AgeMap has them, beginning
  /// with `ages`, row by row. Replaces those of any other picture. False, and none are kept, as for
  /// begin_view: then AgeMap does it on the host.
  bool keep_ages(const PixelSpans& pixels, const std::vector<std::int16_t>& ages);
  /// Looks at all of them, `generations` >= 0 after the last look; may return before it is done.
  void add_ages(std::int64_t generations);
  /// As begin_view; the picture is that of AgeMap::image.
  void begin_view_ages(const std::optional<DeviceIdentity>& sharing = {});
  /// Waits for the look that was begun last. Its picture is in `image`; or in what is returned, and
  /// `image` has its size and no pixels, where sharing was asked for and can be: the device and its
  /// driver export memory, and not too many earlier pictures are still held.
  std::shared_ptr<const SharedPicture> end_view(DensityImage& image);
  /// The ages, row by row.
  std::vector<std::int16_t> ages();
  /// Number of live cells.
  std::int64_t population();
  /// Box around the live cells, or nothing when all are dead.
  std::optional<Bounds> bounds();
  /// State hash with the grid's first word at word column `column0` and its first row at `row0`.
  std::uint64_t hash(std::int64_t column0 = 0, std::int64_t row0 = 0);
  /// Seconds of device time spent in `step` since creation, by the device's own clock; nothing
  /// where it has none (then wall time around step and synchronize is the measure). Synchronizes.
  std::optional<double> device_seconds();

 protected:
  StepBackend(BackendSpec spec, BackendInfo info);

 private:
  virtual void do_upload(const BitGrid& grid) = 0;
  virtual void do_fill(const Soup& soup);  ///< default: make_soup, then upload
  virtual void do_step(std::int64_t generations) = 0;
  virtual void do_synchronize() = 0;
  virtual BitGrid do_download(const Rect& rect) = 0;
  virtual void do_edit(const Cell& at, const BitGrid& cells) = 0;
  virtual void do_view(const Rect& rect, std::int64_t scale, DensityImage& image) = 0;
  virtual bool do_begin_view(const PixelSpans& pixels);  ///< default: false
  virtual bool do_keep_ages(const PixelSpans& pixels,
                            const std::vector<std::int16_t>& ages);  ///< default: false
  virtual void do_add_ages(int generations);                         ///< only after do_keep_ages
  virtual void do_begin_view_ages();                                 ///< likewise
  virtual void do_end_view(DensityImage& image);                     ///< after one that begins
  /// Whether the look that begins next may leave its picture on the device; default: it never does.
  virtual void do_share(const std::optional<DeviceIdentity>& sharing);
  /// As do_end_view, for a picture that stayed; default, and when it did not: null.
  virtual std::shared_ptr<const SharedPicture> do_end_shared_view();
  virtual void do_ages(std::vector<std::int16_t>& ages);  ///< likewise
  virtual std::int64_t do_population() = 0;
  virtual std::optional<Bounds> do_bounds() = 0;
  virtual std::uint64_t do_hash(std::int64_t column0, std::int64_t row0) = 0;
  virtual std::optional<double> do_device_seconds();  ///< default: nothing

  void check_rect(const Rect& rect, const char* what) const;
  void check_spans(const PixelSpans& pixels) const;
  void check_ages() const;

  BackendSpec spec_;
  BackendInfo info_;
  std::int64_t age_columns_ = 0, age_rows_ = 0;    // of the picture whose ages are kept
  std::int64_t view_columns_ = 0, view_rows_ = 0;  // of the look under way
};

}  // namespace tessera
