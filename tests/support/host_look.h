#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/stepping/step_backend.h"

namespace tessera::test {

/// Pictures of a backend's cells, made on the host from what download() tells: what a device's must
/// be equal to.
class HostLook : public LookRoom {
 public:
  explicit HostLook(StepBackend& backend) : backend_(backend) {}

  bool holds(const PixelSpans&) const override { return true; }
  void aim(const PixelSpans& pixels) override { pixels_ = pixels; }
  void put_ages(const std::vector<std::int16_t>& ages) override {
    add_ages(0);
    ages_.set_ages(ages);
  }
  void take_ages(std::vector<std::int16_t>& ages) override { ages = ages_.ages(); }
  void add_ages(int generations) override {
    const DensityImage seen = greys();
    ages_.add(seen, {0, 0, seen.width, seen.height}, 1, generations);
  }
  void begin_greys(const std::optional<DeviceIdentity>&) override { begun_ = greys(); }
  void begin_ages(const std::optional<DeviceIdentity>&) override {
    begun_ = ages_.image();
    for (std::size_t i = 0; i < begun_.pixels.size(); i++) {
      begun_.pixels[i] = AgeMap::colour_of(ages_.ages()[i]);
    }
  }
  std::shared_ptr<const SharedPicture> end(DensityImage& image) override {
    image = begun_;
    return nullptr;
  }

 private:
  DensityImage greys() const {
    const BitGrid cells = backend_.download().live();
    DensityImage image;
    image.resize(static_cast<std::int64_t>(pixels_.columns.size()),
                 static_cast<std::int64_t>(pixels_.rows.size()));
    auto pixel = image.pixels.begin();
    for (const PixelSpan& down : pixels_.rows) {
      for (const PixelSpan& across : pixels_.columns) {
        std::int64_t live = 0;
        for (std::uint32_t i = 0; i < down.count * across.count; i++) {
          live += cells.get(across.first + i % across.count, down.first + i / across.count);
        }
        *pixel++ = density_grey(live, std::int64_t{across.side} * down.side);
      }
    }
    return image;
  }

  StepBackend& backend_;
  PixelSpans pixels_;
  AgeMap ages_;
  DensityImage begun_;
};

}  // namespace tessera::test
