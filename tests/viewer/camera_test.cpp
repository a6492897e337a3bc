#include "apps/viewer/simulation/camera.h"

#include <doctest/doctest.h>

#include <random>

#include "core/cells/cell_runs.h"
#include "core/rules/rule_spec.h"

using namespace tessera;

namespace {

Camera camera_of(int width, int height) {
  Camera camera;
  camera.resize(width, height);
  camera.center_on({0, 0});
  return camera;
}

bool holds(const Rect& rect, Cell cell) { return rect.contains({cell.x, cell.y, 1, 1}); }

}  // namespace

TEST_CASE("levels grow by 3/2 and 4/3 on both sides of a pixel a cell") {
  CHECK(Camera::scale_of(0).pixels == 1);
  for (int level = 1; level <= Camera::kNearest; level++) {
    CHECK(Camera::scale_of(level).pixels > Camera::scale_of(level - 1).pixels);
    CHECK(Camera::scale_of(level).cells == 1);
    CHECK(Camera::scale_of(-level).cells == Camera::scale_of(level).pixels);
    CHECK(Camera::scale_of(-level).pixels == 1);
  }
  CHECK(Camera::scale_of(Camera::kNearest).pixels == 64);
  // The largest universe fits a window.
  CHECK(Camera::scale_of(Camera::kFarthest).cells * 640 >= kMaxSide);
}

TEST_CASE("zooming keeps the cell under the cursor, from any level to any other") {
  std::mt19937 generator(7);
  const auto random = [&] { return static_cast<int>(generator() >> 1); };
  for (int trial = 0; trial < 20000; trial++) {
    Camera camera = camera_of(1 + random() % 2000, 1 + random() % 1200);
    camera.set_anchor({-static_cast<int>(random() % 1000), -static_cast<int>(random() % 1000)});
    const int px = static_cast<int>(random() % camera.width()),
              py = static_cast<int>(random() % camera.height());
    camera.zoom(static_cast<int>(random() % 40) - 25, px, py);
    camera.pan(static_cast<int>(random() % 5000) - 2500, static_cast<int>(random() % 5000) - 2500);
    const Cell before = camera.cell_at(px, py);
    camera.zoom(static_cast<int>(random() % 30) - 15, px, py);
    CHECK(holds(camera.cells_at(px, py), before));
  }
}

TEST_CASE("zooming in and out again in steps shows the same cells") {
  Camera camera = camera_of(801, 603);
  const Cell under = camera.cell_at(123, 456);
  for (int i = 0; i < 30; i++) camera.zoom(-1, 123, 456);
  for (int i = 0; i < 30; i++) camera.zoom(1, 123, 456);
  CHECK(camera.cell_at(123, 456) == under);
}

TEST_CASE("dragging moves the cell under the cursor along with it") {
  for (int level = -12; level <= Camera::kNearest; level++) {
    Camera camera = camera_of(640, 480);
    camera.zoom(level - camera.level(), 320, 240);
    const Cell grabbed = camera.cell_at(100, 100);
    camera.pan(37, -21);
    CHECK(camera.cell_at(137, 79) == grabbed);
  }
}

TEST_CASE(
    "pixels that hold several cells have their borders at multiples of the scale from the anchor") {
  Camera camera = camera_of(640, 480);
  camera.set_anchor({-50, -35});
  camera.zoom(-11, 11, 13);
  const std::int64_t scale = camera.scale().cells;
  REQUIRE(scale > 1);
  for (int i = 0; i < 20; i++) {
    camera.pan(i, 3 * i);
    CHECK(floor_mod(camera.visible().x + 50, scale) == 0);
    CHECK(floor_mod(camera.visible().y + 35, scale) == 0);
  }
}

TEST_CASE("fit shows all cells and would not at the next level") {
  for (const Rect& cells :
       {Rect{0, 0, 1, 1}, Rect{-100, 20, 317, 12}, Rect{1000, 1000, 70000, 300},
        Rect{-(1 << 30), -(1 << 30), std::int64_t{1} << 31, std::int64_t{1} << 31}}) {
    Camera camera = camera_of(640, 480);
    camera.fit(cells);
    CHECK(camera.visible().contains(cells));
    const Scale next = Camera::scale_of(camera.level() + 1);
    const bool larger_fits = cells.width * next.pixels <= 640 * next.cells &&
                             cells.height * next.pixels <= 480 * next.cells;
    CHECK((camera.scale().pixels == 32 || !larger_fits));
  }
}

TEST_CASE("positions in pixels are those that cells are found at") {
  for (const int level : {-6, -1, 0, 1, 5, 11}) {
    Camera camera = camera_of(500, 400);
    camera.zoom(level - camera.level(), 0, 0);
    const Cell cell = camera.cell_at(200, 300);
    CHECK(camera.x_of(cell.x) <= 200);
    CHECK(camera.x_of(cell.x + camera.scale().cells) > 200);
    CHECK(camera.y_of(cell.y) <= 300);
    CHECK(camera.y_of(cell.y + camera.scale().cells) > 300);
  }
}

TEST_CASE("nothing overflows at the ends of the plane") {
  Camera camera = camera_of(1920, 1080);
  for (int i = 0; i < 200; i++) {
    camera.zoom(-1, 0, 0);
    camera.pan(1'000'000, -1'000'000);
  }
  CHECK(camera.visible().width > 0);
  camera.center_on({kMaxCoordinate / 2, -kMaxCoordinate / 2});
  camera.zoom(100, 5, 5);
  CHECK(camera.level() == Camera::kNearest);
}

TEST_CASE("following moves the view only when it must, and zooms in never") {
  Camera camera;
  camera.resize(600, 500);
  camera.fit({0, 0, 100, 100});
  const Camera before = camera;
  camera.follow({10, 10, 50, 50});
  CHECK(camera == before);
  const Rect beside{camera.visible().x + camera.visible().width - 20, 0, 40, 40};
  camera.follow(beside);
  CHECK(camera.level() == before.level());
  CHECK(camera.visible().contains(beside));
  const Rect large{-1000, -700, 3000, 5000};
  camera.follow(large);
  CHECK(camera.level() < before.level());
  CHECK(camera.visible().contains(large));
  const Camera after = camera;
  camera.follow({-1001, -701, 3002, 5002});  // there was room to grow
  CHECK(camera == after);
}
