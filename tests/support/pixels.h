#pragma once

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "core/pictures/age_map.h"
#include "core/stepping/step_backend.h"

namespace tessera::test {

/// Steps a backend that looks at pixels by spans, and compares greys with density_grey and ages
/// with AgeMap, both fed by download(). Returns false where the backend does neither.
inline bool check_pixels(StepBackend& backend, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  // In any order, overlapping, empty.
  const auto some = [&](std::int64_t side) {
    std::vector<PixelSpan> spans;
    const std::int64_t most = 1 + below(Look::kMostSpan);
    for (std::int64_t n = 1 + below(40); n > 0; n--) {
      const std::int64_t first = below(side);
      const std::int64_t count = below(std::min(most, side - first) + 1);
      const std::int64_t wide =
          std::max<std::int64_t>(1, count) + below(most - std::max<std::int64_t>(1, count) + 1);
      spans.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count),
                       static_cast<std::uint32_t>(wide)});
    }
    return spans;
  };
  const PixelSpans pixels{some(backend.spec().width), some(backend.spec().height)};
  const auto columns = static_cast<std::int64_t>(pixels.columns.size());
  const auto rows = static_cast<std::int64_t>(pixels.rows.size());
  const Rect rect{0, 0, columns, rows};
  DensityImage seen, got;
  const auto look = [&] {
    const BitGrid grid = backend.download().live();
    seen.resize(columns, rows);
    for (std::int64_t i = 0; i < columns * rows; i++) {
      const PixelSpan x = pixels.columns[static_cast<std::size_t>(i % columns)];
      const PixelSpan y = pixels.rows[static_cast<std::size_t>(i / columns)];
      if (x.count == 0 || y.count == 0) continue;
      seen.pixels[static_cast<std::size_t>(i)] =
          density_grey(grid.window({x.first, y.first, x.count, y.count}).population(),
                       std::int64_t{x.side} * y.side);
    }
  };
  AgeMap expected;
  look();
  expected.add(seen, rect, 1, 1);
  std::vector<std::int16_t> first(static_cast<std::size_t>(columns * rows));
  for (std::int16_t& age : first) age = static_cast<std::int16_t>(below(4351) - AgeMap::kTrail);
  expected.set_ages(first);
  if (!backend.look()) return false;
  if (!backend.look()->keep_ages(pixels, first)) {
    CHECK(!backend.look()->begin_greys(pixels));
    return false;
  }
  CHECK(backend.look()->ages() == first);
  for (int i = 0; i < 12; i++) {
    const std::int64_t passed = i % 4 == 0 ? below(6000) : below(3);
    // Steps queued after a look do not change it.
    look();
    REQUIRE(backend.look()->begin_greys(pixels));
    backend.step(1);
    backend.look()->end(got);
    CHECK(got == seen);
    backend.look()->add_ages(passed);
    look();
    expected.add(seen, rect, 1, passed);
    if (i % 3 > 0) continue;
    backend.look()->begin_ages();
    backend.step(3);
    backend.look()->end(got);
    CHECK(got == expected.image());
    CHECK(backend.look()->ages() == expected.ages());
  }
  return true;
}

}  // namespace tessera::test
