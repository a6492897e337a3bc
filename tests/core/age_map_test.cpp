#include "core/pictures/age_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace tessera;

namespace {

DensityImage one_pixel(bool alive) {
  DensityImage image;
  image.resize(1, 1);
  image.pixels[0] = alive ? 255 : 0;
  return image;
}

}  // namespace

TEST_CASE("a pixel ages, dies, fades and is born again") {
  AgeMap ages;
  const Rect cell{0, 0, 1, 1};
  const auto next = [&](bool alive) {
    ages.add(one_pixel(alive), cell, 1, 1);
    return ages.image().pixels[0];
  };
  CHECK(next(false) == 0);
  CHECK(next(true) == AgeMap::kFirstLive);
  std::uint8_t last = AgeMap::kFirstLive;
  for (int i = 2; i < 200; i++) {
    const std::uint8_t now = next(true);
    CHECK(now >= last);
    CHECK(now == AgeMap::colour_of(i));
    last = now;
  }
  CHECK(next(false) == AgeMap::kFirstLive - 1);
  for (int i = 2; i <= AgeMap::kTrail; i++) CHECK(next(false) == AgeMap::colour_of(-i));
  CHECK(next(false) == 0);
  CHECK(next(true) == AgeMap::kFirstLive);
}

TEST_CASE("bytes of ages are in order and in their ranges") {
  CHECK(AgeMap::colour_of(AgeMap::kMost) == 255);
  CHECK(AgeMap::colour_of(AgeMap::kMost + 1000) == 255);
  CHECK(AgeMap::colour_of(-AgeMap::kTrail) >= AgeMap::kFirstTrail);
  CHECK(AgeMap::colour_of(0) == 0);
}

TEST_CASE("ages move along with the view, and at another scale with the cells") {
  AgeMap ages;
  DensityImage image;
  image.resize(4, 1);
  image.pixels = {255, 0, 255, 255};
  for (int i = 0; i < 3; i++) ages.add(image, {0, 0, 8, 2}, 2, 1);
  image.pixels = {255, 255, 0, 255};
  ages.add(image, {4, 0, 8, 2}, 2, 0);
  CHECK(ages.image().pixels[0] == AgeMap::colour_of(3));
  CHECK(ages.image().pixels[1] == AgeMap::colour_of(3));
  CHECK(ages.image().pixels[3] == AgeMap::colour_of(1));
  // A dead half and a live one of an old pixel, half of the next one, and one never alive.
  image.pixels = {0, 255, 255, 0};
  ages.add(image, {5, 0, 4, 1}, 1, 0);
  CHECK(ages.image().pixels[0] == 0);
  CHECK(ages.image().pixels[1] == AgeMap::colour_of(3));
  CHECK(ages.image().pixels[2] == AgeMap::colour_of(3));
  CHECK(ages.image().pixels[3] == 0);
  // All of them under one pixel, and nothing known beside it.
  image.resize(2, 1);
  image.pixels = {255, 255};
  ages.add(image, {4, 0, 16, 8}, 8, 0);
  CHECK(ages.image().pixels[0] == AgeMap::colour_of(3));
  CHECK(ages.image().pixels[1] == AgeMap::colour_of(1));
}

TEST_CASE("ages are those that counting each pixel's generations gives, over any time") {
  constexpr int kPixels = 75;
  std::minstd_rand random(7);
  AgeMap ages;
  DensityImage image;
  image.resize(kPixels, 1);
  std::vector<std::int16_t> expected(kPixels);
  // Long enough for a clock of 32 bits to be set back.
  for (int n = 0; n < 300'000; n++) {
    const int passed = n < 3000 ? static_cast<int>(random() % 300) : AgeMap::kMost;
    for (int i = 0; i < kPixels && n < 3100; i++) {
      // Some are born seldom: they are dead in whole groups, most of the time.
      const bool was = image.pixels[i] != 0;
      const bool alive = was != (random() % (was || i < 32 ? 8 : 100) == 0);
      image.pixels[i] = alive ? static_cast<std::uint8_t>(1 + random() % 255) : 0;
      const int age = expected[i];
      const int trail = age < 0 && passed - age <= AgeMap::kTrail ? age - passed : 0;
      expected[i] = static_cast<std::int16_t>(
          alive ? (age > 0 ? std::min(age + passed, AgeMap::kMost) : 1) : (age > 0 ? -1 : trail));
    }
    ages.add(image, {0, 0, kPixels, 1}, 1, passed);
    if (n >= 3100) continue;
    REQUIRE(ages.ages() == expected);
    for (int i = 0; i < kPixels; i++) {
      REQUIRE(ages.image().pixels[i] == AgeMap::colour_of(expected[i]));
    }
  }
  for (int i = 0; i < kPixels; i++) {
    CHECK(ages.ages()[i] == (image.pixels[i] != 0 ? AgeMap::kMost : 0));
  }
  AgeMap copy;
  copy.add(image, {0, 0, kPixels, 1}, 1, 1);
  copy.set_ages(expected);
  CHECK(copy.ages() == expected);
}
