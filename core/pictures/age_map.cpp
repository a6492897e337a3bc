#include "core/pictures/age_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {

const std::array<std::uint8_t, AgeMap::kTrail + 1 + AgeMap::kMost>& AgeMap::colours() {
  static const auto kTable = [] {
    std::array<std::uint8_t, kTrail + 1 + kMost> table{};
    for (int age = -kTrail; age <= kMost; age++) {
      table[static_cast<std::size_t>(age + kTrail)] = colour_of(age);
    }
    return table;
  }();
  return kTable;
}

std::uint8_t AgeMap::colour_of(int age) {
  if (age > 0) {
    const double share =
        std::log2(static_cast<double>(std::min(age, kMost))) / std::log2(double{kMost});
    return static_cast<std::uint8_t>(kFirstLive + std::lround(share * (255 - kFirstLive)));
  }
  if (age == 0 || age < -kTrail) return 0;
  const double share = std::log2(static_cast<double>(-age)) / std::log2(double{kTrail} + 1);
  return static_cast<std::uint8_t>(kFirstLive - 1 -
                                   std::lround(share * (kFirstLive - 1 - kFirstTrail)));
}

// What is known about some cells: the age of the oldest live pixel, or the last death.
std::int16_t AgeMap::known_of(const Rect& cells) const {
  const std::int64_t left = std::max<std::int64_t>(0, floor_div(cells.x - rect_.x, scale_));
  const std::int64_t top = std::max<std::int64_t>(0, floor_div(cells.y - rect_.y, scale_));
  const std::int64_t right =
      std::min(image_.width, floor_div(cells.x + cells.width - 1 - rect_.x, scale_) + 1);
  const std::int64_t bottom =
      std::min(image_.height, floor_div(cells.y + cells.height - 1 - rect_.y, scale_) + 1);
  std::int16_t known = 0;
  for (std::int64_t y = top; y < bottom; y++) {
    for (std::int64_t x = left; x < right; x++) {
      const std::int16_t age = ages_[static_cast<std::size_t>(y * image_.width + x)];
      if (age > 0 ? age > known : known <= 0 && age < 0 && (known == 0 || age > known)) known = age;
    }
  }
  return known;
}

// Moves what is known to its place in the new view; true when the new view has another scale.
bool AgeMap::follow(const Rect& rect, std::int64_t scale, std::int64_t width, std::int64_t height) {
  if (rect == rect_ && scale == scale_ && !ages_.empty()) return false;
  std::vector<std::int16_t> ages(static_cast<std::size_t>(width * height));
  const std::int64_t dx = rect.x - rect_.x, dy = rect.y - rect_.y;
  if (scale == scale_ && dx % scale == 0 && dy % scale == 0) {
    const std::int64_t left = dx / scale, top = dy / scale;
    const std::int64_t begin = std::max<std::int64_t>(0, -left),
                       end = std::min(width, image_.width - left);
    for (std::int64_t y = std::max<std::int64_t>(0, -top);
         y < std::min(height, image_.height - top); y++) {
      if (begin >= end) break;
      std::copy_n(ages_.begin() + (y + top) * image_.width + begin + left, end - begin,
                  ages.begin() + y * width + begin);
    }
  } else if (scale_ > 0) {
    for (std::int64_t y = 0; y < height; y++) {
      for (std::int64_t x = 0; x < width; x++) {
        ages[static_cast<std::size_t>(y * width + x)] =
            known_of({rect.x + x * scale, rect.y + y * scale, scale, scale});
      }
    }
  }
  ages_ = std::move(ages);
  rect_ = rect;
  return std::exchange(scale_, scale) != scale;
}

void AgeMap::add(const DensityImage& view, const Rect& rect, std::int64_t scale,
                 std::int64_t generations) {
  const bool rescaled = follow(rect, scale, view.width, view.height);
  image_.reshape(view.width, view.height);
  const int passed = static_cast<int>(std::min<std::int64_t>(generations, kMost));
  const std::uint8_t* colours = AgeMap::colours().data() + kTrail;
  for (std::size_t i = 0; i < ages_.size(); i++) {
    int age = ages_[i];
    if (view.pixels[i] != 0) {
      age = age > 0 ? std::min(age + passed, kMost) : 1;
    } else if (age > 0) {
      // This part of a larger live pixel may have been dead for a long time.
      age = rescaled ? 0 : -1;
    } else if (age < 0) {
      age -= passed;
      if (age < -kTrail) age = 0;
    }
    ages_[i] = static_cast<std::int16_t>(age);
    image_.pixels[i] = colours[age];
  }
}

}  // namespace tessera
