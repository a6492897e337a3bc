#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/pictures/density_image.h"

namespace tessera {

/// The cells of a grid under a column or a row of pixels: consecutive ones, or none.
struct PixelSpan {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t side = 0;  ///< of the pixels: `count`, or more where they lie beyond the grid
  bool operator==(const PixelSpan&) const = default;
};

/// Which cells of a grid the pixels of a picture show: those in a span of columns and a span of
/// rows. On a torus the same cells may be under several pixels.
struct PixelSpans {
  std::vector<PixelSpan> columns;  ///< one for each column of pixels
  std::vector<PixelSpan> rows;     ///< one for each row of pixels
  bool operator==(const PixelSpans&) const = default;
};

/// For how many generations each pixel of a view has been alive, or dead after having been alive. A
/// pixel is alive when any of its cells is. It is fed with the view of every generation. Pixels
/// that come into view start anew, and after a change of scale pixels inherit from those that they
/// cover. A device that keeps the ages itself does the same with each pixel.
class AgeMap {
 public:
  /// Longest age that is distinguished, in generations.
  static constexpr int kMost = 4095;
  /// Generations until the trail of a dead pixel has faded.
  static constexpr int kTrail = 255;

  /// The first colour of trails and of live pixels; 0 is a pixel without history.
  static constexpr int kFirstTrail = 1;
  static constexpr int kFirstLive = 64;

  /// Takes the view of `rect`, with pixels of scale x scale cells, `generations` after the last
  /// one.
  void add(const DensityImage& view, const Rect& rect, std::int64_t scale,
           std::int64_t generations);
  void clear();

  /// The pixels' ages in generations, row by row: positive alive, negative dead, 0 unknown.
  std::vector<std::int16_t> ages() const;
  /// Replaces the ages by the same number of ages, which a device has kept since.
  void set_ages(const std::vector<std::int16_t>& ages);

  /// One byte per pixel: 0, a trail (from kFirstTrail, nearly faded, to kFirstLive - 1, just died),
  /// or a live pixel (from kFirstLive, just born, to 255, kMost generations and more; logarithmic).
  const DensityImage& image();

  /// The byte for an age.
  static std::uint8_t colour_of(int age);
  /// The bytes for the ages -kTrail to kMost.
  static const std::array<std::uint8_t, kTrail + 1 + kMost>& colours();

 private:
  // Pixels change rarely: what is kept of each is when it did last, by a clock of generations.
  using Time = std::int32_t;
  static constexpr Time kStart =
      kMost + kTrail;  // of the clock; 0 is longer ago than anything seen
  static constexpr Time kLatest = Time{1} << 30;

  bool follow(const Rect& rect, std::int64_t scale, std::int64_t width, std::int64_t height);
  // What `ages` tells of a pixel that changed so long ago.
  static int signed_age(int age, bool alive);
  int age_of(std::size_t pixel) const;
  static std::int16_t known_of(const std::vector<std::int16_t>& ages, std::int64_t width,
                               const Rect& pixels);

  Rect rect_;
  std::int64_t scale_ = 0, width_ = 0, height_ = 0;
  Time clock_ = kStart;
  std::vector<Time> changed_;        // the generation before the one in which a pixel changed
  std::vector<std::uint8_t> alive_;  // 0 or 1
  DensityImage image_;
};

}  // namespace tessera
