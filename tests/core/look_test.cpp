#include "core/stepping/look.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/base/error.h"
#include "tests/support/fake_backend.h"
#include "tests/support/host_look.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

BackendSpec grid() {
  BackendSpec spec;
  spec.width = 70;
  spec.height = 30;
  return spec;
}

const PixelSpans kPixels{{{0, 2, 2}, {2, 2, 2}, {69, 1, 2}}, {{0, 2, 2}, {29, 1, 2}}};

// Counts rooms that are made, and has none left after `most`.
struct Rooms {
  explicit Rooms(int left) : most(left) {}
  FakeBackend backend{grid()};
  int made = 0, most;
  Look look{70, 30, [this](const PixelSpans&) -> std::unique_ptr<LookRoom> {
              if (made == most) return nullptr;
              made++;
              return std::make_unique<HostLook>(backend);
            }};
};

}  // namespace

TEST_CASE("spans must lie inside the grid and be 1 to 64 cells wide") {
  Rooms rooms(1);
  for (const PixelSpan& bad :
       {PixelSpan{70, 1, 1}, {69, 2, 2}, {0, 1, 0}, {0, 65, 65}, {0, 3, 2}}) {
    const PixelSpans pixels{{bad}, {{0, 1, 1}}};
    CHECK(has(message_of<InputError>([&] { rooms.look.begin_greys(pixels); }),
              {"spans inside the grid", "1 to 64 cells"}));
    CHECK_THROWS_AS(rooms.look.keep_ages(pixels, {0}), InputError);
  }
  CHECK_THROWS_AS(rooms.look.begin_greys({{}, {{0, 1, 1}}}), InputError);
  CHECK(rooms.made == 0);
}

TEST_CASE("a picture is begun before it ends, and ages are kept before they are used") {
  Rooms rooms(2);
  DensityImage image;
  CHECK_THROWS_AS(rooms.look.end(image), InputError);
  CHECK_THROWS_AS(rooms.look.ages(), InputError);
  CHECK_THROWS_AS(rooms.look.add_ages(1), InputError);
  CHECK_THROWS_AS(rooms.look.begin_ages(), InputError);
  REQUIRE(rooms.look.begin_greys(kPixels));
  CHECK(rooms.look.end(image) == nullptr);
  CHECK(image.width == 3);
  CHECK(image.height == 2);
  CHECK_THROWS_AS(rooms.look.end(image), InputError);
  CHECK(has(message_of<InputError>([&] {
              rooms.look.keep_ages(kPixels, {1, 2});
            }),
            {"keep_ages: 2 ages"}));
  const std::vector<std::int16_t> ages{1, 2, 3, -4, -5, 0};
  REQUIRE(rooms.look.keep_ages(kPixels, ages));
  CHECK(rooms.look.ages() == ages);
  CHECK_THROWS_AS(rooms.look.add_ages(-1), InputError);
  rooms.look.begin_ages();
  rooms.look.end(image);
  CHECK(image.pixels[0] == AgeMap::colour_of(1));
  CHECK(rooms.made == 2);
}

TEST_CASE("where the device has no room nothing is begun and no ages are kept") {
  Rooms rooms(0);
  CHECK_FALSE(rooms.look.begin_greys(kPixels));
  CHECK_FALSE(rooms.look.keep_ages(kPixels, std::vector<std::int16_t>(6)));
  DensityImage image;
  CHECK_THROWS_AS(rooms.look.end(image), InputError);
  CHECK_THROWS_AS(rooms.look.ages(), InputError);
}
