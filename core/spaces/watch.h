#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/pictures/age_map.h"
#include "core/pictures/density_image.h"
#include "core/pictures/shared_picture.h"
#include "core/spaces/view.h"

namespace tessera {

/// What a space may offer besides `look`: a device makes the picture while it goes on stepping, and
/// keeps the ages of its pixels. Every call that begins something says whether the device does it
/// for this view; where it does not, `Space::look` and AgeMap do.
class Watch {
 public:
  virtual ~Watch() = default;

  /// Queues a look at the cells as they are now. Steps may follow at once; `end` gives the picture,
  /// the same as Space::look. False, and nothing is queued, where the device does not do that.
  /// `sharing`: who draws the picture, by another API; it may stay on the device when that is the
  /// same.
  virtual bool begin_greys(const View& view, const std::optional<DeviceIdentity>& sharing) = 0;
  /// From now on keeps the ages of a view's pixels, as AgeMap has them, beginning with `ages`.
  /// Replaces those of any other view. False, and none are kept, as for `begin_greys`.
  virtual bool keep_ages(const View& view, const AgeMap& ages) = 0;
  /// Looks at all of them, `generations` >= 0 after the last look; may return before it is done.
  virtual void add_ages(std::int64_t generations) = 0;
  /// As begin_greys; the picture is that of AgeMap::image.
  virtual void begin_ages(const std::optional<DeviceIdentity>& sharing) = 0;
  /// The ages, row by row.
  virtual std::vector<std::int16_t> ages() = 0;
  /// Waits for the look that was begun last. Its picture is in `image`; or in what is returned, and
  /// `image` has its size and no pixels, where it stayed on the device.
  virtual std::shared_ptr<const SharedPicture> end(DensityImage& image) = 0;
};

}  // namespace tessera
