// What StepBackend promises, on every kernel, except for stepping.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/cells/state_hash.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"
#include "tests/support/pixels.h"
#include "tests/support/surveys.h"
#include "tests/support/tunings.h"

using namespace tessera;
using namespace tessera::test;

namespace {

BackendSpec spec_of(std::int64_t width, std::int64_t height, Boundary boundary = Boundary::torus) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = boundary;
  return spec;
}

const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes() {
  static const std::vector<std::pair<std::int64_t, std::int64_t>> all = {
      {1, 1},    {1, 70},   {70, 1},   {2, 3},    {31, 33},  {63, 65},   {64, 64},    {65, 63},
      {127, 9},  {128, 8},  {129, 7},  {240, 16}, {300, 40}, {511, 513}, {512, 3},    {513, 2},
      {1023, 5}, {1025, 4}, {2000, 3}, {3, 2000}, {7, 4097}, {4097, 7},  {1000, 1000}};
  return all;
}

// Compares any parts of a survey with what the cells of the rectangle alone, in their place, have.
void check_survey(StepBackend& backend, const BitGrid& grid, const Rect& rect, int parts,
                  std::int64_t column0, std::int64_t row0) {
  BitGrid alone(grid.width(), grid.height());
  alone.paste(rect.x, rect.y, grid.window(rect));
  const SurveyParts wanted{(parts & 1) != 0, (parts & 2) != 0, (parts & 4) != 0};
  const Survey found = backend.survey(rect, wanted, column0, row0);
  CAPTURE(parts);
  CHECK(found.population == (wanted.population ? alone.population() : 0));
  CHECK(found.bounds == (wanted.bounds ? alone.bounds() : std::nullopt));
  CHECK(found.hash == (wanted.hash ? state_hash(alone, column0, row0) : 0));
}

// Compares all answers of a backend with the expected grid.
void check_holds(StepBackend& backend, const BitGrid& grid, std::mt19937_64& random) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  CHECK(backend.download() == grid);
  CHECK(population_of(backend) == grid.population());
  CHECK(bounds_of(backend) == grid.bounds());
  CHECK(hash_of(backend) == state_hash(grid));
  CHECK(hash_at(backend, -5, 77) == state_hash(grid, -5, 77));
  CHECK(hash_at(backend, std::int64_t{1} << 40, -(std::int64_t{1} << 50)) ==
        state_hash(grid, std::int64_t{1} << 40, -(std::int64_t{1} << 50)));
  const std::int64_t width = grid.width(), height = grid.height();
  std::vector<Rect> rects;
  std::vector<CellGrid> windows;
  for (int round = 0; round < 4; round++) {
    const std::int64_t x = below(width), y = below(height);
    const Rect rect{x, y, 1 + below(width - x), 1 + below(height - y)};
    check_survey(backend, grid, rect, static_cast<int>(below(8)), below(1000) - 500, below(1000));
    check_survey(backend, grid, {0, y, width, rect.height}, 1 + static_cast<int>(below(7)), 0, 0);
    CHECK(backend.download(rect) == grid.window(rect));
    rects.push_back(rect);
    windows.push_back(grid.window(rect));
    for (const std::int64_t scale :
         {std::int64_t{1}, 1 + below(9), 1 + below(200), std::int64_t{1} << 61}) {
      CAPTURE(scale);
      DensityImage got, wanted;
      backend.view(rect, scale, got);
      reduce_density(grid, rect, scale, wanted);
      CHECK(got == wanted);
    }
  }
  for (const Rect& corner : {Rect{0, 0, 1, 1},
                             {width - 1, 0, 1, 1},
                             {0, height - 1, 1, 1},
                             {width - 1, height - 1, 1, 1},
                             {0, 0, width, 1},
                             {0, 0, 1, height}}) {
    CHECK(backend.download(corner) == grid.window(corner));
  }
  CHECK(backend.download(rects) == windows);
}

}  // namespace

TEST_CASE("pixels that a device looks at by spans, and ages that it keeps, are those of the host") {
  std::uint64_t seed = 0;
  for (const auto& size : sizes()) {
    const auto width = size.first;
    const auto height = size.second;
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      CAPTURE(width);
      CAPTURE(height);
      const BackendSpec spec = spec_of(width, height, boundary);
      for_each_kernel(spec, [&](const Kernel& kernel) {
        const auto backend = kernel.create(spec);
        backend->fill({++seed, 20000});
        // Elsewhere AgeMap keeps them itself.
        CHECK(check_pixels(*backend, seed) == has_looks(kernel));
      });
    }
  }
}

TEST_CASE("a new backend is dead and stays so without B0") {
  for (const auto& size : sizes()) {
    const auto width = size.first;
    const auto height = size.second;
    CAPTURE(width);
    CAPTURE(height);
    for_each_kernel(spec_of(width, height), [&, w = width, h = height](const Kernel& kernel) {
      const auto backend = kernel.create(spec_of(w, h));
      CHECK(population_of(*backend) == 0);
      CHECK(bounds_of(*backend) == std::nullopt);
      CHECK(hash_of(*backend) == 0);
      backend->step(5);
      CHECK(population_of(*backend) == 0);
      CHECK(backend->download() == BitGrid(w, h));
    });
  }
}

TEST_CASE("cells go in and come out, whole, in parts and reduced") {
  for (const auto& size : sizes()) {
    const auto width = size.first;
    const auto height = size.second;
    CAPTURE(width);
    CAPTURE(height);
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      const BackendSpec spec = spec_of(width, height, boundary);
      for_each_kernel(spec, [&, w = width, h = height](const Kernel& kernel) {
        std::mt19937_64 random(static_cast<std::uint64_t>(w * 1000 + h));
        const auto backend = kernel.create(spec);
        for (const double density : {0.0, 0.003, 0.5, 1.0}) {
          const Soup soup = Soup::of(density, random());
          const BitGrid grid = make_soup(soup, w, h);
          backend->upload(grid);
          check_holds(*backend, grid, random);
          backend->upload(BitGrid(w, h));
          backend->fill(soup);
          CHECK(backend->download() == grid);
        }
        // One cell in each corner, which bounds must find.
        for (const Cell& cell : {Cell{0, 0}, {w - 1, 0}, {0, h - 1}, {w - 1, h - 1}}) {
          BitGrid grid(w, h);
          grid.set(cell.x, cell.y, true);
          backend->upload(grid);
          CHECK(bounds_of(*backend) == Bounds{cell.x, cell.y, cell.x, cell.y});
          CHECK(population_of(*backend) == 1);
        }
      });
    }
  }
}

TEST_CASE("a part of a larger grid makes its own rows of a soup, and leaves the others alone") {
  const Soup soup{99, 30000};
  for (const auto& size : sizes()) {
    const auto width = size.first;
    const auto rows = size.second;
    for (const std::int64_t around : {std::int64_t{0}, std::int64_t{1}, std::int64_t{5}}) {
      CAPTURE(width);
      CAPTURE(rows);
      CAPTURE(around);
      const BackendSpec spec = spec_of(width, rows + 2 * around, Boundary::plane);
      const BitGrid whole = make_soup(soup, width, 37 + rows);
      const BitGrid own = whole.window({0, 37, width, rows});
      BitGrid expected = make_soup({1, 65536}, width, spec.height);
      expected.paste(0, around, own);
      std::optional<Bounds> box = own.bounds();
      if (box) box = box->shifted(0, around);
      for_each_kernel(spec, [&](const Kernel& kernel) {
        const auto backend = kernel.create(spec);
        backend->fill({1, 65536});
        backend->fill(soup, around, rows, static_cast<std::uint64_t>(37 * own.words_per_row()));
        CHECK(backend->download() == expected);
        CHECK(backend->survey({0, around, width, rows}, kWholeSurvey, 0, 37 - around) ==
              Survey{own.population(), box, state_hash(own, 0, 37)});
        CHECK_THROWS_AS(backend->fill(soup, around, spec.height - around + 1, 0), InputError);
      });
    }
  }
}

TEST_CASE("edits replace exactly their rectangle, also between steps") {
  for (const auto& size : sizes()) {
    const auto width = size.first;
    const auto height = size.second;
    CAPTURE(width);
    CAPTURE(height);
    const BackendSpec spec = spec_of(width, height);
    for_each_kernel(spec, [&, w = width, h = height](const Kernel& kernel) {
      std::mt19937_64 random(static_cast<std::uint64_t>(w * 1000 + h));
      const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      };
      const auto backend = kernel.create(spec);
      BitGrid grid = make_soup(Soup::of(0.5, 5), w, h);
      backend->upload(grid);
      const int rounds = kernel.device.software ? 2 : 6;
      for (int round = 0; round < rounds; round++) {
        const std::int64_t x = below(w), y = below(h);
        const BitGrid patch =
            make_soup(Soup::of(0.5, random()), 1 + below(w - x), 1 + below(h - y));
        backend->edit({x, y}, patch);
        grid.paste(x, y, patch);
        CHECK(backend->download() == grid);
        // The judge steps what the edit left.
        const auto judge = reference().create(spec);
        judge->upload(grid);
        judge->step(2);
        backend->step(2);
        grid = judge->download().plane(0);
        CHECK(backend->download() == grid);
        CHECK(hash_of(*backend) == state_hash(grid));
      }
    });
  }
}

TEST_CASE("a refused call leaves the cells alone") {
  const BackendSpec spec = spec_of(200, 100);
  const BitGrid grid = make_soup(Soup::of(0.5, 6), 200, 100);
  for_each_kernel(spec, [&](const Kernel& kernel) {
    const auto backend = kernel.create(spec);
    backend->upload(grid);
    DensityImage image;
    CHECK_THROWS_AS(backend->upload(BitGrid(100, 200)), InputError);
    CHECK_THROWS_AS(backend->step(-1), InputError);
    CHECK_THROWS_AS(backend->download({150, 0, 51, 1}), InputError);
    const std::array<Rect, 2> rects{Rect{0, 0, 1, 1}, {150, 0, 51, 1}};
    CHECK_THROWS_AS(backend->download(rects), InputError);
    CHECK_THROWS_AS(backend->edit({0, 99}, BitGrid(1, 2)), InputError);
    CHECK_THROWS_AS(backend->view({0, 0, 10, 10}, 0, image), InputError);
    CHECK(backend->download() == grid);
    backend->step(0);
    backend->synchronize();
    CHECK(backend->download() == grid);
  });
}

TEST_CASE("a backend says who it is and what it was tuned to") {
  const BackendSpec spec = spec_of(200, 100);
  for_each_kernel(spec, [&](const Kernel& kernel) {
    const auto backend = kernel.create(spec);
    CHECK(backend->info().backend == kernel.driver->name());
    CHECK(backend->info().device == kernel.device.name);
    CHECK(backend->info().kernel == kernel.info.name);
    CHECK(backend->spec().width == 200);
    CHECK(backend->spec().height == 100);
    // Only steps count, by the device's own clock.
    backend->fill(Soup::of(0.5, 7));
    const std::optional<double> before = backend->device_seconds();
    backend->step(20);
    const std::optional<double> after = backend->device_seconds();
    const std::pair<std::string, std::string> none{"device clock", "none"};
    const auto& facts = kernel.device.properties;
    CHECK(before.has_value() == (backend->info().backend != "cpu" &&
                                 std::find(facts.begin(), facts.end(), none) == facts.end()));
    CHECK(before.value_or(0) == 0);
    CHECK(after.has_value() == before.has_value());
    if (after) CHECK(*after > 0);
    for (const TuningParameter& parameter : kernel.info.parameters) {
      CAPTURE(std::string(parameter.name));
      CHECK_FALSE(std::string(parameter.meaning).empty());
      const std::vector<int> values = values_of(parameter);
      REQUIRE_FALSE(values.empty());
      CHECK(values.front() > 0);
      CHECK(std::is_sorted(values.begin(), values.end()));
      const int own = backend->info().tuning.*parameter.member;
      CHECK(own > 0);
      CHECK(parameter.accepts(own));
    }
  });
}

TEST_CASE(
    "an unknown tuning is refused, and every declared one is taken or refused with a reason") {
  const BackendSpec spec = spec_of(600, 300);
  const BitGrid start = make_soup(Soup::of(0.4, 21), 600, 300);
  const auto judge = reference().create(spec);
  judge->upload(start);
  judge->step(11);
  const std::uint64_t wanted = hash_of(*judge);
  for_each_kernel(spec, [&](const Kernel& kernel) {
    for (const TuningField& field : tuning_fields()) {
      CAPTURE(field.name);
      Tuning tuning;
      const TuningParameter* parameter = kernel.info.parameter(field.member);
      const std::vector<int> values = parameter ? values_of(*parameter) : std::vector<int>{};
      const int wrong = !parameter              ? 1
                        : parameter->searched() ? values.back() + 1
                                                : parameter->most + 1;
      tuning.*field.member = wrong;
      const std::string what = message_of<InputError>([&] { kernel.create(spec, tuning); });
      CHECK(has(what,
                {kernel.info.name.c_str(), kernel.driver->name(),
                 (std::string(field.name) + "=" + std::to_string(wrong)).c_str(), "accepted are"}));
      for (const int value : values) {
        CAPTURE(value);
        if (kernel.device.software && value != values.front()) {
          skipped(kernel, "an emulated device takes the first value of each tuning");
          continue;
        }
        tuning.*field.member = value;
        try {
          const auto backend = kernel.create(spec, tuning);
          backend->upload(start);
          backend->step(11);
          CHECK(hash_text(hash_of(*backend)) == hash_text(wanted));
        } catch (const UnsupportedError& error) {
          skipped(kernel, error.what());
        }
      }
    }
  });
}
