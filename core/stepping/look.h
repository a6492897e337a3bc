#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/pictures/age_map.h"
#include "core/pictures/density_image.h"
#include "core/pictures/shared_picture.h"

namespace tessera {

/// A device's memory for pictures of some size, and the operations on it. A backend that offers a
/// Look implements it; Look checks the arguments and is its only caller.
class LookRoom {
 public:
  virtual ~LookRoom() = default;
  /// True when pictures of these pixels fit, too.
  virtual bool holds(const PixelSpans& pixels) const = 0;
  /// Sets the pixels for later looks. They fit.
  virtual void aim(const PixelSpans& pixels) = 0;
  /// The pixels' ages, row by row; one for each pixel.
  virtual void put_ages(const std::vector<std::int16_t>& ages) = 0;
  virtual void take_ages(std::vector<std::int16_t>& ages) = 0;
  /// Queues a look at the cells for the ages; 0 <= generations <= AgeMap::kMost.
  virtual void add_ages(int generations) = 0;
  /// Queue a picture of greys, or of ages.
  virtual void begin_greys(const std::optional<DeviceIdentity>& sharing) = 0;
  virtual void begin_ages(const std::optional<DeviceIdentity>& sharing) = 0;
  /// Waits for it. Returns it where it stays on the device, else writes it to `image`, which has
  /// its size.
  virtual std::shared_ptr<const SharedPicture> end(DensityImage& image) = 0;
};

/// Pictures that a device makes of a backend's cells while it continues stepping: greys, or the
/// ages of pixels, which stay on the device. StepBackend::look offers it. Not thread-safe, as its
/// backend.
class Look {
 public:
  /// Most cells per side of a pixel: one thread of the device looks at all of them.
  static constexpr std::int64_t kMostSpan = 64;

  /// Makes room for pictures of these pixels and some more, or returns null where the device has
  /// none.
  using MakeRoom = std::function<std::unique_ptr<LookRoom>(const PixelSpans& pixels)>;

  /// Looks at a grid of width x height cells.
  Look(std::int64_t width, std::int64_t height, MakeRoom make_room);

  /// Queues a picture of the cells after everything queued earlier, in greys as density_grey
  /// defines them; steps queued from now on need not wait for `end`. Returns false and queues
  /// nothing where the device has no room. Throws InputError unless the spans lie inside the grid
  /// and their sides are 1 to kMostSpan cells. `sharing`: the device that draws the picture, which
  /// may stay on the device when it is the same, see end.
  bool begin_greys(const PixelSpans& pixels, const std::optional<DeviceIdentity>& sharing = {});

  /// From now on keeps the ages of a picture's pixels on the device, as AgeMap has them, beginning
  /// with `ages`, row by row. Replaces those of any other picture. Returns false and keeps none
  /// where the device has no room; then AgeMap does it on the host. Throws InputError like
  /// begin_greys.
  bool keep_ages(const PixelSpans& pixels, const std::vector<std::int16_t>& ages);
  /// Queues a look at all of them, `generations` >= 0 after the last one. This and the two below
  /// throw InputError when no ages are kept.
  void add_ages(std::int64_t generations);
  /// Queues a picture of the ages, as AgeMap::image has it. As begin_greys.
  void begin_ages(const std::optional<DeviceIdentity>& sharing = {});
  /// The ages, row by row.
  std::vector<std::int16_t> ages();

  /// Waits for the picture that was begun last and writes it to `image`. Where sharing was asked
  /// for and is possible, returns it instead, and `image` has its size and no pixels: then the
  /// device and its driver export memory, and not too many earlier pictures are still held. Throws
  /// InputError when none was begun.
  std::shared_ptr<const SharedPicture> end(DensityImage& image);

  /// Memory held for greys and for ages; null where nothing is held. For tests.
  const LookRoom* greys_room() const { return greys_.room.get(); }
  const LookRoom* ages_room() const { return ages_.room.get(); }

 private:
  // Pictures of one kind: room, kept from picture to picture, and the size of the present one.
  struct Kind {
    std::unique_ptr<LookRoom> room;
    std::int64_t columns = 0, rows = 0;
  };

  void check(const PixelSpans& pixels) const;
  bool aim(Kind& kind, const PixelSpans& pixels);
  LookRoom& kept_ages();

  std::int64_t width_, height_;
  MakeRoom make_room_;
  Kind greys_, ages_;
  Kind* begun_ = nullptr;  // of the picture under way
};

}  // namespace tessera
