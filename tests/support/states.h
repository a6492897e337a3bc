#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include "apps/measure/draw.h"
#include "core/pictures/density_image.h"
#include "core/stepping/step_backend.h"

namespace tessera::test {

/// Cells of any states of a rule, half of them drawn.
inline CellGrid random_states(std::int64_t width, std::int64_t height, const Rule& rule,
                              Draw& draw) {
  CellGrid cells(width, height, rule.planes());
  for (std::int64_t y = 0; y < height; y++) {
    for (std::int64_t x = 0; x < width; x++) {
      if (draw.chance(50)) cells.set_state(x, y, static_cast<int>(draw.below(rule.states())));
    }
  }
  return cells;
}

/// Compares cells, surveys and pictures of the whole grid and of a part of it.
inline void check_same_states(StepBackend& got, StepBackend& want, Draw& draw) {
  REQUIRE(got.download() == want.download());
  const BackendSpec& spec = got.spec();
  const std::int64_t x = draw.below(spec.width), y = draw.below(spec.height);
  const Rect part{x, y, 1 + draw.below(spec.width - x), 1 + draw.below(spec.height - y)};
  const std::array<Rect, 3> rects{part, {0, 0, spec.width, spec.height}, part};
  CHECK(got.download(rects) == want.download(rects));
  for (const Rect& rect : {rects[1], part}) {
    const Survey a = got.survey(rect, kWholeSurvey, 5, -7),
                 b = want.survey(rect, kWholeSurvey, 5, -7);
    CHECK(a.population == b.population);
    CHECK(a.bounds == b.bounds);
    CHECK(a.hash == b.hash);
    CHECK(got.survey(rect, {.population = true}) == want.survey(rect, {.population = true}));
    CHECK(got.download(rect) == want.download(rect));
    for (const std::int64_t scale : {1 + draw.below(9), 65 + draw.below(300)}) {
      DensityImage seen, wanted;
      got.view(rect, scale, seen);
      want.view(rect, scale, wanted);
      CHECK(seen == wanted);
    }
  }
}

/// Soups of every number of states, cells that come in, steps and edits of two backends.
inline void check_states(StepBackend& got, StepBackend& want, Draw& draw) {
  const BackendSpec& spec = got.spec();
  for (int states = 2; states <= spec.rule.states(); states++) {
    const Soup soup{7, states % 3 == 0 ? 65536u : 20000u, static_cast<std::uint16_t>(states)};
    got.fill(soup);
    want.fill(soup);
    check_same_states(got, want, draw);
  }
  const CellGrid cells = random_states(spec.width, spec.height, spec.rule, draw);
  got.upload(cells);
  want.upload(cells);
  for (const std::int64_t generations : {1, 8, 5}) {
    got.step(generations);
    want.step(generations);
    check_same_states(got, want, draw);
    const std::int64_t x = draw.below(spec.width), y = draw.below(spec.height);
    const CellGrid patch = random_states(1 + draw.below(spec.width - x),
                                         1 + draw.below(spec.height - y), spec.rule, draw);
    got.edit({x, y}, patch);
    want.edit({x, y}, patch);
  }
  check_same_states(got, want, draw);
}

}  // namespace tessera::test
