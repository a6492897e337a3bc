#include "apps/viewer/window/grip.h"

#include <doctest/doctest.h>

using namespace tessera;

namespace {

// 40x40 cells of 8 pixels a side, (0, 0) at the
// top left.
Camera close_camera() {
  Camera camera;
  camera.resize(320, 320);
  camera.fit({0, 0, 40, 40});
  REQUIRE(camera.scale().pixels == 8);
  REQUIRE(camera.cell_at(0, 0) == Cell{0, 0});
  return camera;
}

}  // namespace

TEST_CASE("edges and corners are held from both sides, and the middle is not") {
  const Camera camera = close_camera();
  const Rect cells{10, 10, 10, 5};  // pixels 80 to 160, 80 to 120
  CHECK(grip_at(camera, cells, 76, 100, 6) == Grip{-1, 0});
  CHECK(grip_at(camera, cells, 84, 100, 6) == Grip{-1, 0});
  CHECK(grip_at(camera, cells, 162, 100, 6) == Grip{1, 0});
  CHECK(grip_at(camera, cells, 120, 78, 6) == Grip{0, -1});
  CHECK(grip_at(camera, cells, 120, 123, 6) == Grip{0, 1});
  CHECK(grip_at(camera, cells, 158, 118, 6) == Grip{1, 1});
  CHECK(grip_at(camera, cells, 78, 122, 6) == Grip{-1, 1});
  CHECK(!grip_at(camera, cells, 120, 100, 6));
  CHECK(!grip_at(camera, cells, 60, 100, 6));
  CHECK(!grip_at(camera, cells, 76, 60, 6));
}

TEST_CASE("a small rectangle can still be moved") {
  const Camera camera = close_camera();
  const Rect cell{10, 10, 1, 1};
  CHECK(!grip_at(camera, cell, 83, 83, 6));
  CHECK(grip_at(camera, cell, 80, 83, 6) == Grip{-1, 0});
}

TEST_CASE("an edge follows the mouse to the nearest border") {
  const Camera camera = close_camera();
  const Rect cells{10, 10, 10, 5};
  CHECK(resized(camera, cells, {1, 0}, 3, 50) == cells);
  CHECK(resized(camera, cells, {1, 0}, 5, 50) == Rect{10, 10, 11, 5});
  CHECK(resized(camera, cells, {-1, 0}, -16, 0) == Rect{8, 10, 12, 5});
  CHECK(resized(camera, cells, {0, -1}, 0, 8) == Rect{10, 11, 10, 4});
  CHECK(resized(camera, cells, {1, 1}, 8, 16) == Rect{10, 10, 11, 7});
}

TEST_CASE("an edge dragged across the opposite one becomes that, and nothing is never left") {
  const Camera camera = close_camera();
  const Rect cells{10, 10, 10, 5};
  CHECK(resized(camera, cells, {-1, 0}, 80, 0) == Rect{19, 10, 1, 5});
  CHECK(resized(camera, cells, {-1, 0}, 96, 0) == Rect{20, 10, 2, 5});
  CHECK(resized(camera, cells, {1, 0}, -80, 0) == Rect{10, 10, 1, 5});
  CHECK(resized(camera, cells, {0, 1}, 0, -56) == Rect{10, 8, 10, 2});
}

TEST_CASE("where pixels hold many cells, edges move by as many") {
  Camera camera = close_camera();
  camera.zoom(-12, 0, 0);
  const std::int64_t cells = camera.scale().cells;
  REQUIRE(cells > 1);
  const Rect rect{-30 * cells, 0, 20 * cells, 20 * cells};
  CHECK(resized(camera, rect, {1, 0}, 4, 0) == Rect{-30 * cells, 0, 24 * cells, 20 * cells});
  CHECK(resized(camera, rect, {1, 0}, -20, 0) == Rect{-30 * cells, 0, cells, 20 * cells});
}
