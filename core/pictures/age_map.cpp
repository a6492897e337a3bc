#include "core/pictures/age_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
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

// Inline, because what others could replace is called for each pixel.
inline int AgeMap::signed_age(int age, bool alive) {
  return alive ? std::min(age, kMost) : age > kTrail ? 0 : -age;
}

int AgeMap::age_of(std::size_t pixel) const {
  return signed_age(clock_ - changed_[pixel], alive_[pixel] != 0);
}

std::vector<std::int16_t> AgeMap::ages() const {
  std::vector<std::int16_t> out(changed_.size());
  for (std::size_t i = 0; i < out.size(); i++) out[i] = static_cast<std::int16_t>(age_of(i));
  return out;
}

void AgeMap::set_ages(const std::vector<std::int16_t>& ages) {
  clock_ = kStart;
  changed_.resize(ages.size());
  alive_.resize(ages.size());
  for (std::size_t i = 0; i < ages.size(); i++) {
    alive_[i] = ages[i] > 0;
    changed_[i] = ages[i] == 0 ? 0 : kStart - std::abs(ages[i]);
  }
}

void AgeMap::clear() {
  image_.resize(0, 0);
  set_ages({});
}

// What is known about some pixels: the age of the oldest live one, or the last death.
std::int16_t AgeMap::known_of(const std::vector<std::int16_t>& ages, std::int64_t width,
                              const Rect& pixels) {
  std::int16_t known = 0;
  for (std::int64_t y = pixels.y; y < pixels.y + pixels.height; y++) {
    for (std::int64_t x = pixels.x; x < pixels.x + pixels.width; x++) {
      const std::int16_t age = ages[static_cast<std::size_t>(y * width + x)];
      if (age > 0 ? age > known : known <= 0 && age < 0 && (known == 0 || age > known)) known = age;
    }
  }
  return known;
}

// Moves what is known to its place in the new view; true when the new view has another scale.
bool AgeMap::follow(const Rect& rect, std::int64_t scale, std::int64_t width, std::int64_t height) {
  if (rect == rect_ && scale == scale_ && !changed_.empty()) return false;
  const std::vector<std::int16_t> old = ages();
  std::vector<std::int16_t> now(static_cast<std::size_t>(width * height));
  const std::int64_t dx = rect.x - rect_.x, dy = rect.y - rect_.y;
  const Rect all{0, 0, old.empty() ? 0 : width_, height_};
  if (scale == scale_ && dx % scale == 0 && dy % scale == 0) {
    const Rect moved = Rect{dx / scale, dy / scale, width, height}.common(all);
    for (std::int64_t y = moved.y; y < moved.y + moved.height; y++) {
      std::copy_n(old.begin() + y * width_ + moved.x, moved.width,
                  now.begin() + (y - dy / scale) * width + moved.x - dx / scale);
    }
  } else if (!all.empty()) {
    for (std::int64_t y = 0; y < height; y++) {
      for (std::int64_t x = 0; x < width; x++) {
        const std::int64_t left = dx + x * scale, top = dy + y * scale;
        const std::int64_t column = floor_div(left, scale_), row = floor_div(top, scale_);
        const Rect under{column, row, floor_div(left + scale - 1, scale_) + 1 - column,
                         floor_div(top + scale - 1, scale_) + 1 - row};
        now[static_cast<std::size_t>(y * width + x)] = known_of(old, width_, under.common(all));
      }
    }
  }
  set_ages(now);
  rect_ = rect;
  width_ = width, height_ = height;
  return std::exchange(scale_, scale) != scale;
}

void AgeMap::add(const DensityImage& view, const Rect& rect, std::int64_t scale,
                 std::int64_t generations) {
  const bool rescaled = follow(rect, scale, view.width, view.height);
  if (clock_ > kLatest) set_ages(ages());
  clock_ += static_cast<Time>(std::min<std::int64_t>(generations, kMost));
  const auto look = [&](std::size_t i) {
    const bool alive = view.pixels[i] != 0;
    if (alive == (alive_[i] != 0)) return;
    alive_[i] = alive;
    // This part of a larger live pixel may have been dead for a long time.
    changed_[i] = rescaled && !alive ? 0 : clock_ - 1;
  };
  // Eight pixels at a time, of which mostly none has changed.
  constexpr std::uint64_t kOnes = 0x0101010101010101, kLow = 0x7f * kOnes;
  const std::size_t count = changed_.size();
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t greys = 0, before = 0;
    std::memcpy(&greys, view.pixels.data() + i, 8);
    std::memcpy(&before, alive_.data() + i, 8);
    const std::uint64_t alive = (((greys & kLow) + kLow) | greys) >> 7 & kOnes;
    if (alive == before) continue;
    for (std::size_t j = i; j < i + 8; j++) look(j);
  }
  for (; i < count; i++) look(i);
}

const DensityImage& AgeMap::image() {
  image_.reshape(width_, height_);
  // In variables, because a byte that is written might be a part of this object.
  const std::uint8_t *colours = AgeMap::colours().data() + kTrail, *alive = alive_.data();
  const Time *changed = changed_.data(), clock = clock_;
  std::uint8_t* pixels = image_.pixels.data();
  const auto colour = [&](std::size_t i) {
    pixels[i] = colours[signed_age(clock - changed[i], alive[i])];
  };
  // Eight pixels at a time, of which mostly none is alive or leaves a trail.
  const std::size_t count = changed_.size();
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    Time latest = 0;
    for (std::size_t j = i; j < i + 8; j++) latest = std::max(latest, changed[j]);
    std::uint64_t any = 0;
    std::memcpy(&any, alive + i, 8);
    if (!any && clock - latest > kTrail) {
      std::memset(pixels + i, 0, 8);
    } else {
      for (std::size_t j = i; j < i + 8; j++) colour(j);
    }
  }
  for (; i < count; i++) colour(i);
  return image_;
}

}  // namespace tessera
