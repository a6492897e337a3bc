// Strips at every place where a grid's edge can fall in a macro-column: one pipeline steps all
// these widths and heights.

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/vulkan/vulkan_driver.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/support/kernels.h"
#include "tests/support/surveys.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Shape {
  int words, rows, generations, halo_bits, group;
};

// Halos of one bit and deeper ones; accesses of one, two and four rows; one plane and several;
// tiles of one subgroup and of several, which copy rows never, once or repeatedly.
constexpr Shape kShapes[] = {{4, 2, 2, 1, 1}, {4, 3, 2, 1, 4}, {2, 1, 4, 2, 8},
                             {2, 4, 4, 2, 1}, {3, 2, 8, 3, 4}, {3, 8, 16, 6, 2}};

// Narrower than the halo, around whole rows of strips, around whole macro-columns and what a deep
// halo adds to them.
std::set<std::int64_t> widths(const Shape& shape) {
  std::set<std::int64_t> all;
  const std::int64_t words = shape.words, halo = words * shape.halo_bits,
                     macro = (32 - 2 * shape.halo_bits) * words;
  for (std::int64_t w = 1; w <= 2 * words + 1; w++) all.insert(w);
  for (const std::int64_t macros : {1, 2, 3}) {
    const std::int64_t step = macros == (halo > words ? 2 : 1) ? 1 : 3;
    for (std::int64_t w = macros * macro - words - 1; w <= macros * macro + halo + 1; w += step)
      all.insert(w);
  }
  return all;
}

// On a grid too narrow for this many generations per launch, with fewer.
std::unique_ptr<StepBackend> create(const BackendSpec& spec, Tuning tuning) {
  try {
    return vulkan_driver().create(0, spec, "strips", tuning);
  } catch (const UnsupportedError&) {
    tuning.generations = 2;
    return vulkan_driver().create(0, spec, "strips", tuning);
  }
}

void check(const BackendSpec& spec, const Tuning& tuning) {
  CAPTURE(spec.width);
  CAPTURE(spec.height);
  const auto strips = create(spec, tuning);
  const auto judge = cpu_driver().create(0, spec, "word", {});
  const Soup soup{static_cast<std::uint64_t>(spec.width * 1000 + spec.height), 30000};
  strips->fill(soup);
  judge->fill(soup);
  for (const std::int64_t generations : {17, 2}) {
    strips->step(generations);
    judge->step(generations);
    REQUIRE(hash_text(hash_of(*strips)) == hash_text(hash_of(*judge)));
  }
}

}  // namespace

TEST_CASE("strips step grids of every width and height around their tiles") {
  const DeviceList list = vulkan_driver().devices();
  REQUIRE_MESSAGE(!list.devices.empty(), list.missing);
  std::int64_t cases = 0;
  for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
    for (const Shape& shape : kShapes) {
      BackendSpec spec;
      spec.boundary = boundary;
      Tuning tuning;
      tuning.words = shape.words;
      tuning.rows = shape.rows;
      tuning.generations = shape.generations;
      tuning.group = shape.group;
      CAPTURE(shape.words);
      CAPTURE(shape.rows);
      const bool torus = boundary == Boundary::torus;
      CAPTURE(torus);
      try {
        spec.width = spec.height = 1000;
        vulkan_driver().create(0, spec, "strips", tuning);
      } catch (const UnsupportedError& error) {
        MESSAGE("skipped: " << std::string(error.what()));
        continue;
      }
      for (const std::int64_t width : widths(shape)) {
        spec.width = width;
        spec.height = 1 + (width * 7 + shape.rows) % 43;
        check(spec, tuning);
        cases++;
      }
      for (std::int64_t height = 1; height <= 44; height += height < 12 ? 1 : 4) {
        spec.width = 101 + height;
        spec.height = height;
        check(spec, tuning);
        cases++;
      }
    }
  }
  CHECK(cases > 100);
}
