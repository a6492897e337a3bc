#include "core/stepping/step_backend.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/fake_backend.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

using Calls = std::vector<std::string>;

BackendSpec spec_of(std::int64_t width, std::int64_t height) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  return spec;
}

}  // namespace

TEST_CASE("a grid of another size is refused before the backend sees it") {
  Calls calls;
  FakeBackend backend(spec_of(70, 30), {1, 0}, &calls);
  for (const auto& [w, h] : {std::pair{71, 30}, {70, 31}, {30, 70}, {1, 1}}) {
    const BitGrid grid(w, h);
    const std::string what = message_of<InputError>([&] { backend.upload(grid); });
    CHECK(has(what, {"upload: a grid of", "does not fit a backend of 70x30"}));
  }
  CHECK(calls.empty());
  backend.upload(BitGrid(70, 30));
  CHECK(calls == Calls{"upload"});
}

TEST_CASE("generations are not negative, and none is no work") {
  Calls calls;
  FakeBackend backend(spec_of(5, 5), {1, 0}, &calls);
  const std::string what = message_of<InputError>([&] { backend.step(-3); });
  CHECK(what == "step: -3 generations; 0 or more are accepted");
  backend.step(0);
  CHECK(calls.empty());
  backend.step(4);
  CHECK(calls == Calls{"step 4"});
}

TEST_CASE("rectangles outside the grid or empty are refused, whatever their numbers") {
  Calls calls;
  FakeBackend backend(spec_of(70, 30), {1, 0}, &calls);
  const Rect bads[] = {{0, 0, 0, 1},         {0, 0, 1, 0},         {-1, 0, 5, 5},
                       {0, -1, 5, 5},        {66, 0, 5, 5},        {0, 26, 5, 5},
                       {0, 0, 71, 30},       {0, 0, 70, 31},       {INT64_MAX, 0, 5, 5},
                       {0, INT64_MAX, 5, 5}, {0, 0, INT64_MAX, 1}, {1, 0, INT64_MAX, 1},
                       {0, 1, 1, INT64_MAX}, {INT64_MIN, 0, 1, 1}, {0, 0, -1, 5},
                       {5, 5, INT64_MIN, 1}, {70, 0, 1, 1},        {0, 30, 1, 1}};
  for (const Rect& bad : bads) {
    CAPTURE(bad.x);
    CAPTURE(bad.y);
    CAPTURE(bad.width);
    CAPTURE(bad.height);
    DensityImage image;
    CHECK(has(message_of<InputError>([&] { backend.download(bad); }),
              {"download: the rectangle", "must lie inside the grid of 70x30"}));
    CHECK(has(message_of<InputError>([&] { backend.view(bad, 1, image); }),
              {"view: the rectangle", "must lie inside the grid of 70x30"}));
  }
  CHECK(has(message_of<InputError>([&] {
              backend.download({66, -1, 5, 4});
            }),
            {"5x4 at (66, -1)"}));
  for (const Cell& at : {Cell{-1, 0}, {0, -1}, {67, 0}, {0, 29}, {INT64_MAX, 0}, {0, INT64_MIN}}) {
    CHECK(has(message_of<InputError>([&] { backend.edit(at, BitGrid(4, 2)); }),
              {"edit: the rectangle 4x2", "must lie inside the grid of 70x30"}));
  }
  CHECK(calls.empty());
  backend.download({69, 29, 1, 1});
  backend.edit({66, 28}, BitGrid(4, 2));
  CHECK(calls == Calls{"download", "edit"});
}

TEST_CASE("cells with more planes than the rule has are refused") {
  Calls calls;
  FakeBackend backend(spec_of(70, 30), {1, 0}, &calls);
  for (const int planes : {2, 8}) {
    CHECK(has(message_of<InputError>([&] { backend.upload(CellGrid(70, 30, planes)); }),
              {"upload: cells of ", " bit planes", "B3/S23 has 1"}));
    CHECK(has(message_of<InputError>([&] {
                backend.edit({0, 0}, CellGrid(1, 1, planes));
              }),
              {"edit: cells of ", " bit planes"}));
  }
  CHECK(calls.empty());
}

TEST_CASE("a survey finds what is asked for, inside the grid") {
  FakeBackend backend(spec_of(130, 30));
  backend.fill({5, 20000});
  const Rect rect{10, 3, 100, 20};
  const Survey all = backend.survey(rect, kWholeSurvey, 7, -9);
  CHECK(all.population == backend.download(rect).population());
  CHECK(backend.survey(rect, {}) == Survey{});
  CHECK(backend.survey(rect, {.population = true}) == Survey{all.population, {}, 0});
  CHECK(backend.survey(rect, {.bounds = true}) == Survey{0, all.bounds, 0});
  CHECK(backend.survey(rect, {.hash = true}, 7, -9) == Survey{0, {}, all.hash});
  CHECK(has(message_of<InputError>([&] {
              backend.survey({0, 0, 131, 30}, kWholeSurvey);
            }),
            {"survey: the rectangle 131x30"}));
  // Parts that meet at whole words add up.
  Survey sum = backend.survey({0, 0, 64, 30}, kWholeSurvey);
  sum += backend.survey({64, 0, 66, 11}, kWholeSurvey);
  sum += backend.survey({64, 11, 66, 19}, kWholeSurvey);
  CHECK(sum == backend.survey(kWholeSurvey));
}

TEST_CASE("a view has a size of its own and a scale from 1") {
  FakeBackend backend(spec_of(70, 30));
  DensityImage image;
  CHECK(message_of<InputError>([&] {
          backend.view({0, 0, 5, 5}, 0, image);
        }) == "view: scale 0; 1 or more is accepted");
  CHECK(has(message_of<InputError>([&] { backend.view({0, 0, 5, 5}, -2, image); }), {"scale -2"}));
  backend.view({3, 4, 60, 20}, 7, image);
  CHECK(image.width == 9);
  CHECK(image.height == 3);
  CHECK(image.pixels.size() == 27);
  backend.view({3, 4, 60, 20}, INT64_MAX, image);
  CHECK(image.width == 1);
  CHECK(image.height == 1);
}

TEST_CASE("by default a soup is made on the host and there is no device clock") {
  Calls calls;
  FakeBackend backend(spec_of(70, 30), {1, 0}, &calls);
  const Soup soup = Soup::of(0.25, 11);
  backend.fill(soup);
  CHECK(calls == Calls{"edit"});
  CHECK(backend.download() == make_soup(soup, 70, 30));
  CHECK(backend.device_seconds() == std::nullopt);
  CHECK(backend.info().kernel == "shift");
  CHECK(backend.spec().width == 70);
}
